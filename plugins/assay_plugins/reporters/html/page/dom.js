// Elements, made without any HTML text: what an agent said can only become text.

const SVG = "http://www.w3.org/2000/svg";

// What steers a terminal or the direction of text, and halves of characters.
const STEERING =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;
const MOST_MARKED = 500;

/** Make an element: `class`, `text`, `css`, `on…` functions, and attributes. */
export function el(tag, props = {}, ...children) {
  return dress(document.createElement(tag), props, children);
}

/** Make an SVG element, in the same way. */
export function svg(tag, props = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), props, children);
}

function dress(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.setAttribute("class", value);
    else if (name === "text") node.append(visible(value));
    else if (name === "css") {
      for (const [key, one] of Object.entries(value)) node.style.setProperty(key, one);
    } else if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(
    ...children.flat(Infinity).filter((child) =>
      child !== null && child !== undefined && child !== false
    ),
  );
  return node;
}

/** A text as a reader may see it: characters that steer are shown as escapes such as \u202e. */
export function visible(text) {
  const whole = String(text).replaceAll("\r\n", "\n");
  const found = whole.match(STEERING);
  if (found === null) return whole;
  if (found.length > MOST_MARKED) return plain(whole);
  const fragment = document.createDocumentFragment();
  let end = 0;
  for (const match of whole.matchAll(STEERING)) {
    fragment.append(
      whole.slice(end, match.index),
      el("span", { class: "escape" }, escaped(match[0])),
    );
    end = match.index + match[0].length;
  }
  fragment.append(whole.slice(end));
  return fragment;
}

/** The same as a mere string, for labels and titles. */
export function plain(text) {
  return String(text).replace(STEERING, escaped);
}

function escaped(character) {
  const code = character.charCodeAt(0);
  if (code === 0x0d) return "\\r";
  return code < 256
    ? `\\x${code.toString(16).padStart(2, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Text from elsewhere inside a sentence of ours: its direction is its own. */
export function quoted(text, tag = "bdi") {
  return el(tag, { text });
}

/** Replace all children. */
export function fill(node, ...children) {
  node.replaceChildren(
    ...children.flat(Infinity).filter((child) =>
      child !== null && child !== undefined && child !== false
    ),
  );
}

const ICONS = {
  passed: "M3.5 8.5l3 3 6-7",
  failed: "M4.5 4.5l7 7m0-7l-7 7",
  error: "M8 3.5v5.5m0 2.6v.9",
  timeout: "M8 4.5V8l2.5 1.8M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8",
  skipped: "M4 8h8",
  close: "M4 4l8 8m0-8l-8 8",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  copy: "M6 5.5V3h7v7h-2.5M3 6h7v7H3z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9m3.4 7.9l3.1 3.1",
};

/** A small picture that says nothing which the text beside it does not. */
export function icon(name) {
  return svg(
    "svg",
    { class: `icon icon-${name}`, viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: ICONS[name] }),
  );
}

/** Tell a screen reader, and nobody else. */
export function announce(text) {
  document.getElementById("live").textContent = text;
}
