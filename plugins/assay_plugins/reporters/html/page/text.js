// Texts and values of any size: as they are, rendered, or as a tree.

import { announce, el, fill, icon } from "./dom.js";
import { count, size } from "./format.js";
import { asText, parseMaybe } from "./json.js";
import { markdown } from "./markdown.js";
import { tree } from "./tree.js";

const FIRST = 20_000;
const NEXT = 200_000;

/** A text as it is; a long one in pieces. */
export function longText(text, label = "Text") {
  const body = el("pre", {
    class: "text",
    dir: "auto",
    tabindex: "0",
    role: "group",
    "aria-label": label,
  });
  const holder = el("div", {}, body);
  let shown = 0;
  const more = el("button", { type: "button", class: "quiet" });
  const extend = (length) => {
    const end = Math.min(shown + length, text.length);
    body.append(el("span", { text: text.slice(shown, end) }));
    shown = end;
    if (shown < text.length) {
      more.textContent = `Show more (${count(shown)} of ${size(text.length)} shown)`;
      holder.append(more);
    } else {
      more.remove();
    }
  };
  more.addEventListener("click", () => extend(NEXT));
  extend(FIRST);
  if (text === "") body.append(el("span", { class: "faint" }, "(empty)"));
  return holder;
}

/** A value of any kind: text as text, anything else as a tree. */
export function valueView(value, label) {
  return typeof value === "string" ? longText(value, label) : tree(value);
}

/** An answer: rendered where it is Markdown, raw, and as a tree where it is or holds JSON. */
export function outputView(value, html) {
  const views = [];
  if (html) views.push(["Rendered", () => markdown(html)]);
  const json = typeof value === "string" ? parseMaybe(value) : { value };
  const raw = ["Raw", () => longText(asText(value), "Output, raw")];
  if (json !== null) views.push(["JSON", () => tree(json.value)]);
  views.push(raw);
  if (views.length === 1) return el("div", { class: "output plain" }, views[0][1]());
  const body = el("div", { class: "output-body" });
  const buttons = views.map(([name, make]) => {
    const button = el("button", { type: "button", "aria-pressed": "false" }, name);
    button.addEventListener("click", () => show(button, make));
    return button;
  });
  const show = (button, make) => {
    for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
    fill(body, make());
  };
  show(buttons[0], views[0][1]);
  return el(
    "div",
    { class: "output" },
    el(
      "div",
      { class: "segmented", role: "group", "aria-label": "How the output is shown" },
      buttons,
    ),
    body,
  );
}

/** A button that copies a text. */
export function copyButton(label, text, look = "quiet") {
  const button = el("button", { type: "button", class: look }, icon("copy"), label);
  button.addEventListener("click", async () => {
    const done = await copy(typeof text === "function" ? text() : text);
    const said = done ? "Copied" : "Not copied: the browser does not allow it";
    button.replaceChildren(icon(done ? "passed" : "failed"), done ? "Copied" : "Not allowed");
    announce(said);
    setTimeout(() => button.replaceChildren(icon("copy"), label), 1_500);
  });
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Browsers that give a file from disk no clipboard still copy what is selected. */
function copyBySelection(text) {
  const area = el("textarea", { class: "offscreen", "aria-hidden": "true" });
  area.value = text;
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return done;
}
