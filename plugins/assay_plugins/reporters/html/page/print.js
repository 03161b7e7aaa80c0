// The page on paper: the table as it is, or with every result open.

import { announce, el, fill } from "./dom.js";
import { detail } from "./detail.js";
import { amount, count } from "./format.js";
import { entry, menu } from "./menu.js";
import { readResult } from "./result.js";
import { resultRow } from "./row.js";

const MOST_ROWS = 5_000;
const MOST_OPEN = 2_000;

/** A menu of the two ways to print. */
export function printMenu(view, store) {
  return menu(
    "Print",
    (close) => [
      entry("Table", amount(view.rows.length, "case"), () => {
        close();
        print();
      }),
      entry(
        "All results opened",
        amount(Math.min(view.rows.length, MOST_OPEN), "case"),
        async () => {
          close();
          await printOpen(view, store);
        },
      ),
    ],
    { id: "print" },
  );
}

/** Lay all rows out whenever the page is printed: the table itself has only those on the screen. */
export function watchPrint(view, store) {
  const node = document.getElementById("paper");
  addEventListener("beforeprint", () => {
    if (!node.firstChild) fill(node, rows(view, store));
  });
  addEventListener("afterprint", () => fill(node));
}

function rows(view, store) {
  const list = el("div", {
    class: `table paper-table${store.several ? " several" : ""}${
      store.tagCounts.size ? " tagged" : ""
    }`,
    role: "table",
    "aria-label": "Results",
  });
  for (const row of view.rows.slice(0, MOST_ROWS)) {
    list.append(resultRow(row, plainRow(row, store)));
  }
  return [list, rest(view.rows.length, MOST_ROWS)];
}

function plainRow(row, store) {
  const suite = store.suites.length > 1 ? store.suites[row.suite]?.source : null;
  return { active: false, open: false, several: store.several, suite };
}

function rest(length, most) {
  return length > most
    ? el("p", {}, `${count(length - most)} more are left out: filter to print them.`)
    : null;
}

/** Open every result of the view on paper, then print. */
async function printOpen(view, store) {
  const node = document.getElementById("paper");
  fill(node);
  const shown = view.rows.slice(0, MOST_OPEN);
  for (const [place, row] of shown.entries()) {
    const read = readResult(await store.details(row.n));
    const made = detail(read, row, store, { run: null, choose: () => {} });
    for (const holder of made.querySelectorAll("details:not(.case-written)")) holder.open = true;
    node.append(
      el(
        "article",
        { class: "paper-result" },
        el("h2", { dir: "auto", text: row.id || "(empty)" }),
        made,
      ),
    );
    if (place % 50 === 49) {
      announce(`${count(place + 1)} of ${amount(shown.length, "case")} laid out`);
    }
  }
  const left = rest(view.rows.length, MOST_OPEN);
  if (left) node.append(left);
  // What opens, fills itself in the next turn.
  await new Promise((resolve) => setTimeout(resolve, 50));
  print();
}
