// The top of the page: what was tested, how, and what came out.

import { el, icon, plain, quoted } from "./dom.js";
import { amount, count, duration, moment, percent, STATUS_NAMES } from "./format.js";
import { copyButton } from "./text.js";

/** Fill the head of the page. */
export function header(store) {
  const { start, summary } = store;
  const agent = summary.agent_id ??
    amount(new Set(store.suites.map((suite) => suite.agent_id)).size, "agent");
  const node = document.getElementById("head");
  node.append(
    el(
      "div",
      { class: "headline" },
      el("p", { class: "eyebrow" }, "Agent test report"),
      el("h1", { dir: "auto", title: plain(agent), text: agent }),
    ),
    el("div", { class: "overview" }, score(summary), facts(store)),
  );
  const notices = notes(start, summary, store);
  if (notices.length) node.append(el("ul", { class: "notices" }, notices));
  document.title = `${plain(agent).slice(0, 80)}: ${outcome(summary)}`;
}

/** How the cases ended, for the title of the page. */
function outcome(summary) {
  if (summary.total === 0) return "no cases";
  return summary.failed
    ? `${count(summary.failed)} of ${count(summary.total)} failed`
    : `${count(summary.passed)} passed`;
}

/** The cases by how they ended: failed ones without those that have a status of their own. */
export function counts(summary) {
  return {
    passed: summary.passed,
    failed: summary.failed - summary.errors - summary.timeouts,
    error: summary.errors,
    timeout: summary.timeouts,
    skipped: summary.skipped,
  };
}

function score(summary) {
  const by = counts(summary);
  const ran = summary.passed + summary.failed;
  const tiles = Object.keys(by)
    .filter((status) => by[status] || status === "passed" || status === "failed")
    .map((status) =>
      el(
        "li",
        { class: `tile ${status}` },
        el("span", { class: "tile-name" }, icon(status), STATUS_NAMES[status]),
        el("span", { class: "tile-count" }, count(by[status])),
      )
    );
  return el(
    "section",
    { class: "score", "aria-label": "Outcome" },
    el(
      "p",
      { class: "rate" },
      el("span", { class: "rate-figure" }, ran ? percent(summary.pass_rate) : "–"),
      el(
        "span",
        { class: "rate-words" },
        ran ? `passed, ${count(summary.passed)} of ${amount(ran, "case")} that ran` : "no case ran",
      ),
    ),
    bar(by, summary.total),
    el("ul", { class: "tiles" }, tiles),
    runs(summary),
  );
}

/** A bar of the statuses; the tiles below it say the same in words. */
export function bar(by, total) {
  const node = el("div", { class: "bar", "aria-hidden": "true" });
  for (const status of ["passed", "failed", "error", "timeout", "skipped"]) {
    if (!by[status]) continue;
    node.append(
      el("span", {
        class: `part ${status}`,
        css: { "flex-grow": String(by[status] / total) },
        "data-tip": `${STATUS_NAMES[status]}: ${count(by[status])} of ${count(total)}`,
      }),
    );
  }
  return node;
}

function runs(summary) {
  if (summary.total_runs <= summary.passed + summary.failed) return null;
  return el(
    "p",
    { class: "runs-line" },
    `${percent(summary.overall_pass_rate)} of ${amount(summary.total_runs, "run")} passed · `,
    `${count(summary.stable_cases)} stable, ${count(summary.unstable_cases)} unstable`,
  );
}

function facts(store) {
  const { start, summary } = store;
  const pairs = [];
  const add = (name, ...value) =>
    pairs.push(el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, value)));
  if (summary.connector) add("Connector", quoted(summary.connector));
  add(
    "Started",
    el(
      "time",
      { datetime: start.timestamp, title: plain(start.timestamp) },
      moment(start.timestamp),
    ),
  );
  add(
    "Took",
    duration(summary.duration_ms) +
      (start.parallel > 1 ? `, ${count(start.parallel)} at a time` : ""),
  );
  if (summary.runs_per_case > 1) add("Runs", `${count(summary.runs_per_case)} per case`);
  if (store.suites.length > 1) add("Suites", count(store.suites.length));
  else if (store.suites.length === 1) add("Suite", quoted(store.suites[0].source));
  const environments = new Map(
    store.suites.map((suite) => [JSON.stringify(suite.environment), suite]),
  );
  if (environments.size <= 1) add("Environment", ...environment(start.environment));
  add("Made by", quoted(`assay ${start.version}`.trim()));
  return el(
    "section",
    { class: "facts", "aria-label": "How it was run" },
    el("dl", {}, pairs),
    environments.size > 1 ? suites(store) : null,
    start.command ? command(start.command) : null,
  );
}

function environment(given) {
  const client =
    `client ${given.client_type} (${given.client_ip}), referer ${given.referer}, accept ${given.accept}`;
  const identity = given.identity ? `, identity decided by the ${given.identity}` : "";
  return [
    quoted(given.user_id),
    " in ",
    quoted(given.team_id),
    ", ",
    quoted(given.locale),
    el("span", { class: "faint detail-line", dir: "auto", text: client + identity }),
  ];
}

/** Suites whose environments differ. */
function suites(store) {
  const rows = store.suites.slice(0, 200).map((suite) =>
    el(
      "li",
      {},
      quoted(suite.source),
      el("span", { class: "faint" }, " as "),
      environment(suite.environment),
    )
  );
  return el(
    "details",
    { class: "more" },
    el("summary", {}, `Environment of each of ${amount(store.suites.length, "suite")}`),
    el("ul", {}, rows),
  );
}

function command(text) {
  return el(
    "div",
    { class: "command" },
    el("code", {
      dir: "ltr",
      tabindex: "0",
      role: "group",
      "aria-label": "Command that repeats the run",
      text,
    }),
    copyButton("Copy", text),
  );
}

function notes(start, summary, store) {
  const found = [];
  const add = (kind, ...words) => found.push(el("li", { class: `notice ${kind}` }, words));
  const records = new Set(store.suites.map((suite) => suite.info?.replayed).filter(Boolean));
  for (const record of records) {
    add(
      "warn",
      el("strong", {}, "Replayed. "),
      "Answers and their durations come from ",
      quoted(record),
    );
  }
  if (summary.stopped) add("bad", el("strong", {}, "Stopped early. "), quoted(summary.stopped));
  if (summary.unasserted) {
    const verb = summary.unasserted === 1 ? "has" : "have";
    add(
      "warn",
      `${amount(summary.unasserted, "case")} ${verb} no check: an answer of any kind passes.`,
    );
  }
  if (summary.skipped) add("", `${amount(summary.skipped, "case")} did not run.`);
  if (start.shard) {
    add("", "This is one part of a run: ", quoted(start.shard), ".");
  }
  if (start.deselected) {
    add("", `${amount(start.deselected, "case")} left out by filters of the run.`);
  }
  for (const suite of store.suites) {
    for (const note of suite.info?.notes ?? []) {
      if (found.length < 20) add("", el("strong", {}, quoted(suite.agent_id), ": "), quoted(note));
    }
  }
  return found;
}
