// The JSON of a result, read for showing: its attempts, and what was said in each.

import { isObject, parse, stringify } from "./json.js";

/** A result with its attempts, of what the store has of it. */
export function readResult({ line, extra }) {
  const result = parse(line);
  return { line, extra, result, attempts: attemptsOf(result) };
}

function attemptsOf(result) {
  if (Array.isArray(result.run_details)) return result.run_details;
  return result.status === "skipped" ? [] : [{ ...result, run: 1 }];
}

/** The run that stands for a case: the first that has its status. */
export function shownRun(result, attempts) {
  const found = attempts.findIndex((attempt) => attempt.status === result.status);
  return found < 0 ? 0 : found;
}

/** The messages of a case's input, as they were sent. */
export function inputMessages(result) {
  const given = result.case?.messages ?? result.input;
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given.filter(isObject);
  return isObject(given) ? [given] : [{ role: "user", content: String(given) }];
}

/** The exchanges of an attempt: what was asked, beyond what came before, and what was answered. */
export function exchanges(attempt, result) {
  const entries = attempt.exchanges ?? [attempt];
  let before = [];
  let said = "";
  return entries.map((entry, place) => {
    const asked = entry.request?.messages ?? inputMessages(result);
    let known = place > 0 && startsWith(asked, before) ? before.length : 0;
    if (known > 0 && repeats(asked[known], said)) known += 1;
    before = asked;
    said = answerText(entry.response, attempt.output);
    return {
      messages: asked.slice(known),
      response: entry.response ?? null,
      text: said,
      request: entry.request ?? null,
      chat: entry.chat_id ?? null,
    };
  });
}

/** The text of an answer; it is left out of the JSON where the output says it. */
function answerText(response, output) {
  if (!response) return "";
  if (typeof response.text === "string") return response.text;
  if (response.structured || "data" in response) return "";
  return typeof output === "string" ? output : "";
}

/** Whether a message is the answer that was shown just before it. */
function repeats(message, said) {
  return message?.role === "assistant" && message.content === said && !message.tool_calls?.length;
}

function startsWith(messages, start) {
  return start.every((message, place) => stringify(message) === stringify(messages[place] ?? null));
}

/** The case as it was written, as one line of a case file. */
export function caseLine({ result, extra }) {
  const written = Object.create(null);
  for (const key of extra.keys) {
    if (result.extra && key in result.extra) written[key] = result.extra[key];
    else if (key in result) written[key] = result[key];
  }
  return stringify({ ...written });
}
