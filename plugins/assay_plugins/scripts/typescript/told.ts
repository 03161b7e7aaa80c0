// What is said of errors.

import { pathToFileURL } from "node:url";

const LONGEST = 4000;
// deno-lint-ignore no-control-regex
const COLOURS = /\x1b\[[0-9;]*m/g;
const HINT = /^Requires (.*), run again with the --allow-[\w-]+ flag$/s;
/** What an error of ours has become when it comes out of an import. */
const WITHIN = /^(\w*Error|NotCapable): (.*)$/s;
const PLACE = / at (file:\/\/\S+?):(\d+):\d+$/;

/** Why there is no result, as a sentence. */
export class Failure extends Error {}

/**
 * Say what an error says, and in which line of the user's file it came up.
 *
 * @param error Whatever was thrown.
 * @param file The user's file; without one no line is named.
 */
export function told(error: unknown, file?: string): string {
  const line = file === undefined ? undefined : lineIn(error, pathToFileURL(file).href);
  const what = cut(said(error));
  return line === undefined ? what : `${what} (line ${line})`;
}

function said(error: unknown): string {
  try {
    return saidPlainly(error);
  } catch {
    // The script's own getters and toString.
    return "an error whose message cannot be shown";
  }
}

function saidPlainly(error: unknown): string {
  if (error instanceof Failure) return error.message;
  if (!(error instanceof Error)) return `it threw ${shown(error)}`;
  let name = String(error.name);
  let text = String(error.message).replace(COLOURS, "");
  const within = name === "TypeError" ? WITHIN.exec(text) : null;
  if (within !== null) [, name, text] = within;
  const needs = HINT.exec(text);
  if (needs !== null) text = `it needs ${needs[1]}; scripts only read files below their root`;
  if (within !== null && name === "Error") return text;
  return text === "" ? name : `${name}: ${text}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : Deno.inspect(value, { depth: 2 });
}

export function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** Give the innermost line of a file that the error passed. */
function lineIn(error: unknown, url: string): string | undefined {
  for (const frame of stackOf(error).split("\n").slice(1)) {
    const at = frame.indexOf(`${url}:`);
    const line = at < 0 ? null : /^\d+/.exec(frame.slice(at + url.length + 1));
    if (line !== null) return line[0];
  }
  return undefined;
}

function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.stack) : "";
  } catch {
    return "";
  }
}

/**
 * Say why a file could not be loaded; the place that V8 names becomes a line.
 *
 * @param error What its import threw.
 * @param file The user's file.
 */
export function toldOfLoading(error: unknown, file: string): string {
  const text = cut(said(error));
  const place = PLACE.exec(text);
  if (place === null) return told(error, file);
  const what = text.slice(0, place.index);
  return place[1] === pathToFileURL(file).href
    ? `${what} (line ${place[2]})`
    : `${what} in ${place[1]}, line ${place[2]}`;
}
