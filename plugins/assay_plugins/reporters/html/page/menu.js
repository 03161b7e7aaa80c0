// Menus that open below their button, and close as one expects.

import { el } from "./dom.js";

/** A button with a panel below it. `make` fills the panel each time it opens. */
export function menu(label, make, props = {}) {
  const panel = el("div", { class: "menu-panel" });
  const summary = el("summary", { class: "button" }, label);
  const holder = el("details", { class: "menu", ...props }, summary, panel);
  holder.addEventListener("toggle", () => {
    if (holder.open) panel.replaceChildren(...[make(() => closeMenu(holder))].flat());
  });
  return holder;
}

/** Close a menu and give the focus back to its button. */
export function closeMenu(holder) {
  holder.open = false;
  holder.querySelector("summary").focus();
}

/** The menu that is open, if one is. */
export function openMenu() {
  return document.querySelector("details.menu[open]");
}

/** Close menus when something else is clicked. */
export function watchMenus() {
  document.addEventListener("pointerdown", (event) => {
    const open = openMenu();
    if (open && !open.contains(event.target)) open.open = false;
  });
}

/** An entry of a menu. */
export function entry(label, detail, onclick) {
  return el(
    "button",
    { type: "button", class: "entry", onclick },
    el("span", {}, label),
    detail ? el("span", { class: "faint" }, detail) : null,
  );
}
