/// <reference lib="deno.unstable" />
// The worker of the engine "typescript": it speaks with assay, and a thread of it runs scripts.
//
// It is started with the root of the scripts as its argument. Requests come as JSON lines on the
// descriptor that ASSAY_SCRIPT_IN names, answers go out on ASSAY_SCRIPT_OUT. Deno opens a
// descriptor only for those who may do everything, so it starts with all rights, and gives up
// every one of them before the first script is loaded. Scripts have a thread of their own, which
// never had any but reading below the root, and which cannot get at the two descriptors. When
// requests end this thread ends the process, whatever the other one is doing.

type Source = { read(into: Uint8Array): Promise<number | null> };
type Sink = { writeSync(data: Uint8Array): number };

const RIGHTS = ["read", "write", "net", "env", "run", "ffi", "sys", "import"] as const;
const LINE_END = 10;

const root = Deno.args[0];
const requests: Source = descriptor("ASSAY_SCRIPT_IN", Deno.stdin, { read: true });
const answers: Sink = descriptor("ASSAY_SCRIPT_OUT", Deno.stdout, { read: false, write: true });
const scripts = await startScripts();
for (const name of RIGHTS) Deno.permissions.revokeSync({ name });
let waiting = 0;
scripts.onmessage = ({ data }) => answer(data);
await forwardRequests();
Deno.exit(waiting === 0 ? 0 : 1);

/** Open the descriptor whose number a variable tells, and take the variable away. */
function descriptor<T>(variable: string, standard: T, options: Deno.OpenOptions): T | Deno.FsFile {
  const number = Deno.env.get(variable) ?? "";
  Deno.env.delete(variable);
  // Where there are no private descriptors (Windows), assay speaks over stdin and stdout.
  return Number(number) < 2 ? standard : Deno.openSync(`/dev/fd/${number}`, options);
}

/** Start the thread of the scripts; gives the way to it once it has all its modules. */
async function startScripts(): Promise<MessagePort> {
  const rights = Object.fromEntries(RIGHTS.map((name) => [name, false]));
  const thread = new Worker(import.meta.resolve("./thread.ts"), {
    type: "module",
    name: "scripts",
    // The working directory is called by its real name, however the user named it.
    deno: { permissions: { ...rights, read: [root, Deno.realPathSync(root)] } },
  });
  thread.onerror = (event) => {
    // Deno has printed what it was.
    event.preventDefault();
    Deno.exit(1);
  };
  const { port1: ours, port2: theirs } = new MessageChannel();
  const ready = new Promise((resolve) => ours.onmessage = resolve);
  thread.postMessage({ root, port: theirs }, [theirs]);
  await ready;
  return ours;
}

/** Hand each line of the requests on, until they end. */
async function forwardRequests(): Promise<void> {
  const buffer = new Uint8Array(256 * 1024);
  let pieces: Uint8Array[] = [];
  for (;;) {
    const size = await requests.read(buffer);
    if (size === null) return;
    let rest = buffer.subarray(0, size);
    for (let end = rest.indexOf(LINE_END); end >= 0; end = rest.indexOf(LINE_END)) {
      const line = joined([...pieces, rest.subarray(0, end)]);
      waiting += 1;
      scripts.postMessage(line, [line.buffer]);
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest.slice());
  }
}

function joined(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function answer(line: Uint8Array): void {
  // Before the answer is out: whoever has it may end the requests at once.
  waiting -= 1;
  try {
    for (let at = 0; at < line.length;) at += answers.writeSync(line.subarray(at));
  } catch {
    // Nobody listens any more.
    Deno.exit(1);
  }
}
