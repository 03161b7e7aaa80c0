// Filters and orders rows, and tells whoever shows them.

import { isFiltered, read, write } from "./state.js";

const RANKS = { failed: 0, error: 1, timeout: 2, passed: 4, skipped: 5 };

/** The view: which rows are shown, in which order, and which of them is open. */
export class View {
  constructor(store, search) {
    this.store = store;
    this.search = search;
    this.state = read(location.hash);
    this.matches = null;
    this.searching = false;
    this.rows = [];
    this.items = [];
    this.listeners = [];
    this.orders = new Map();
    this.asked = 0;
    this.searched = "";
  }

  /** Be told of every change: `listener(view, what)`, with `what` "rows" or "open". */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Change the state: filters, order, grouping. */
  async change(changes) {
    Object.assign(this.state, changes);
    this.#remember(false);
    await this.refresh();
  }

  /** Open a row, or none. */
  open(n, run = null) {
    const fresh = this.state.open === null && n !== null;
    this.state.open = n;
    this.state.run = run;
    this.#remember(fresh);
    this.#tell("open");
  }

  /** Take over what the address says, after "back" or a new fragment. */
  async reread() {
    const state = read(location.hash);
    if (write(state) === write(this.state)) return;
    this.state = state;
    await this.refresh();
    this.#tell("open");
  }

  /** Work out the rows anew. */
  async refresh() {
    const query = this.state.query.trim();
    if (query !== this.searched) {
      const asked = (this.asked += 1);
      if (query === "") {
        this.matches = null;
      } else {
        this.searching = true;
        const slow = setTimeout(() => this.#tell("searching"), 120);
        const found = await this.search.find(query, () => asked !== this.asked);
        clearTimeout(slow);
        if (found === null) return;
        this.matches = found;
      }
      this.searched = query;
      this.searching = false;
    }
    const shown = this.#filtered();
    this.rows = shown;
    this.items = this.#grouped(shown);
    this.#tell("rows");
  }

  get groups() {
    return this.store.suites.length > 1 && this.state.grouped;
  }

  get filtered() {
    return isFiltered(this.state);
  }

  /** The rows in the order of the screen, those of folded suites left out. */
  get visibleRows() {
    return this.items.filter((item) => item.row).map((item) => item.row);
  }

  #filtered() {
    const { status, tag, grade, unasserted } = this.state;
    const matches = this.matches;
    return this.#ordered().filter(
      (row) =>
        (!status.size || status.has(row.status)) &&
        (!grade.size || (row.runs !== null && grade.has(row.runs.grade))) &&
        (!tag.size || row.tags.some((one) => tag.has(one))) &&
        (!unasserted || row.unasserted) &&
        (matches === null || matches.has(row.n)),
    );
  }

  #ordered() {
    const { sort, descending } = this.state;
    const key = `${sort}${descending}`;
    let rows = this.orders.get(key);
    if (rows === undefined) {
      rows = [...this.store.rows].sort(comparison(sort, descending ? -1 : 1));
      this.orders.set(key, rows);
    }
    return rows;
  }

  #grouped(rows) {
    if (!this.groups) return rows.map((row) => ({ row }));
    const bySuite = new Map();
    for (const row of rows) {
      if (!bySuite.has(row.suite)) bySuite.set(row.suite, []);
      bySuite.get(row.suite).push(row);
    }
    const items = [];
    for (const suite of [...bySuite.keys()].sort((a, b) => a - b)) {
      const own = bySuite.get(suite);
      items.push({ suite, shown: own.length });
      if (!this.state.folded.has(suite)) { for (const row of own) items.push({ row }); }
    }
    return items;
  }

  #remember(fresh) {
    const address = write(this.state) || location.pathname + location.search;
    try {
      if (fresh) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      // A page inside another may have no history: the view is shown all the same.
    }
  }

  #tell(what) {
    for (const listener of this.listeners) listener(this, what);
  }
}

function comparison(sort, sign) {
  if (sort === "id") return byText((row) => row.id, sign);
  if (sort === "why") return byText((row) => row.why, sign, true);
  if (sort === "tags") return byText((row) => row.tags.join(" "), sign, true);
  const value = {
    order: (row) => row.n,
    status: rank,
    duration: (row) => (row.status === "skipped" ? null : row.ms),
    rate: (row) => (row.runs ? row.runs.rate : null),
    consistency: (row) => (row.runs ? row.runs.consistency : null),
  }[sort];
  return (a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === right) return a.n - b.n;
    // What has no value stands last, whatever the direction.
    if (left === null) return 1;
    if (right === null) return -1;
    return sign * (left - right);
  };
}

function rank(row) {
  return row.status === "passed" && row.runs && row.runs.passed < row.runs.runs
    ? 3
    : RANKS[row.status];
}

function byText(value, sign, emptyLast = false) {
  const collator = new Intl.Collator(undefined, { numeric: true });
  return (a, b) => {
    const [left, right] = [value(a), value(b)];
    if (emptyLast && (left === "") !== (right === "")) return left === "" ? 1 : -1;
    return sign * collator.compare(left, right) || a.n - b.n;
  };
}
