// Numbers, durations and dates as the reader writes them.

const whole = new Intl.NumberFormat();
const oneDigit = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const twoDigits = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const STATUSES = ["failed", "error", "timeout", "passed", "skipped"];

export const STATUS_NAMES = {
  passed: "Passed",
  failed: "Failed",
  error: "Error",
  timeout: "Timeout",
  skipped: "Skipped",
};

export const CLASSES = ["stable", "mostly_stable", "unstable", "highly_unstable"];

export const CLASS_NAMES = {
  stable: "Stable",
  mostly_stable: "Mostly stable",
  unstable: "Unstable",
  highly_unstable: "Highly unstable",
};

export function count(value) {
  return whole.format(value);
}

/** "1 case", "2 cases". */
export function amount(value, word, plural = `${word}s`) {
  return `${whole.format(value)} ${value === 1 ? word : plural}`;
}

export function percent(value) {
  return `${value === 100 ? "100" : oneDigit.format(value)}%`;
}

export function ratio(value) {
  return twoDigits.format(value);
}

/** Milliseconds for people: "234 ms", "1.23 s", "1 min 30 s", "2 h 5 min". */
export function duration(ms) {
  if (ms < 1000) return `${short.format(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${short.format(seconds)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) {
    const rest = Math.round(seconds) % 60;
    return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
  }
  const rest = minutes % 60;
  return `${whole.format(Math.floor(minutes / 60))} h${rest ? ` ${rest} min` : ""}`;
}

/** A time in UTC, in the reader's zone and way of writing. */
export function moment(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : date.format(time);
}

export function size(characters) {
  if (characters < 1000) return amount(characters, "character");
  if (characters < 1_000_000) return `${short.format(characters / 1000)} thousand characters`;
  return `${short.format(characters / 1_000_000)} million characters`;
}
