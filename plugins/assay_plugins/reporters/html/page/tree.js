// A JSON value as a tree that is made as it is opened, so that any size and depth is shown.

import { el } from "./dom.js";
import { count } from "./format.js";
import { Digits, isObject } from "./json.js";

const AT_ONCE = 100;
const OPENED = 2;
const SMALL = 30;
const LONG = 2_000;

/** Show a value. */
export function tree(value) {
  return el("div", { class: "tree" }, node(null, value, 0));
}

function node(key, value, depth) {
  const name = key === null ? null : [el("span", { class: "key", text: key, dir: "auto" }), ": "];
  const listed = Array.isArray(value);
  if (!listed && !isObject(value)) return el("div", { class: "leaf" }, name, scalar(value));
  const length = listed ? value.length : Object.keys(value).length;
  if (length === 0) return el("div", { class: "leaf" }, name, listed ? "[]" : "{}");
  const what = listed ? `[ ${count(length)} ]` : `{ ${count(length)} }`;
  const holder = el("details", {}, el("summary", {}, name, el("span", { class: "size" }, what)));
  const body = el("div", { class: "branch" });
  let made = false;
  const make = () => {
    if (!made) more(body, listed ? value : Object.entries(value), listed, 0, depth);
    made = true;
  };
  holder.append(body);
  holder.addEventListener("toggle", () => holder.open && make());
  if (depth === 0 || (depth < OPENED && length <= SMALL)) {
    make();
    holder.open = true;
  }
  return holder;
}

function more(body, entries, listed, from, depth) {
  const end = Math.min(from + AT_ONCE, entries.length);
  for (let place = from; place < end; place += 1) {
    const [key, value] = listed ? [String(place), entries[place]] : entries[place];
    body.append(node(key, value, depth + 1));
  }
  if (end < entries.length) {
    const button = el(
      "button",
      { type: "button", class: "quiet" },
      `${count(entries.length - end)} more`,
    );
    button.addEventListener("click", () => {
      button.remove();
      more(body, entries, listed, end, depth);
    });
    body.append(button);
  }
}

function scalar(value) {
  if (value instanceof Digits) return el("span", { class: "number" }, cut(value.source));
  if (typeof value === "string") {
    return el("span", { class: "string", dir: "auto", text: JSON.stringify(cut(value)) });
  }
  return el("span", { class: typeof value === "number" ? "number" : "word" }, String(value));
}

function cut(text) {
  return text.length > LONG ? `${text.slice(0, LONG)}… (${count(text.length)} characters)` : text;
}
