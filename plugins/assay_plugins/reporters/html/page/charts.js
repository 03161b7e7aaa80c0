// Pictures of the run, as SVG. Each says in words what it shows; none is made for nothing.

import { el, svg } from "./dom.js";
import { amount, CLASS_NAMES, CLASSES, count, duration, percent, STATUS_NAMES } from "./format.js";
import { figure } from "./figure.js";
import { rates, spreads } from "./forest.js";
import { counts } from "./header.js";

const WIDTH = 360;
const BINS = 30;
const MOST_TICKS = 6;

/** Fill the part of the charts; it stays hidden when there is nothing to see. */
export function charts(store, actions) {
  const made = [
    statuses(store, actions),
    durations(store),
    stability(store, actions),
    rates(store, actions),
    spreads(store, actions),
  ].filter((chart) => chart !== null);
  const section = document.getElementById("charts");
  section.hidden = made.length === 0;
  section.querySelector(".chart-grid").replaceChildren(...made);
}

/** Horizontal bars: `[name, value, class, onclick]` each. */
function bars(entries, total, kind) {
  const gap = 25;
  const most = Math.max(...entries.map(([, value]) => value));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${entries.length * gap}`, class: "bars" });
  entries.forEach(([name, value, look, onclick], place) => {
    const width = Math.max(value ? 2 : 0, (value / most) * (WIDTH - 190));
    const share = percent((100 * value) / total);
    picture.append(
      svg(
        "g",
        {
          transform: `translate(0 ${place * gap})`,
          "data-tip": `${name}: ${amount(value, kind)} (${share})`,
          class: "mark",
          onclick,
        },
        svg("rect", { class: "hit", width: WIDTH, height: gap }),
        svg("text", { x: 0, y: 17 }, name),
        svg("rect", { class: `fill ${look}`, x: 112, y: 4.5, width, height: 16, rx: 3 }),
        svg("text", { class: "figure", x: 120 + width, y: 17 }, `${count(value)} · ${share}`),
      ),
    );
  });
  return picture;
}

function statuses(store, actions) {
  const by = counts(store.summary);
  const entries = Object.entries(by).filter(([, value]) => value);
  if (entries.length < 2) return null;
  const words = entries.map(([status, value]) =>
    `${count(value)} ${STATUS_NAMES[status].toLowerCase()}`
  ).join(", ");
  const shown = entries.map(([status, value]) => [
    STATUS_NAMES[status],
    value,
    status,
    () => actions.only({ status: new Set([status]) }),
  ]);
  return figure(
    "Status",
    `Status of ${amount(store.summary.total, "case")}: ${words}.`,
    bars(shown, store.summary.total, "case"),
  );
}

function stability(store, actions) {
  if (!store.several) return null;
  const by = new Map(CLASSES.map((grade) => [grade, 0]));
  for (const row of store.rows) if (row.runs) by.set(row.runs.grade, by.get(row.runs.grade) + 1);
  const total = [...by.values()].reduce((sum, value) => sum + value, 0);
  if (total < 2) return null;
  const words = [...by].map(([grade, value]) =>
    `${count(value)} ${CLASS_NAMES[grade].toLowerCase()}`
  ).join(", ");
  const shown = [...by].map(([grade, value]) => [
    CLASS_NAMES[grade],
    value,
    `class-${grade}`,
    () => actions.only({ grade: new Set([grade]) }),
  ]);
  return figure(
    "Stability",
    `Stability of ${amount(total, "case")}: ${words}.`,
    bars(shown, total, "case"),
  );
}

function durations(store) {
  const times = store.rows.filter((row) => row.status !== "skipped").map((row) => row.ms);
  times.sort((a, b) => a - b);
  const longest = times.at(-1);
  if (times.length < 5 || times[0] === longest) return null;
  const at = (share) => times[Math.min(times.length - 1, Math.ceil(share * times.length) - 1)];
  const words =
    `Durations of ${amount(times.length, "case")}: half took up to ${duration(at(0.5))}, ` +
    `95 percent up to ${duration(at(0.95))}, the longest ${duration(longest)}.`;
  return figure(
    "Duration",
    words,
    histogram(times),
    el(
      "p",
      { class: "chart-note" },
      `Median ${duration(at(0.5))} · 95% within ${duration(at(0.95))} · longest ${
        duration(longest)
      }`,
    ),
  );
}

/** How many cases took how long. Durations differ by factors, so each bar spans the same factor. */
function histogram(times) {
  const [height, base] = [124, 102];
  const least = Math.max(1, times[0]);
  const span = Math.log(Math.max(times.at(-1), least + 1) / least);
  const place = (ms) => Math.log(Math.max(ms, least) / least) / span;
  const bins = new Array(BINS).fill(0);
  for (const time of times) bins[Math.min(BINS - 1, Math.floor(place(time) * BINS))] += 1;
  const most = Math.max(...bins);
  const width = WIDTH / BINS;
  const edge = (number) => duration(Math.round(least * Math.exp((span * number) / BINS)));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "histogram" });
  bins.forEach((value, number) => {
    const tall = value ? Math.max(2, (value / most) * (base - 8)) : 0;
    const x = number * width;
    picture.append(
      svg(
        "g",
        {
          "data-tip": `${edge(number)} to ${edge(number + 1)}: ${amount(value, "case")}`,
          class: "mark",
        },
        svg("rect", { class: "hit", x, y: 0, width, height: base }),
        svg("rect", {
          class: "fill",
          x: x + 1,
          y: base - tall,
          width: width - 2,
          height: tall,
          rx: 2,
        }),
      ),
    );
  });
  picture.append(svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: base + 0.5, y2: base + 0.5 }));
  for (const ms of ticks(least, times.at(-1))) {
    const x = place(ms) * WIDTH;
    const anchor = x < 24 ? "start" : x > WIDTH - 24 ? "end" : "middle";
    picture.append(
      svg("line", { class: "axis", x1: x, x2: x, y1: base, y2: base + 4 }),
      svg("text", { class: "figure", x, y: height - 4, "text-anchor": anchor }, duration(ms)),
    );
  }
  return picture;
}

/** Round durations between two, a few of them. */
function ticks(least, longest) {
  const coarse = roundTimes(least, longest, [1, 2, 5]);
  const all = coarse.length > 2 ? coarse : roundTimes(least, longest, [1, 1.5, 2, 3, 4, 5, 6, 8]);
  const every = Math.ceil(all.length / MOST_TICKS);
  return all.filter((_tick, number) => number % every === 0);
}

function roundTimes(least, longest, factors) {
  const found = [];
  for (let power = 1; power <= longest; power *= 10) {
    found.push(...factors.map((factor) => factor * power));
  }
  return found.filter((ms) => ms >= least && ms <= longest);
}
