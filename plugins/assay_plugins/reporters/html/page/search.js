// Full-text search over input, output and error of every result.

import { isObject, stringify } from "./json.js";

const SLICE_MS = 30;
const KEPT_CHARACTERS = 80_000_000;
const DEEPEST = 40;

/** The words of a query: all of them must occur; quotes hold a phrase together. */
export function words(query) {
  const found = query.toLowerCase().match(/"[^"]+"?|[^\s"]+/g) ?? [];
  return found.map((word) => word.replaceAll('"', "")).filter((word) => word !== "");
}

/** Texts of all results, unpacked while the page has nothing else to do. */
export class TextSearch {
  constructor(store) {
    this.store = store;
    this.texts = [];
    this.kept = 0;
  }

  /** Unpack ahead, in slices that leave the page its time. */
  async prepare() {
    const blocks = await this.store.all();
    for (let block = 0; block < blocks.length && this.kept < KEPT_CHARACTERS; block += 1) {
      await idle();
      await this.#texts(block);
    }
  }

  /**
   * Find the results that hold all words.
   *
   * Gives a Set of their numbers, or null when `stopped()` says that nobody wants to know.
   */
  async find(query, stopped) {
    const wanted = words(query);
    const blocks = await this.store.all();
    const found = new Set();
    let since = performance.now();
    for (let block = 0; block < blocks.length; block += 1) {
      const texts = this.texts[block] ?? (await this.#texts(block));
      if (stopped()) return null;
      for (let place = 0; place < texts.length; place += 1) {
        if (wanted.every((word) => texts[place].includes(word))) {
          found.add(blocks[block].first + place);
        }
      }
      if (performance.now() - since > SLICE_MS) {
        await turn();
        since = performance.now();
      }
    }
    return stopped() ? null : found;
  }

  async #texts(block) {
    if (this.texts[block]) return this.texts[block];
    const lines = await this.store.lines(block);
    const texts = [];
    for (let place = 0; place < lines.length; place += 2) {
      texts.push(textOf(JSON.parse(lines[place])));
    }
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (this.kept + length <= KEPT_CHARACTERS && !this.texts[block]) {
      this.kept += length;
      this.texts[block] = texts;
    }
    return texts;
  }
}

function textOf(result) {
  const parts = [result.id, result.input, result.reason, result.output, result.error, result.tags];
  for (const check of result.assertions ?? []) parts.push(check.message, check.error);
  for (const run of result.run_details ?? []) {
    parts.push(run.output, run.error);
    for (const check of run.assertions ?? []) parts.push(check.message, check.error);
  }
  const texts = parts.filter((part) => part !== undefined && part !== null).map(flat);
  return [...new Set(texts)].join("\n").toLowerCase();
}

function flat(value) {
  return Array.isArray(value) || isObject(value) ? stringify(value, 0, DEEPEST) : String(value);
}

function turn() {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
  });
}

function idle() {
  return new Promise((resolve) => {
    if (globalThis.requestIdleCallback) requestIdleCallback(() => resolve(), { timeout: 500 });
    else setTimeout(resolve, 10);
  });
}
