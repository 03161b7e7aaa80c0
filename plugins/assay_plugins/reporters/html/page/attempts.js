// The runs of a case: figures, one mark per run, and its distinct outputs side by side.

import { el, icon } from "./dom.js";
import { amount, CLASS_NAMES, count, duration, percent, ratio, STATUS_NAMES } from "./format.js";
import { outputView } from "./text.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const MOST_RUNS = 200;
const MOST_NAMED = 12;

/** What the runs of a case gave. `choose(run)` shows one of them. */
export function runsView({ result, attempts, extra }, run, choose) {
  const groups = extra.outputs ?? [];
  return el(
    "section",
    { class: "block", "aria-label": "Runs" },
    el("h3", {}, `Runs`),
    figures(result),
    runButtons(attempts, groups, run, choose),
    groups.length > 1 ? sideBySide(groups, attempts, extra.others ?? 0) : same(groups, attempts),
  );
}

function figures(result) {
  if (result.pass_rate === undefined) return null;
  const pairs = [
    ["Passed", `${count(result.passed)} of ${count(result.runs)}`],
    ["Pass rate", percent(result.pass_rate)],
    [
      "95% interval",
      result.pass_rate_interval && result.pass_rate_interval.map(percent).join(" – "),
    ],
    ["Consistency", result.consistency === undefined ? null : ratio(result.consistency)],
    ["Class", CLASS_NAMES[result.stability_class]],
    ["Average", given(result.avg_duration_ms)],
    ["Shortest", given(result.min_duration_ms)],
    ["Longest", given(result.max_duration_ms)],
    ["Deviation", given(result.std_deviation_ms)],
  ];
  return el(
    "dl",
    { class: "figures" },
    pairs.filter(([, value]) => value).map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, value))
    ),
  );
}

function given(ms) {
  return ms === undefined ? null : duration(ms);
}

function told({ run, status, duration_ms, replayed }) {
  const mark = replayed ? ", replayed" : "";
  return `Run ${run}: ${STATUS_NAMES[status]}, ${duration(duration_ms)}${mark}`;
}

function runButtons(attempts, groups, chosen, choose) {
  const letterOf = new Map(
    groups.flatMap((group, place) => group.runs.map((run) => [run, letter(place)])),
  );
  const buttons = attempts.slice(0, MOST_RUNS).map((attempt, place) =>
    el(
      "button",
      {
        type: "button",
        class: `run ${attempt.status}`,
        "aria-pressed": String(place === chosen),
        "aria-label": told(attempt),
        "data-tip": told(attempt),
        onclick: () => choose(attempt.run),
      },
      icon(attempt.status),
      count(attempt.run),
      groups.length > 1 && letterOf.has(attempt.run)
        ? el("span", { class: "run-letter" }, letterOf.get(attempt.run))
        : null,
    )
  );
  return el(
    "div",
    { class: "runs", role: "group", "aria-label": "Which run is shown below" },
    buttons,
    attempts.length > MOST_RUNS
      ? el("span", { class: "faint" }, `and ${count(attempts.length - MOST_RUNS)} more`)
      : null,
  );
}

function same(groups, attempts) {
  if (!groups.length || attempts.length < 2) return null;
  const words = groups[0].runs.length === attempts.length
    ? "All runs gave the same output."
    : "All runs that answered gave the same output.";
  return el("p", { class: "faint" }, words);
}

/** A column for each distinct output, the most frequent first. */
function sideBySide(groups, attempts, others) {
  const byRun = new Map(attempts.map((attempt) => [attempt.run, attempt]));
  const columns = groups.map((group, place) => {
    const first = byRun.get(group.runs[0]);
    const passed = group.runs.filter((run) => byRun.get(run)?.status === "passed").length;
    const look = passed === group.runs.length ? "passed" : passed ? "mixed" : "failed";
    return el(
      "article",
      { class: `variant ${look}`, "aria-label": `Output ${letter(place)}` },
      el(
        "header",
        {},
        el("span", { class: "variant-letter" }, letter(place)),
        el("span", {}, `${count(group.runs.length)} of ${amount(attempts.length, "run")}`),
        el("span", { class: "faint" }, named(group.runs)),
        el(
          "span",
          { class: "variant-outcome" },
          icon(passed === group.runs.length ? "passed" : "failed"),
          `${count(passed)} passed`,
        ),
      ),
      outputView(first?.output, group.html),
    );
  });
  return el(
    "div",
    {},
    el(
      "p",
      { class: "label" },
      `${amount(groups.length + others, "distinct output")}, side by side`,
    ),
    el(
      "div",
      { class: "variants", tabindex: "0", role: "group", "aria-label": "Distinct outputs" },
      columns,
    ),
    others
      ? el(
        "p",
        { class: "faint" },
        `${amount(others, "other output")} not shown here: choose its run above.`,
      )
      : null,
  );
}

function named(runs) {
  const words = runs.slice(0, MOST_NAMED).map(count).join(", ");
  return `run${runs.length > 1 ? "s" : ""} ${words}${runs.length > MOST_NAMED ? ", …" : ""}`;
}

function letter(place) {
  return place < LETTERS.length ? LETTERS[place] : `#${place + 1}`;
}
