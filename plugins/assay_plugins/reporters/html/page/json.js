// JSON that keeps what JavaScript's numbers cannot hold, and that any depth can be read from.

const EXACT_DIGITS = 15;

/** A number whose digits JavaScript would change. */
export class Digits {
  constructor(source) {
    this.source = source;
  }
}

/** Read JSON text; numbers that would change become `Digits`, where the browser can tell. */
export function parse(text) {
  try {
    return JSON.parse(
      text,
      (_key, value, context) =>
        typeof value === "number" && isChanged(value, context?.source)
          ? new Digits(context.source)
          : value,
    );
  } catch (error) {
    // Very deep values are read, but not with a function that looks at each part.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** Whether a number has other digits than its text: `1.0` read as 1 has not. */
function isChanged(value, source) {
  if (source === undefined || source.length <= EXACT_DIGITS || String(value) === source) {
    return false;
  }
  return !Number.isFinite(value) || source.replace(/e.*|\D/gi, "").length > EXACT_DIGITS;
}

/** Read a text that may be JSON, or hold it as its one fenced block: `{ value }`, or null. */
export function parseMaybe(text) {
  const trimmed = text.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n```$/i.exec(trimmed);
  const body = fenced ? fenced[1].trim() : trimmed;
  if (!/^[[{]/.test(body) || body.length > 2_000_000) return null;
  try {
    return { value: parse(body) };
  } catch {
    return null;
  }
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Digits);
}

const OPEN = 0;
const CLOSE = 1;

/**
 * Write a value as JSON text, without recursion.
 *
 * `indent` spaces a level; 0 writes one line. Levels below `deepest` become an ellipsis.
 */
export function stringify(root, indent = 0, deepest = Infinity) {
  const out = [];
  const stack = [[OPEN, root, 0, "", ""]];
  const pad = (level) => (indent ? `\n${" ".repeat(indent * level)}` : "");
  while (stack.length) {
    const [step, value, level, before, after] = stack.pop();
    if (step === CLOSE) {
      out.push(value);
      continue;
    }
    const listed = Array.isArray(value);
    const entries = listed ? value : isObject(value) ? Object.entries(value) : null;
    if (entries === null) {
      out.push(before, value instanceof Digits ? value.source : JSON.stringify(value), after);
    } else if (entries.length === 0) {
      out.push(before, listed ? "[]" : "{}", after);
    } else if (level >= deepest) {
      out.push(before, listed ? "[…]" : "{…}", after);
    } else {
      out.push(before, listed ? "[" : "{");
      stack.push([CLOSE, `${pad(level)}${listed ? "]" : "}"}${after}`]);
      for (let place = entries.length - 1; place >= 0; place -= 1) {
        const [key, item] = listed ? [null, entries[place]] : entries[place];
        const name = listed ? "" : `${JSON.stringify(key)}: `;
        const comma = place === entries.length - 1 ? "" : indent ? "," : ", ";
        stack.push([OPEN, item, level + 1, `${pad(level + 1)}${name}`, comma]);
      }
    }
  }
  return out.join("");
}

/** A value as text: text as it is, anything else as indented JSON. */
export function asText(value) {
  return typeof value === "string" ? value : stringify(value, 2, 100);
}
