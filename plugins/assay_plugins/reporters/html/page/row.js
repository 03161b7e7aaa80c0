// One row of the table, and the row of a suite.

import { el, icon, plain } from "./dom.js";
import { amount, CLASS_NAMES, count, duration, percent, ratio, STATUS_NAMES } from "./format.js";
import { bar, counts } from "./header.js";

const MOST_TAGS = 6;

/** The row of a result. `active` rows can be reached by the tab key. */
export function resultRow(row, { active, open, several, suite }) {
  const id = plain(row.id);
  return el(
    "div",
    {
      class: `row ${row.status}${open ? " open" : ""}${active ? " active" : ""}`,
      role: "row",
      "data-n": String(row.n),
    },
    el("div", { class: "cell status", role: "cell" }, status(row.status)),
    el(
      "div",
      { class: "cell id", role: "cell" },
      el("a", {
        href: `#case=${row.n + 1}`,
        class: "name",
        tabindex: active ? "0" : "-1",
        title: id,
        dir: "auto",
        text: row.id || "(empty)",
      }),
      suite ? el("span", { class: "of-suite faint", dir: "auto", text: suite }) : null,
    ),
    el("div", { class: "cell why", role: "cell", dir: "auto", title: plain(row.why) }, why(row)),
    el("div", { class: "cell tags", role: "cell" }, tags(row.tags)),
    several ? rate(row) : null,
    several
      ? el(
        "div",
        { class: "cell consistency figure", role: "cell" },
        row.runs ? ratio(row.runs.consistency) : "",
      )
      : null,
    el(
      "div",
      { class: "cell duration figure", role: "cell" },
      row.status === "skipped" ? "" : duration(row.ms),
    ),
  );
}

/** A status with its picture. */
export function status(name) {
  return el("span", { class: `badge ${name}` }, icon(name), STATUS_NAMES[name]);
}

function why(row) {
  const notes = [];
  if (row.unasserted) notes.push(el("span", { class: "note-mark" }, "no check"));
  if (row.incomplete) notes.push(el("span", { class: "note-mark" }, "incomplete"));
  if (row.replayed) notes.push(el("span", { class: "note-mark" }, "replayed"));
  return [notes, el("span", { text: row.why })];
}

function tags(given) {
  const shown = given.slice(0, MOST_TAGS).map((tag) =>
    el("span", { class: "tag", dir: "auto", title: plain(tag), text: tag || "(empty)" })
  );
  if (given.length > MOST_TAGS) {
    shown.push(el("span", { class: "faint" }, `+${count(given.length - MOST_TAGS)}`));
  }
  return shown;
}

function rate(row) {
  if (!row.runs) return el("div", { class: "cell rate figure", role: "cell" });
  const { runs, passed, rate: value, low, high, grade } = row.runs;
  const tip = `${CLASS_NAMES[grade]}: ${count(passed)} of ${
    amount(runs, "run")
  } passed\n95% interval ${percent(low)} to ${percent(high)}`;
  return el(
    "div",
    { class: "cell rate figure", role: "cell", "data-tip": tip },
    el(
      "span",
      { class: `meter class-${grade}`, "aria-hidden": "true" },
      el("span", { css: { width: `${value}%` } }),
    ),
    percent(value),
  );
}

/** The row above the results of a suite: what it is and how it went. */
export function suiteRow(suite, summary, shown, { folded, filtered, onclick }) {
  const source = suite?.source ?? "(unknown suite)";
  const connector = suite?.connector ? ` (${suite.connector})` : "";
  const ran = summary ? summary.passed + summary.failed : 0;
  return el(
    "div",
    { class: "row suite", role: "row" },
    el(
      "div",
      { class: "cell suite-cell", role: "cell" },
      el(
        "button",
        { type: "button", "aria-expanded": String(!folded), onclick },
        icon(folded ? "down" : "up"),
        el("bdi", { class: "suite-name", text: source, title: plain(source) }),
      ),
      el("bdi", { class: "faint suite-agent", text: suite ? `${suite.agent_id}${connector}` : "" }),
      summary && summary.total ? bar(counts(summary), summary.total) : null,
      el(
        "span",
        { class: "suite-counts" },
        summary ? `${count(summary.passed)} of ${count(ran)} passed` : "",
        summary && summary.failed ? `, ${count(summary.failed)} failed` : "",
        summary && summary.skipped ? `, ${count(summary.skipped)} skipped` : "",
        filtered ? ` · ${count(shown)} shown` : "",
      ),
      ran ? el("strong", { class: "suite-rate" }, percent(summary.pass_rate)) : null,
    ),
  );
}
