// The filters above the table.

import { announce, el, fill, icon, plain } from "./dom.js";
import { amount, CLASS_NAMES, CLASSES, count, STATUS_NAMES, STATUSES } from "./format.js";
import { counts } from "./header.js";
import { menu } from "./menu.js";
import { initial } from "./state.js";

const MOST_TAGS = 200;
const SORTS = [
  ["status", "Failures first"],
  ["order", "In the order of the run"],
  ["id", "Case"],
  ["duration", "Duration"],
  ["why", "Reason"],
  ["tags", "Tags"],
  ["rate", "Pass rate"],
  ["consistency", "Consistency"],
];

/** Fill the toolbar and keep it in step with the view. */
export function toolbar(view, store, menus) {
  const field = el("input", {
    id: "search",
    type: "search",
    placeholder: "Search input, output, error",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Search input, output and error",
    oninput: () => view.change({ query: field.value }),
  });
  const statuses = statusButtons(view, store);
  const grades = store.several ? gradeMenu(view, store) : null;
  const tags = store.tagCounts.size ? tagMenu(view, store) : null;
  const unasserted = store.summary.unasserted
    ? toggle(
      "Unasserted",
      store.summary.unasserted,
      "",
      () => view.change({ unasserted: !view.state.unasserted }),
    )
    : null;
  const group = store.suites.length > 1
    ? toggle("Group by suite", null, "", () => view.change({ grouped: !view.state.grouped }))
    : null;
  const fold = group ? toggle("Fold all suites", null, "", () => foldAll(view, store)) : null;
  const sort = sortField(view, store);
  const result = el("p", { class: "shown", id: "shown" });
  const clear = el("button", {
    type: "button",
    class: "quiet",
    id: "clear",
    onclick: () => reset(view),
  }, "Clear filters");
  fill(
    document.getElementById("toolbar"),
    el(
      "div",
      { class: "searching" },
      icon("search"),
      field,
      el("kbd", { "aria-hidden": "true" }, "/"),
    ),
    el(
      "div",
      { class: "filters", role: "group", "aria-label": "Filters" },
      [...statuses.values()],
      unasserted,
      grades,
      tags,
      group,
      fold,
    ),
    el("div", { class: "tools" }, sort, menus),
    el("div", { class: "outcome-line" }, result, clear),
  );
  view.listen(() => {
    const { state } = view;
    if (field.value !== state.query) field.value = state.query;
    for (const [status, button] of statuses) press(button, state.status.has(status));
    if (unasserted) press(unasserted, state.unasserted);
    if (group) press(group, state.grouped);
    if (fold) {
      fold.hidden = !state.grouped;
      press(fold, allFolded(view, store));
    }
    if (grades) mark(grades, "Stability", state.grade.size);
    if (tags) mark(tags, "Tags", state.tag.size);
    sort.querySelector("select").value = `${state.descending ? "-" : ""}${state.sort}`;
    const words = view.searching
      ? "Searching…"
      : view.filtered
      ? `${count(view.rows.length)} of ${amount(store.rows.length, "case")}`
      : amount(store.rows.length, "case");
    if (result.textContent !== words) {
      result.textContent = words;
      if (view.filtered) announce(words);
    }
    clear.hidden = !view.filtered;
  });
}

/** Leave the heads of all suites alone, or show the cases of all. */
function foldAll(view, store) {
  const all = allFolded(view, store) ? [] : store.suites.keys();
  return view.change({ folded: new Set(all) });
}

function allFolded(view, store) {
  return store.suites.every((_, number) => view.state.folded.has(number));
}

/** Take all filters off. */
export function reset(view) {
  const { status, tag, grade, unasserted, query } = initial();
  return view.change({ status, tag, grade, unasserted, query });
}

function statusButtons(view, store) {
  const by = counts(store.summary);
  const shown = STATUSES.filter((status) => by[status]);
  return new Map(
    shown.map((status) => [
      status,
      toggle(
        STATUS_NAMES[status],
        by[status],
        status,
        () => view.change({ status: flipped(view.state.status, status) }),
        icon(status),
      ),
    ]),
  );
}

function toggle(name, number, look, onclick, picture = null) {
  return el(
    "button",
    { type: "button", class: `chip ${look}`, "aria-pressed": "false", onclick },
    picture,
    name,
    number === null ? null : el("span", { class: "chip-count" }, count(number)),
  );
}

function gradeMenu(view, store) {
  return menu("Stability", () =>
    CLASSES.map((grade) => {
      const number = store.rows.filter((row) => row.runs?.grade === grade).length;
      return box(CLASS_NAMES[grade], number, view.state.grade.has(grade), () =>
        view.change({ grade: flipped(view.state.grade, grade) }));
    }));
}

function tagMenu(view, store) {
  return menu("Tags", () => {
    const all = [...store.tagCounts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const list = el("div", { class: "boxes" });
    const show = (part) => {
      const found = all.filter(([tag]) => tag.toLowerCase().includes(part.toLowerCase()));
      fill(
        list,
        found.slice(0, MOST_TAGS).map(([tag, number]) =>
          box(
            tag,
            number,
            view.state.tag.has(tag),
            () => view.change({ tag: flipped(view.state.tag, tag) }),
          )
        ),
        found.length > MOST_TAGS
          ? el(
            "p",
            { class: "faint" },
            `${count(found.length - MOST_TAGS)} more: type to find them`,
          )
          : null,
      );
    };
    const field = el("input", {
      type: "search",
      placeholder: "Find a tag",
      "aria-label": "Find a tag",
      oninput: () => show(field.value),
    });
    show("");
    return all.length > 8 ? [field, list] : [list];
  });
}

function box(name, number, checked, onchange) {
  const input = el("input", { type: "checkbox", onchange });
  input.checked = checked;
  return el(
    "label",
    { class: "box" },
    input,
    el("bdi", { text: name, title: plain(name) }),
    el("span", { class: "faint" }, count(number)),
  );
}

function sortField(view, store) {
  const shown = SORTS.filter(([key]) => store.several || (key !== "rate" && key !== "consistency"));
  const options = shown.flatMap(([key, name]) =>
    key === "status" || key === "order"
      ? [
        el("option", { value: key }, name),
        el("option", { value: `-${key}` }, `${name}, reversed`),
      ]
      : [
        el("option", { value: key }, `${name}, rising`),
        el("option", { value: `-${key}` }, `${name}, falling`),
      ]
  );
  const select = el("select", {
    onchange: () =>
      view.change({
        sort: select.value.replace(/^-/, ""),
        descending: select.value.startsWith("-"),
      }),
  });
  select.append(...options);
  return el("label", { class: "sort" }, el("span", {}, "Sort"), select);
}

function flipped(set, value) {
  const changed = new Set(set);
  if (!changed.delete(value)) changed.add(value);
  return changed;
}

function press(button, pressed) {
  button.setAttribute("aria-pressed", String(pressed));
}

function mark(holder, name, number) {
  const summary = holder.querySelector("summary");
  summary.textContent = number ? `${name} (${count(number)})` : name;
  summary.classList.toggle("active", number > 0);
}
