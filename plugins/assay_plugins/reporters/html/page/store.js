// What the page holds: how the run went, a row per result, and the details in packed blocks.

const LETTERS = { p: "passed", f: "failed", e: "error", t: "timeout", s: "skipped" };
const KEPT = 8;

/** Unpack a block: base64 of a zlib stream of UTF-8 text. */
function unpack(packed) {
  const stream = new Blob([bytes(packed)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

function bytes(packed) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(packed);
  const text = atob(packed);
  const made = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place += 1) made[place] = text.charCodeAt(place);
  return made;
}

/** The run and its results. Rows are there after `load`; details come when they are asked for. */
export class Store {
  constructor() {
    const run = JSON.parse(document.getElementById("run").textContent);
    this.start = run.start;
    this.summary = run.summary;
    this.suites = run.start.suites;
    this.rows = [];
    this.several = false;
    this.tagCounts = new Map();
    this.blocks = null;
    this.cache = new Map();
    this.whole = new Promise((resolve) => {
      if (document.readyState !== "loading") resolve();
      else document.addEventListener("DOMContentLoaded", () => resolve(), { once: true });
    });
  }

  /** Read all rows. Their blocks stand before this script in the page. */
  async load() {
    for (const node of document.querySelectorAll("script.index")) {
      this.#add(JSON.parse(await unpack(node.textContent)));
      node.remove();
    }
  }

  #add(columns) {
    const unasserted = new Set(columns.unasserted);
    const incomplete = new Set(columns.incomplete);
    const replayed = new Set(columns.replayed);
    columns.id.forEach((id, place) => {
      const tags = columns.tags[place] ?? [];
      for (const tag of tags) this.tagCounts.set(tag, (this.tagCounts.get(tag) ?? 0) + 1);
      const runs = columns.runs[place] ? figures(columns.runs[place]) : null;
      if (runs) this.several = true;
      this.rows.push({
        n: this.rows.length,
        id,
        status: LETTERS[columns.status[place]],
        ms: columns.ms[place],
        suite: columns.suite[place],
        why: columns.why[place],
        tags,
        runs,
        unasserted: unasserted.has(place),
        incomplete: incomplete.has(place),
        replayed: replayed.has(place),
      });
    });
  }

  /** The details of a row: `line`, its JSON text, and `extra`. */
  async details(n) {
    const blocks = await this.all();
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (blocks[middle].first <= n) low = middle;
      else high = middle - 1;
    }
    const lines = await this.lines(low);
    const place = 2 * (n - blocks[low].first);
    return { line: lines[place], extra: JSON.parse(lines[place + 1]) };
  }

  /** All blocks of details, once the whole page is there. */
  async all() {
    await this.whole;
    this.blocks ??= [...document.querySelectorAll("script.details")].map((node) => ({
      node,
      first: Number(node.dataset.first),
    }));
    return this.blocks;
  }

  /** The lines of a block: two for each result. */
  async lines(block) {
    let lines = this.cache.get(block);
    if (lines === undefined) {
      lines = (await unpack(this.blocks[block].node.textContent)).split("\n");
    }
    this.cache.delete(block);
    this.cache.set(block, lines);
    if (this.cache.size > KEPT) this.cache.delete(this.cache.keys().next().value);
    return lines;
  }
}

function figures([runs, passed, rate, low, high, consistency, grade, avg, min, max, deviation]) {
  return { runs, passed, rate, low, high, consistency, grade, avg, min, max, deviation };
}
