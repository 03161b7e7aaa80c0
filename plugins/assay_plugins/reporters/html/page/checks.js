// The checks of an attempt: what each said, and what it saw.

import { el, fill, icon, quoted } from "./dom.js";
import { amount, count } from "./format.js";
import { valueView } from "./text.js";

const FEW = 4;
const MOST = 50;
const SIGNS = { expected: "−", actual: "+", same: " ", note: "…" };

/** All checks of an attempt, those that did not pass first. */
export function checkList(attempt, run, extra, unasserted) {
  const all = (attempt.assertions ?? []).map((check, place) => ({
    check,
    shown: extra.checks?.[`${run}.${place}`] ?? {},
  }));
  if (!all.length) {
    const words = unasserted
      ? "This case has no check: an answer of any kind passes."
      : "No check was carried out.";
    return el("p", { class: "faint" }, words);
  }
  const failed = all.filter(({ check }) => !check.passed);
  const passed = all.filter(({ check }) => check.passed);
  const node = el("div", { class: "checks" });
  pieces(node, failed);
  if (!passed.length) return node;
  if (passed.length <= FEW && !failed.length) pieces(node, passed);
  else {
    const list = el("div", {});
    const holder = el(
      "details",
      { class: "more" },
      el("summary", {}, `${amount(passed.length, "check")} passed`),
      list,
    );
    holder.addEventListener(
      "toggle",
      () => holder.open && !list.firstChild && pieces(list, passed),
    );
    node.append(holder);
  }
  return node;
}

function pieces(node, checks, from = 0) {
  node.append(...checks.slice(from, from + MOST).map(oneCheck));
  const left = checks.length - from - MOST;
  if (left <= 0) return;
  const more = el("button", { type: "button", class: "quiet" }, `${count(left)} more checks`);
  more.addEventListener("click", () => {
    more.remove();
    pieces(node, checks, from + MOST);
  });
  node.append(more);
}

function oneCheck({ check, shown }) {
  const kind = check.error !== undefined ? "error" : check.passed ? "passed" : "failed";
  const node = el(
    "div",
    { class: `check ${kind}` },
    el(
      "p",
      { class: "check-line" },
      icon(kind),
      el(
        "span",
        { class: "sr" },
        { error: "Not carried out: ", passed: "Passed: ", failed: "Failed: " }[kind],
      ),
      el("code", { class: "check-type", text: check.negate ? `not ${check.type}` : check.type }),
      typeof check.score === "number"
        ? el("span", { class: "score-mark" }, `score ${check.score}`)
        : null,
      el("span", { class: "check-message", dir: "auto", text: message(check) }),
    ),
  );
  if (shown.diff) node.append(diffView(shown.diff), sides(check));
  else {
    for (const side of ["expected", "actual"]) {
      if (shown[side]) node.append(value(side, check[side]));
    }
    if (check.passed) node.append(...passedSides(check));
  }
  return node;
}

function message(check) {
  if (check.error === undefined) return check.message ?? "";
  return `could not be carried out: ${check.error}`;
}

function value(side, given) {
  const name = side === "expected" ? "Expected" : "Actual";
  return el(
    "div",
    { class: `side ${side}` },
    el("p", { class: "label" }, name),
    valueView(given, name),
  );
}

/** Both whole values, for those who want more than the difference. */
function sides(check) {
  return later(
    "Whole values",
    () =>
      ["expected", "actual"].filter((side) => side in check).map((side) =>
        value(side, check[side])
      ),
  );
}

function passedSides(check) {
  const there = ["expected", "actual"].filter((side) => side in check);
  return there.length
    ? [later("What it looked at", () => there.map((side) => value(side, check[side])))]
    : [];
}

/** Something that is made when it is opened. */
export function later(name, make, props = {}) {
  const body = el("div", { class: "later" });
  const holder = el("details", { class: "more", ...props }, el("summary", {}, name), body);
  holder.addEventListener("toggle", () => {
    if (holder.open && !body.firstChild) fill(body, ...[make()].flat());
  });
  return holder;
}

/** Expected against actual, line by line. */
function diffView(lines) {
  return el(
    "div",
    { class: "diff", role: "group", "aria-label": "Expected against actual", tabindex: "0" },
    el(
      "p",
      { class: "legend", "aria-hidden": "true" },
      el("span", { class: "expected" }, "− expected"),
      el("span", { class: "actual" }, "+ actual"),
    ),
    lines.map(([side, before, marked, after]) =>
      el(
        "div",
        { class: `line ${side}` },
        el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[side]),
        side === "expected" || side === "actual" ? el("span", { class: "sr" }, `${side}: `) : null,
        el(
          "span",
          { class: "line-text", dir: "auto" },
          quoted(before, "span"),
          marked === undefined ? null : el("mark", { text: marked }),
          after === undefined ? null : quoted(after, "span"),
        ),
      )
    ),
  );
}
