/// <reference lib="deno.worker" />
// The thread that runs scripts, one call at a time. It may read below the root, and nothing else.

import process from "node:process";
import { Readable } from "node:stream";
import { loadScript, useRoot } from "./modules.ts";
import { standInForServer } from "./server.ts";
import { Failure, told } from "./told.ts";
import { flaw } from "./values.ts";

// Scripts may replace what everybody can reach.
const { parse, stringify } = JSON;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { chdir } = Deno;

type Request = { id: unknown; file: string; name: string; args: unknown[] };

addEventListener("message", (event) => begin(event.data.root, event.data.port), { once: true });

function begin(root: string, port: MessagePort): void {
  useRoot(root);
  standInForServer();
  keepOffStandardStreams();
  keepAlive();
  const send = port.postMessage.bind(port);
  let queue = Promise.resolve();
  port.onmessage = ({ data }) => {
    queue = queue.then(async () => {
      const line = encoder.encode(await answer(data, root) + "\n");
      send(line, [line.buffer]);
    });
  };
  send("ready");
}

/** Carry a request out, and give the line that answers it. */
async function answer(line: Uint8Array, root: string): Promise<string> {
  let id: unknown = null;
  try {
    const request = read(line);
    id = request.id;
    standIn(root);
    const run = await loadScript(request.file, request.name);
    return encoded(id, await called(run, request));
  } catch (error) {
    const what = error instanceof Failure ? error.message : told(error);
    return stringify({ id, error: what });
  }
}

function read(line: Uint8Array): Request {
  try {
    const { id, file, function: name, arguments: args } = parse(decoder.decode(line));
    return { id, file: String(file), name: String(name), args: [...args] };
  } catch (error) {
    throw new Failure(`the request cannot be read: ${told(error)}`);
  }
}

async function called(run: (...args: unknown[]) => unknown, request: Request): Promise<unknown> {
  try {
    return await run(...request.args);
  } catch (error) {
    throw new Failure(told(error, request.file));
  }
}

function encoded(id: unknown, value: unknown): string {
  try {
    const found = flaw(value);
    // JSON has no undefined; a function that returns nothing returns null.
    if (found === undefined) return stringify({ id, value: value ?? null });
    throw new Failure(`its result is not JSON: $${found.path} ${found.what}`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof RangeError && error.message.includes("call stack")) {
      throw new Failure("its result is nested too deeply, or in itself");
    }
    throw new Failure(`its result is not JSON: ${told(error)}`);
  }
}

function standIn(root: string): void {
  try {
    // A script may have gone elsewhere.
    chdir(root);
  } catch {
    // The folder is gone; the script will say so if it matters.
  }
}

/** Keep scripts off stdin and stdout: where there is nothing else, assay speaks over them. */
function keepOffStandardStreams(): void {
  console.log = console.info = console.debug = console.error;
  console.dir = (value, options) => console.error(Deno.inspect(value, options));
  Object.defineProperty(Deno, "stdout", { value: Deno.stderr });
  // Asked for when it is used: not every version of Deno has it here.
  Object.defineProperty(process, "stdout", { get: () => process.stderr });
  const nothing = { read: () => Promise.resolve(null), readSync: () => null, close() {} };
  Object.defineProperty(Deno, "stdin", { value: nothing });
  Object.defineProperty(process, "stdin", { get: () => Readable.from([]) });
}

/** Turn what would end the thread, and leave a call without an answer, into something told. */
function keepAlive(): void {
  const refuse = (what: string) => (code?: unknown): never => {
    throw new Failure(`it called ${what}(${code ?? ""})`);
  };
  Deno.exit = refuse("Deno.exit");
  process.exit = refuse("process.exit");
  self.close = refuse("close");
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    console.error("Uncaught (in promise)", event.reason);
  });
  addEventListener("error", (event) => {
    event.preventDefault();
    console.error("Uncaught", event.error);
  });
}
