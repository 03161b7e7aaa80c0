// What the Yao server gives to scripts as globals: https://yaoapps.com, gou's runtime/v8.

const NOT_HERE = [
  "$L",
  "All",
  "Any",
  "Authorized",
  "Eval",
  "FS",
  "http",
  "Job",
  "MCP",
  "Plan",
  "Process",
  "Query",
  "Race",
  "Require",
  "Robot",
  "robot",
  "Sandbox",
  "sandbox",
  "Store",
  "Studio",
  "Trace",
  "Use",
  "workspace",
];

const LOG_LEVELS = ["Trace", "Debug", "Info", "Warn", "Error", "Fatal", "Panic"];

/**
 * Put something in the place of each of the server's globals.
 *
 * What needs no server works: `Exception`, `log` (which prints), `time.Sleep`. Whoever uses one of
 * the others gets an error that names it. A script may put something of its own in their place.
 */
export function standInForServer(): void {
  const globals: Record<string, unknown> = { Exception, log: log(), time: time() };
  for (const name of NOT_HERE) globals[name] = absent(name);
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

/** Make something whose every use is an error that says why it does not work. */
function absent(name: string): unknown {
  const refuse = (): never => {
    throw new ReferenceError(
      `${name} is a global of the Yao server, which is not there in assay's worker`,
    );
  };
  // A function, so that it can be called and constructed at all.
  return new Proxy(function () {}, {
    apply: refuse,
    construct: refuse,
    // Symbols are asked for by whoever prints or compares it.
    get: (_, key) => typeof key === "symbol" ? undefined : refuse(),
    set: refuse,
  });
}

function Exception(message: unknown, code: unknown = 500): Error {
  const error = Object.assign(new Error(String(message)), { code });
  error.name = `Exception|${code}`;
  return error;
}

function log(): Record<string, unknown> {
  const print = (form: unknown, ...values: unknown[]): null => {
    console.error(typeof form === "string" ? form.replaceAll("%v", "%o") : form, ...values);
    return null;
  };
  return Object.fromEntries(LOG_LEVELS.map((level) => [level, print]));
}

function time(): Record<string, unknown> {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const sleep = (milliseconds: number): null => {
    Atomics.wait(cell, 0, 0, milliseconds);
    return null;
  };
  return { Sleep: sleep, After: absent("time.After") };
}
