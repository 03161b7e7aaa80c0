// Charts of cases that ran several times: a line per case, those that need a look first.

import { el, plain, svg } from "./dom.js";
import { amount, count, duration, percent } from "./format.js";
import { figure } from "./figure.js";

const MOST = 8;
const WIDTH = 360;
const LEFT = 142;
const RIGHT = 302;
const GAP = 24;

/** The pass rate of each case with its interval. */
export function rates(store, actions) {
  const rows = store.rows.filter((row) => row.runs !== null);
  if (rows.length < 2 || rows.every((row) => row.runs.rate === 100)) return null;
  rows.sort((a, b) => a.runs.rate - b.runs.rate || a.n - b.n);
  const shown = rows.slice(0, MOST);
  const x = (rate) => LEFT + (rate / 100) * (RIGHT - LEFT);
  const picture = lines(shown, actions, ["0%", "50%", "100%"], ({ runs }) => ({
    tip: `${percent(runs.rate)}: ${count(runs.passed)} of ${
      amount(runs.runs, "run")
    } passed\n95% interval ${percent(runs.low)} to ${percent(runs.high)}`,
    from: x(runs.low),
    to: x(runs.high),
    at: x(runs.rate),
    figure: percent(runs.rate),
    look: runs.rate === 100 ? "passed" : "failed",
  }));
  const worst = shown.slice(0, 3).map((row) => `${row.id.slice(0, 60)} ${percent(row.runs.rate)}`);
  const words = `Pass rates of ${
    amount(rows.length, "case")
  } with 95 percent intervals; the lowest: ${worst.join(", ")}.`;
  return figure("Pass rate by case", words, picture, note(rows.length, "lowest"));
}

/** How much the durations of each case differ from run to run. */
export function spreads(store, actions) {
  const rows = store.rows.filter((row) =>
    row.runs !== null && row.runs.runs > 1 && row.runs.max > row.runs.min
  );
  if (rows.length < 2) return null;
  const spread = (row) => row.runs.max - row.runs.min;
  rows.sort((a, b) => spread(b) - spread(a) || a.n - b.n);
  const shown = rows.slice(0, MOST);
  const most = Math.max(...shown.map((row) => row.runs.max));
  const x = (ms) => LEFT + (ms / most) * (RIGHT - LEFT);
  const picture = lines(shown, actions, ["0", "", duration(most)], ({ runs }) => ({
    tip: `${duration(runs.min)} to ${duration(runs.max)}, on average ${
      duration(runs.avg)
    }\nstandard deviation ${duration(runs.deviation)}`,
    from: x(runs.min),
    to: x(runs.max),
    at: x(runs.avg),
    figure: duration(runs.avg),
    look: "time",
  }));
  const widest = shown.slice(0, 3).map((row) =>
    `${row.id.slice(0, 60)} ${duration(row.runs.min)} to ${duration(row.runs.max)}`
  );
  const words = `Shortest, average and longest duration over the runs of ${
    amount(rows.length, "case")
  }; the widest: ${widest.join(", ")}.`;
  return figure("Duration over runs", words, picture, note(rows.length, "widest"));
}

function lines(rows, actions, marks, measure) {
  const height = rows.length * GAP + 20;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "forest" });
  [LEFT, (LEFT + RIGHT) / 2, RIGHT].forEach((x, place) => {
    picture.append(
      svg("line", { class: "grid", x1: x, x2: x, y1: 0, y2: height - 18 }),
      svg("text", { class: "figure", x, y: height - 4, "text-anchor": "middle" }, marks[place]),
    );
  });
  rows.forEach((row, place) => {
    const { tip, from, to, at, figure: words, look } = measure(row);
    const y = place * GAP + GAP / 2;
    picture.append(
      svg(
        "g",
        {
          class: `mark ${look}`,
          "data-tip": `${plain(row.id)}\n${tip}`,
          onclick: () => actions.open(row.n),
        },
        svg("rect", { class: "hit", y: y - GAP / 2, width: WIDTH, height: GAP }),
        svg("text", { x: 0, y: y + 4 }, plain(short(row.id))),
        svg("line", { class: "range", x1: from, x2: Math.max(to, from + 1), y1: y, y2: y }),
        svg("circle", { class: "point", cx: at, cy: y, r: 4.5 }),
        svg("text", { class: "figure", x: WIDTH, y: y + 4, "text-anchor": "end" }, words),
      ),
    );
  });
  return picture;
}

/** An id that fits; its end tells as much as its beginning. */
function short(id) {
  const letters = [...id];
  return letters.length > 20
    ? `${letters.slice(0, 9).join("")}…${letters.slice(-10).join("")}`
    : id;
}

function note(total, which) {
  if (total <= MOST) return null;
  return el("p", { class: "chart-note" }, `The ${MOST} ${which} of ${amount(total, "case")}.`);
}
