// Tells which names a file binds at its top level or exports, without running it.
//
// The question comes as JSON on stdin, {"url": …, "text": …, "names": […]}; the answer goes to
// stdout: {"names": […], "anything": false}, or {"error": …, "line": …} when the file cannot be
// compiled. V8 is asked, which knows: it compiles a module before it looks for what the module
// imports, and refuses one that exports what it does not bind, or exports a name twice. Every
// import is refused here, so nothing is ever loaded or run.

import { registerHooks } from "node:module";
import { javaScript, withoutServer } from "./modules.ts";

const PLACE = / at (?:assay|file):\S+?:(\d+):\d+$/;
const STOP = "nothing is imported here";
/** It passes on the names of another file, which only loading that one would tell. */
const PASSES_ON = /^[ \t]*export\s*\*\s*from\b/m;

const { url, text, names } = JSON.parse(await new Response(Deno.stdin.readable).text());
let source = "";
let tries = 0;
registerHooks({
  resolve: (specifier, context) => {
    if (specifier.startsWith("assay:try")) return { url: specifier, shortCircuit: true };
    throw new Error(`${STOP}: ${specifier} by ${context.parentURL}`);
  },
  load: () => ({ format: "module", source, shortCircuit: true }),
});
console.log(JSON.stringify(await look()));
Deno.exit();

async function look(): Promise<unknown> {
  let code = withoutServer(text);
  try {
    if (url.endsWith(".ts")) code = javaScript(code, url);
  } catch (error) {
    return fault((error as Error).message);
  }
  const problem = await compiled(code);
  if (problem !== undefined) return fault(problem);
  const bound = [];
  for (const name of names) if (await binds(code, name)) bound.push(name);
  return { names: bound, anything: PASSES_ON.test(code) };
}

function fault(message: string): unknown {
  const place = PLACE.exec(message);
  if (place === null) return { error: message, line: null };
  return { error: message.slice(0, place.index), line: Number(place[1]) };
}

/** Whether a name is bound, or else exported: `export default`, `export { a as b }`. */
async function binds(code: string, name: string): Promise<boolean> {
  if (await compiled(`${code}\nexport { ${name} as assay_name };`) === undefined) return true;
  const twice = `${code}\nconst assay_name = 0; export { assay_name as ${name} };`;
  return (await compiled(twice))?.startsWith("Duplicate export") ?? false;
}

/** Compile a module; gives what is wrong with it. */
async function compiled(code: string): Promise<string | undefined> {
  source = `${code}\nimport "assay:stop";`;
  try {
    await import(`assay:try${tries++}`);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    if (String(error).includes(STOP)) return undefined;
    throw error;
  }
  throw new Error("a module without its imports was loaded");
}
