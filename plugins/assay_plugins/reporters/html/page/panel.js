// The side panel that shows one result.

import { announce, el, fill, icon, plain } from "./dom.js";
import { count } from "./format.js";
import { detail } from "./detail.js";
import { caseLine, readResult } from "./result.js";
import { copyButton } from "./text.js";

/** Shows the open result of a view. */
export class Panel {
  constructor(view, store, table) {
    this.view = view;
    this.store = store;
    this.table = table;
    this.node = document.getElementById("panel");
    this.shown = null;
    view.listen((_view, what) => (what === "open" ? this.show() : this.#place()));
  }

  get isOpen() {
    return this.view.state.open !== null;
  }

  /** Move to the row before or after the open one. */
  step(by) {
    const rows = this.view.visibleRows;
    const place = rows.findIndex((row) => row.n === this.view.state.open);
    const row = rows[place < 0 ? 0 : place + by];
    if (row) this.view.open(row.n);
  }

  /** Close and give the focus back to the row. */
  close() {
    const n = this.view.state.open;
    this.view.open(null);
    if (n !== null) this.table.activate(n);
  }

  /** Show what the view says is open. */
  async show() {
    const { open, run } = this.view.state;
    const row = open === null ? undefined : this.store.rows[open];
    document.body.classList.toggle("panelled", row !== undefined);
    this.node.hidden = row === undefined;
    if (!row) {
      this.shown = null;
      fill(this.node);
      return;
    }
    const same = this.shown === open;
    this.shown = open;
    if (!same) {
      const title = el("h2", {
        id: "panel-title",
        tabindex: "-1",
        dir: "auto",
        text: row.id || "(empty)",
      });
      this.body = el("div", { class: "panel-body" }, el("p", { class: "faint" }, "Loading…"));
      this.actions = el("div", { class: "panel-actions" });
      this.position = el("span", { class: "faint position" });
      fill(
        this.node,
        this.#bar(),
        el("div", { class: "panel-title" }, title, this.actions),
        this.body,
      );
      this.node.scrollTop = 0;
      title.focus({ preventScroll: true });
      this.table.reveal(open);
      this.#place();
      announce(`Case ${plain(row.id)}`);
    }
    const read = readResult(await this.store.details(open));
    if (this.shown !== open || this.view.state.run !== run) return;
    const choose = (number) => this.view.open(open, number);
    const focused = this.body.contains(document.activeElement)
      ? document.activeElement.getAttribute("aria-label")
      : null;
    fill(this.body, detail(read, row, this.store, { run, choose }));
    if (read.result.id !== row.id) this.node.querySelector("#panel-title").append("…");
    if (focused) {
      [...this.body.querySelectorAll("button.run")].find((one) =>
        one.getAttribute("aria-label") === focused
      )?.focus();
    }
    fill(
      this.actions,
      copyButton("Copy as case", () => caseLine(read), "button"),
      copyButton("Copy JSON", () => read.line, "button"),
      copyButton("Copy link", () => location.href, "button"),
    );
    this.node.dataset.ready = String(open);
  }

  #bar() {
    const button = (name, label, onclick) =>
      el("button", {
        type: "button",
        class: "icon-button",
        "aria-label": label,
        title: label,
        onclick,
      }, icon(name));
    return el(
      "div",
      { class: "panel-bar" },
      button("up", "Previous case (k)", () => this.step(-1)),
      button("down", "Next case (j)", () => this.step(1)),
      this.position,
      button("close", "Close (Esc)", () => this.close()),
    );
  }

  #place() {
    if (!this.isOpen || !this.position) return;
    const rows = this.view.visibleRows;
    const place = rows.findIndex((row) => row.n === this.view.state.open);
    this.position.textContent = place < 0
      ? "not in this view"
      : `${count(place + 1)} of ${count(rows.length)}`;
  }
}
