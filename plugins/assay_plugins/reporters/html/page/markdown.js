// Rendered Markdown as elements. It was made safe when it was written; here only what is known
// to be harmless is made anew, so that it stays so whoever wrote the page.

import { el, visible } from "./dom.js";

const KEPT = new Set(
  ("P EM STRONG S CODE PRE UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD HR BR A IMG " +
    "H1 H2 H3 H4 H5 H6").split(" "),
);
const ALIGNED = new Set(["left", "center", "right"]);

/** Make elements of the HTML of an answer. */
export function markdown(html) {
  const source = new DOMParser().parseFromString(html, "text/html");
  return el("div", { class: "markdown", dir: "auto" }, children(source.body));
}

function children(node) {
  return [...node.childNodes].map(copy).filter((made) => made !== null);
}

function copy(node) {
  if (node.nodeType === Node.TEXT_NODE) {
    const made = visible(node.data);
    return typeof made === "string" ? document.createTextNode(made) : made;
  }
  if (node.nodeType !== Node.ELEMENT_NODE || !KEPT.has(node.tagName)) return null;
  const name = node.tagName.toLowerCase();
  if (name === "a") return link(node);
  if (name === "img") return image(node);
  // Headings of an answer are none of the report.
  if (/^h\d$/.test(name)) {
    return el("p", { class: `heading level-${name[1]}`, dir: "auto" }, children(node));
  }
  if (name === "table") {
    return el(
      "div",
      { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Table" },
      el("table", {}, children(node)),
    );
  }
  if (name === "pre") {
    return el(
      "pre",
      { dir: "auto", tabindex: "0", role: "group", "aria-label": "Code" },
      children(node),
    );
  }
  const made = el(name, { dir: name === "code" ? "auto" : undefined }, children(node));
  const start = Number(node.getAttribute("start"));
  if (name === "ol" && Number.isSafeInteger(start) && start > 1) made.start = start;
  if ((name === "td" || name === "th") && ALIGNED.has(node.className)) {
    made.className = node.className;
  }
  if (name === "p" || name === "li" || name === "td") made.dir = "auto";
  return made;
}

function link(node) {
  const target = node.getAttribute("href") ?? "";
  if (!/^(?:https?:\/\/|mailto:)/i.test(target)) return el("span", {}, children(node));
  return el(
    "a",
    { href: target, rel: "noopener noreferrer nofollow", target: "_blank", title: target },
    children(node),
  );
}

/** A picture only where the page holds it: anything else would tell its owner of the reader. */
function image(node) {
  const source = node.getAttribute("src") ?? "";
  const text = node.getAttribute("alt") || "picture";
  if (/^data:image\/(?:gif|png|jpeg|webp);/i.test(source)) {
    return el("img", { src: source, alt: text });
  }
  if (!/^https?:\/\//i.test(source)) return el("span", { text: `[${text}]` });
  return el(
    "a",
    { href: source, rel: "noopener noreferrer nofollow", target: "_blank", title: source },
    `[picture: `,
    visible(text),
    "]",
  );
}
