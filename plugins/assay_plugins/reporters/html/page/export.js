// The filtered results as files: CSV, JSON, JSON lines, Markdown.

import { plain } from "./dom.js";
import { CLASS_NAMES, duration, percent, STATUS_NAMES } from "./format.js";
import { asText, parse, stringify } from "./json.js";
import { inputMessages } from "./result.js";

const COLUMNS_OF_CSV = [
  "suite",
  "id",
  "status",
  "duration_ms",
  "runs",
  "passed",
  "pass_rate",
  "consistency",
  "stability_class",
  "tags",
  "reason",
  "input",
  "output",
  "error",
  "replayed",
];
const MOST_FENCED = 20_000;

/** The formats: name, suffix, type, and what gives their pieces. */
export const FORMATS = [
  { name: "CSV", suffix: "csv", type: "text/csv", pieces: csv },
  { name: "JSON", suffix: "json", type: "application/json", pieces: json },
  { name: "JSON lines", suffix: "jsonl", type: "application/x-ndjson", pieces: jsonLines },
  { name: "Markdown", suffix: "md", type: "text/markdown", pieces: markdownPage },
];

/** Give the pieces of rows in a format, reading their details one by one. */
export async function collect(format, rows, store, progress) {
  const pieces = [];
  for await (const piece of format.pieces(rows, store)) {
    pieces.push(piece);
    if (pieces.length % 500 === 0) await progress(pieces.length);
  }
  return pieces;
}

async function* csv(rows, store) {
  // The mark in front tells spreadsheets that this is UTF-8.
  yield `\ufeff${COLUMNS_OF_CSV.join(",")}\r\n`;
  for (const row of rows) {
    const result = parse((await store.details(row.n)).line);
    const values = {
      ...result,
      tags: row.tags.join(" "),
      reason: row.why,
      input: inputText(result),
      output: "output" in result ? asText(result.output) : undefined,
    };
    yield `${COLUMNS_OF_CSV.map((column) => csvField(values[column])).join(",")}\r\n`;
  }
}

/** A field that no spreadsheet takes for a formula. */
function csvField(value) {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return String(value);
  const text = plain(typeof value === "string" ? value : stringify(value));
  const safe = /^[\s]*[=+\-@]|^[\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

async function* json(rows, store) {
  yield "[";
  let separator = "\n";
  for (const row of rows) {
    yield separator + (await store.details(row.n)).line;
    separator = ",\n";
  }
  yield separator === "\n" ? "]\n" : "\n]\n";
}

async function* jsonLines(rows, store) {
  for (const row of rows) yield `${(await store.details(row.n)).line}\n`;
}

async function* markdownPage(rows, store) {
  const several = store.several;
  yield `# Results of ${cell(store.summary.agent_id ?? "several agents")}\n\n`;
  yield `| Case | Status | Duration |${several ? " Pass rate | Class |" : ""} Reason |\n`;
  yield `| --- | --- | --- |${several ? " --- | --- |" : ""} --- |\n`;
  for (const row of rows) {
    const runs = row.runs
      ? ` ${percent(row.runs.rate)} | ${CLASS_NAMES[row.runs.grade]} |`
      : " | |";
    const mark = row.replayed ? ", replayed" : "";
    const time = row.status === "skipped" ? "" : duration(row.ms) + mark;
    yield `| ${cell(row.id)} | ${STATUS_NAMES[row.status]} | ${time} |${several ? runs : ""} ${
      cell(row.why)
    } |\n`;
  }
  for (const row of rows) {
    if (row.status === "passed" || row.status === "skipped") continue;
    const result = parse((await store.details(row.n)).line);
    yield `\n## ${cell(row.id)}: ${STATUS_NAMES[row.status]}\n\n${cell(row.why)}\n`;
    yield `\n**Input**\n\n${fence(inputText(result))}`;
    if ("output" in result) yield `\n**Output**\n\n${fence(asText(result.output))}`;
    for (const check of result.assertions ?? []) {
      if (!check.passed) {
        yield `\n- ${cell(check.type)}: ${cell(check.error ?? check.message ?? "")}\n`;
      }
    }
  }
}

/** The input as text: a line per message where there are several. */
function inputText(result) {
  if (typeof result.input === "string") return result.input;
  const messages = inputMessages(result);
  return messages.map((message) => `${message.role ?? "user"}: ${content(message.content)}`).join(
    "\n",
  );
}

function content(value) {
  return value === undefined || value === null ? "" : asText(value);
}

/** Text that stays text inside a line or a cell of Markdown. */
function cell(text) {
  const line = plain(text).replace(/\s+/g, " ").trim();
  return line.replace(
    /[\\`*_[\]<>#|~&$!(){}:@+=-]/g,
    (sign) => (/[:@+=(){}!-]/.test(sign) ? sign : `\\${sign}`),
  );
}

/** A fenced block that nothing in it can close. */
function fence(text) {
  const safe = plain(text.slice(0, MOST_FENCED));
  const longest = Math.max(2, ...(safe.match(/`{3,}/g) ?? []).map((ticks) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  const cut = text.length > MOST_FENCED ? `\n*Cut after ${MOST_FENCED} characters.*\n` : "";
  return `${ticks}text\n${safe}${safe.endsWith("\n") ? "" : "\n"}${ticks}\n${cut}`;
}
