// All that is known of one result.

import { runsView } from "./attempts.js";
import { checkList, later } from "./checks.js";
import { conversation, inputView } from "./conversation.js";
import { el, icon, quoted } from "./dom.js";
import { count, duration } from "./format.js";
import { caseLine, exchanges, shownRun } from "./result.js";
import { status } from "./row.js";
import { longText } from "./text.js";
import { tree } from "./tree.js";

/** Make the view of a result. `run` is the number of the run to show; `choose(run)` changes it. */
export function detail(read, row, store, { run, choose }) {
  const { result, attempts, extra } = read;
  const several = Array.isArray(result.run_details) && result.several !== false &&
    attempts.length > 0;
  const wanted = attempts.findIndex((attempt) => attempt.run === run);
  const place = wanted >= 0 ? wanted : shownRun(result, attempts);
  const attempt = attempts[place];
  const of = several && attempts.length > 1 ? ` of run ${attempt.run}` : "";
  return el(
    "div",
    { class: "detail" },
    summary(result, row, store),
    several ? runsView(read, place, choose) : null,
    attempt ? trouble(attempt, of) : null,
    attempt ? section(`Checks${of}`, checkList(attempt, place, extra, row.unasserted)) : null,
    attempt
      ? section(`Conversation${of}`, conversation(attempt, result, htmlOf(extra, attempt.run)))
      : section("Input", inputView(result)),
    attempt ? technical(attempt, result) : null,
    later("Case as written", () => tree(JSON.parse(caseLine(read))), {
      class: "more case-written",
    }),
  );
}

function section(name, ...content) {
  return el("section", { class: "block", "aria-label": name }, el("h3", {}, name), content);
}

function htmlOf(extra, run) {
  return (extra.outputs ?? []).find((group) => group.runs.includes(run))?.html ?? null;
}

/** Status, place and figures in a line or two, and why the case did not run. */
function summary(result, row, store) {
  const where = result.where
    ? `${result.where.file}${result.where.line ? `:${result.where.line}` : ""}`
    : result.suite;
  const suite = store.suites[row.suite];
  const facts = [
    row.status === "skipped" ? null : took(result),
    el("code", { class: "where", dir: "ltr", text: where }),
    store.suites.length > 1 && suite ? quoted(suite.agent_id) : null,
  ].filter((fact) => fact !== null);
  return el(
    "div",
    { class: "summary-line" },
    el("p", { class: "facts-line" }, status(row.status), facts),
    row.tags.length
      ? el(
        "p",
        { class: "tag-line" },
        row.tags.map((tag) => el("span", { class: "tag", dir: "auto", text: tag || "(empty)" })),
      )
      : null,
    result.reason
      ? el("p", { class: "callout" }, el("strong", {}, "Skipped: "), quoted(result.reason))
      : null,
    row.incomplete
      ? el(
        "p",
        { class: "callout" },
        "Incomplete: the run was stopped before all runs of the case were done.",
      )
      : null,
  );
}

/** How long an attempt or case took, with the mark of one that is replayed. */
function took(of) {
  return duration(of.duration_ms) + (of.replayed ? ", replayed" : "");
}

/** The error of an attempt, unless its failed checks tell it. */
function trouble(attempt, of) {
  const told = (attempt.assertions ?? []).some((check) => !check.passed);
  if (attempt.error === undefined || (told && attempt.status !== "timeout")) return null;
  return el(
    "section",
    { class: `callout bad ${attempt.status}`, "aria-label": `Error${of}` },
    el(
      "p",
      { class: "callout-title" },
      icon(attempt.status === "passed" ? "error" : attempt.status),
      `Error${of}`,
    ),
    longText(attempt.error, "Error"),
  );
}

/** Model, tokens, ids, notes: where they are known. */
function technical(attempt, result) {
  const rows = [];
  const add = (name, value) =>
    rows.push(el("div", {}, el("dt", { text: name }), el("dd", { dir: "auto" }, value)));
  const notes = [];
  for (const turn of exchanges(attempt, result)) {
    const response = turn.response ?? {};
    for (const note of response.notes ?? []) notes.push(note);
    if (response.model) add("Model", quoted(response.model));
    if (response.usage) add("Tokens", tokens(response.usage));
    if (response.finish_reason) add("Ended because", quoted(response.finish_reason));
    if (turn.request?.connector) add("Connector", quoted(turn.request.connector));
    if (turn.chat) add("Chat", el("code", { text: turn.chat }));
    for (const [name, id] of Object.entries(response.ids ?? {})) {
      add(`Id (${name})`, el("code", { text: id }));
    }
    if (response.unknown?.length) {
      add("Not visible", quoted(response.unknown.join(", ").replaceAll("_", " ")));
    }
  }
  return [
    notes.length
      ? section(
        "Notes",
        el(
          "ul",
          { class: "plain-list" },
          notes.map((note) => el("li", { text: note, dir: "auto" })),
        ),
      )
      : null,
    rows.length ? section("Answer", el("dl", { class: "figures" }, rows)) : null,
  ].filter((part) => part !== null);
}

function tokens(usage) {
  const parts = [
    [usage.prompt_tokens, "in"],
    [usage.completion_tokens, "out"],
    [usage.total_tokens, "in all"],
  ];
  return parts.filter(([value]) => value !== undefined).map(([value, name]) =>
    `${count(Number(value))} ${name}`
  ).join(", ");
}
