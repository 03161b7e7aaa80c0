// What is JSON, and what is not.

type Flaw = { path: string; what: string };

/** Give the path and the reason of what is not JSON in a value; undefined when all of it is. */
export function flaw(value: unknown): Flaw | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return { path: "", what: `is ${value}` };
  }
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    return { path: "", what: `is a ${typeof value}` };
  }
  if (typeof value !== "object" || value === null) return undefined;
  if ("toJSON" in value && typeof value.toJSON === "function") return undefined;
  if (Array.isArray(value)) return flawOfParts(value.entries(), (index) => `[${index}]`);
  // Maps, sets, promises and the like would silently become an empty object.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== "Object") {
    return /^(Boolean|Number|String)$/.test(kind) ? undefined : { path: "", what: `is a ${kind}` };
  }
  return flawOfParts(Object.entries(value).values(), (key) => `.${key}`);
}

function flawOfParts<K>(
  parts: Iterable<[K, unknown]>,
  step: (key: K) => string,
): Flaw | undefined {
  for (const [key, part] of parts) {
    const found = flaw(part);
    if (found !== undefined) return { path: step(key) + found.path, what: found.what };
  }
  return undefined;
}
