// The keyboard: j and k move, Enter opens, / searches, Esc closes.

import { closeMenu, openMenu } from "./menu.js";

const FIELDS = "input, select, textarea, [contenteditable]";

/** Listen to the keys of the page. */
export function watchKeys(view, table, panel, help) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") return escape(event, view, panel, help);
    if (help.open || event.target.closest(FIELDS)) return;
    const act = {
      j: () => move(1, view, table, panel),
      k: () => move(-1, view, table, panel),
      ArrowDown: inTable(event) && (() => move(1, view, table, panel)),
      ArrowUp: inTable(event) && (() => move(-1, view, table, panel)),
      Enter: mayOpen(event, table) && (() => view.open(table.active)),
      "/": () => document.getElementById("search").select(),
      "?": () => help.showModal(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function inTable(event) {
  return event.target.closest("#table .row a") !== null;
}

/** Enter opens the active row from anywhere that has no use for it itself. */
function mayOpen(event, table) {
  if (table.active === null) return false;
  return inTable(event) || event.target === document.body || event.target.id === "panel-title";
}

function move(by, view, table, panel) {
  if (panel.isOpen) return panel.step(by);
  const rows = view.visibleRows;
  const place = rows.findIndex((row) => row.n === table.active);
  const at = document.activeElement?.closest("#table .row") ? place + by : Math.max(place, 0);
  const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
  if (row) table.activate(row.n);
}

/** Close what is on top: a menu, the search, the panel. */
function escape(event, view, panel, help) {
  if (help.open) return;
  const menu = openMenu();
  if (menu) closeMenu(menu);
  else if (event.target.id === "search") {
    event.preventDefault();
    if (view.state.query) view.change({ query: "" });
    else event.target.blur();
  } else if (panel.isOpen) panel.close();
}
