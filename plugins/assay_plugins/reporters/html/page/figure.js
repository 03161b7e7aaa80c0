// What all charts have in common.

import { el, plain } from "./dom.js";

/** A chart with its title, picture and the same in words. */
export function figure(title, words, picture, ...more) {
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", plain(words));
  return el("figure", { class: "chart" }, el("figcaption", {}, title), picture, more);
}
