// One tooltip for all marks that carry `data-tip`.

import { el, fill } from "./dom.js";

/** Show what a mark says while the pointer is on it. */
export function watchTips() {
  const tip = el("div", { class: "tip", role: "presentation", hidden: true });
  document.body.append(tip);
  const hide = () => (tip.hidden = true);
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest?.("[data-tip]");
    if (!mark) return hide();
    fill(
      tip,
      ...mark.dataset.tip.split("\n").map((line) => el("div", { text: line, dir: "auto" })),
    );
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, event.clientX - width / 2), innerWidth - width - 8);
    const above = event.clientY - height - 14;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 8 ? above : event.clientY + 18}px`;
  });
  document.addEventListener("pointerleave", hide);
  document.addEventListener("scroll", hide, { passive: true });
}
