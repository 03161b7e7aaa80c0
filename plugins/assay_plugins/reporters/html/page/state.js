// What is shown, as the address's fragment has it: a view can be sent to somebody.

import { CLASSES, STATUSES } from "./format.js";

export const COLUMNS = ["order", "status", "id", "why", "tags", "duration", "rate", "consistency"];

/** The view of a page that was opened without a fragment. */
export function initial() {
  return {
    status: new Set(),
    tag: new Set(),
    grade: new Set(),
    unasserted: false,
    query: "",
    sort: "status",
    descending: false,
    grouped: true,
    folded: new Set(),
    open: null,
    run: null,
  };
}

/** Read a fragment; what it does not say, or says wrongly, is as in `initial`. */
export function read(fragment) {
  const state = initial();
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  state.status = known(given.get("status"), STATUSES);
  state.grade = known(given.get("class"), CLASSES);
  state.tag = new Set(given.getAll("tag"));
  state.unasserted = given.get("unasserted") === "1";
  state.query = given.get("q") ?? "";
  const sort = given.get("sort") ?? "";
  if (COLUMNS.includes(sort.replace(/^-/, ""))) {
    state.sort = sort.replace(/^-/, "");
    state.descending = sort.startsWith("-");
  }
  state.grouped = given.get("group") !== "off";
  state.folded = new Set(numbers(given.get("fold")));
  state.open = numbers(given.get("case")).map((number) => number - 1)[0] ?? null;
  state.run = numbers(given.get("run"))[0] ?? null;
  return state;
}

/** Write a view as a fragment; empty for the initial one. */
export function write(state) {
  const said = new URLSearchParams();
  if (state.status.size) {
    said.set(
      "status",
      STATUSES.filter((one) => state.status.has(one)).join(","),
    );
  }
  if (state.grade.size) said.set("class", CLASSES.filter((one) => state.grade.has(one)).join(","));
  for (const tag of state.tag) said.append("tag", tag);
  if (state.unasserted) said.set("unasserted", "1");
  if (state.query) said.set("q", state.query);
  if (state.sort !== "status" || state.descending) {
    said.set("sort", (state.descending ? "-" : "") + state.sort);
  }
  if (!state.grouped) said.set("group", "off");
  if (state.folded.size) said.set("fold", [...state.folded].sort((a, b) => a - b).join(","));
  if (state.open !== null) said.set("case", String(state.open + 1));
  if (state.open !== null && state.run !== null) said.set("run", String(state.run));
  const text = said.toString().replaceAll("%2C", ",");
  return text ? `#${text}` : "";
}

/** Whether anything is left out of the table. */
export function isFiltered(state) {
  return Boolean(
    state.status.size || state.tag.size || state.grade.size || state.unasserted || state.query,
  );
}

function known(text, words) {
  return new Set((text ?? "").split(",").filter((word) => words.includes(word)));
}

function numbers(text) {
  return (text ?? "")
    .split(",")
    .filter((part) => /^\d{1,9}$/.test(part))
    .map(Number);
}
