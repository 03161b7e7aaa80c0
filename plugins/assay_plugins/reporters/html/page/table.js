// The table: of any number of rows only those on the screen are made.

import { el, fill } from "./dom.js";
import { resultRow, suiteRow } from "./row.js";
import { reset } from "./toolbar.js";

const BEYOND = 10;
const HEADS = [
  ["status", "Status"],
  ["id", "Case"],
  ["why", "First failing check"],
  ["tags", "Tags"],
  ["rate", "Pass rate"],
  ["consistency", "Consistency"],
  ["duration", "Duration"],
];

/** Shows the rows of a view, and knows which of them is active. */
export class Table {
  constructor(view, store) {
    this.view = view;
    this.store = store;
    this.active = null;
    this.items = [];
    this.drawn = null;
    this.node = document.getElementById("table");
    this.node.classList.toggle("several", store.several);
    this.node.classList.toggle("tagged", store.tagCounts.size > 0);
    this.body = el("div", { class: "rows", role: "rowgroup" });
    this.head = el("div", { class: "row head", role: "row" }, this.#heads());
    fill(this.node, el("div", { role: "rowgroup", class: "head-group" }, this.head), this.body);
    this.empty = document.getElementById("empty");
    this.body.addEventListener("click", (event) => this.#click(event));
    const draw = () => this.#schedule();
    document.addEventListener("scroll", draw, { passive: true });
    addEventListener("resize", draw);
    view.listen((_view, what) => this.#changed(what));
  }

  /** Make a row active and bring it into sight. */
  activate(n, focus = true) {
    this.active = n;
    this.reveal(n);
    this.#draw(true);
    if (focus) this.link(n)?.focus({ preventScroll: true });
  }

  /** The link of a row, if it is on the screen. */
  link(n) {
    return this.body.querySelector(`[data-n="${n}"] a`);
  }

  /** Scroll so that a row can be seen. */
  reveal(n) {
    const place = this.items.findIndex((item) => item.row?.n === n);
    if (place < 0) return;
    const top = this.body.getBoundingClientRect().top + place * this.height;
    const under = this.head.getBoundingClientRect().bottom;
    const covered = Math.max(under, 0) + 8;
    if (top < covered) scrollBy({ top: top - covered, behavior: "instant" });
    else if (top + this.height > innerHeight - 8) {
      scrollBy({ top: top + this.height - innerHeight + 8, behavior: "instant" });
    }
  }

  get height() {
    return Number.parseFloat(getComputedStyle(this.node).getPropertyValue("--row")) || 44;
  }

  #heads() {
    return HEADS.filter(([key]) => this.#shows(key)).map(([key, name]) =>
      el(
        "div",
        { class: `cell ${key}`, role: "columnheader", "data-key": key },
        el("button", { type: "button", onclick: () => this.#sort(key) }, name),
      )
    );
  }

  #shows(key) {
    return this.store.several || (key !== "rate" && key !== "consistency");
  }

  #sort(key) {
    const { sort, descending } = this.view.state;
    // Durations are looked at for the longest, rates for the lowest.
    this.view.change({ sort: key, descending: sort === key ? !descending : key === "duration" });
  }

  #changed(what) {
    const { view } = this;
    if (what === "rows") {
      this.items = view.items;
      const there = this.items.some((item) => item.row?.n === this.active);
      if (!there) this.active = this.items.find((item) => item.row)?.row.n ?? null;
      this.#orderMarks();
      this.#emptyNote();
      this.node.setAttribute("aria-rowcount", String(this.items.length + 1));
    }
    if (what === "open" && view.state.open !== null) this.active = view.state.open;
    this.node.setAttribute("aria-busy", String(view.searching));
    this.#draw(true);
  }

  #orderMarks() {
    const { sort, descending } = this.view.state;
    for (const cell of this.head.children) {
      const own = cell.dataset.key === sort;
      if (own) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
  }

  #emptyNote() {
    const none = this.view.rows.length === 0;
    this.node.hidden = none;
    this.empty.hidden = !none;
    if (!none) return;
    const clear = el(
      "button",
      { type: "button", class: "button", onclick: () => reset(this.view) },
      "Clear filters",
    );
    const nothing = this.store.rows.length === 0;
    fill(
      this.empty,
      el("p", { class: "empty-title" }, nothing ? "This run had no cases" : "No case matches"),
      nothing
        ? null
        : el("p", { class: "faint" }, "Nothing fits all the filters and words at once."),
      nothing ? null : clear,
    );
  }

  #click(event) {
    const link = event.target.closest("a");
    if (link && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
    const row = event.target.closest("[data-n]");
    if (!row || event.target.closest("button")) return;
    if (!link && String(getSelection()) !== "") return;
    event.preventDefault();
    this.view.open(Number(row.dataset.n));
  }

  #schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.#draw(false);
    });
  }

  #draw(anew) {
    const { height } = this;
    this.body.style.height = `${this.items.length * height}px`;
    const top = this.body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / height) - BEYOND);
    const last = Math.min(this.items.length, Math.ceil((innerHeight - top) / height) + BEYOND);
    const range = `${first} ${last} ${height}`;
    if (!anew && range === this.drawn) return;
    this.drawn = range;
    const focused = this.body.contains(document.activeElement)
      ? document.activeElement.closest("[data-n]")?.dataset.n
      : null;
    const made = [];
    for (let place = first; place < last; place += 1) {
      const node = this.#item(this.items[place]);
      node.style.transform = `translateY(${place * height}px)`;
      node.setAttribute("aria-rowindex", String(place + 2));
      made.push(node);
    }
    this.body.replaceChildren(...made);
    if (focused) this.link(focused)?.focus({ preventScroll: true });
  }

  #item(item) {
    const { view, store } = this;
    if (item.row) {
      const ungrouped = store.suites.length > 1 && !view.groups;
      return resultRow(item.row, {
        active: item.row.n === this.active,
        open: item.row.n === view.state.open,
        several: store.several,
        suite: ungrouped ? store.suites[item.row.suite]?.source : null,
      });
    }
    const suite = store.suites[item.suite];
    const summary = suite && store.summary.suites.find((one) => one.source === suite.source);
    const folded = view.state.folded.has(item.suite);
    return suiteRow(suite, summary, item.shown, {
      folded,
      filtered: view.filtered,
      onclick: () => this.#fold(item.suite),
    });
  }

  #fold(suite) {
    const folded = new Set(this.view.state.folded);
    if (!folded.delete(suite)) folded.add(suite);
    this.view.change({ folded });
  }
}
