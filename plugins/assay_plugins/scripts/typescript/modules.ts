// The user's modules: where an import leads, and how a file is made a module.

import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { pathToFileURL } from "node:url";
import { isOfServer, Places } from "./places.ts";
import { cut, Failure, toldOfLoading } from "./told.ts";

type Run = (...args: unknown[]) => unknown;
type Module = Record<string, unknown>;

const SERVER = "assay:yao";
/** Marks JSON that is imported without saying that it is JSON. */
const AS_MODULE = "?module";
const DENO = /^(node|ext):/;
const LOOK = "assay_look";
/** Finds what a module binds and does not export; `arguments` cannot be a name of the user's. */
const LOOKER = `\nexport function ${LOOK}() { return eval(arguments[0]); }\n`;
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const IMPORTS = /^([ \t]*)import\s+(?!type\b)[\w$\s{},*]+?\sfrom\s*["']([^"'\n]+)["'][ \t]*;?/gm;
const MAP = /(\n\/\/# sourceMappingURL=data:application\/json;base64,)([\w+/=]+)\s*$/;

const modules = new Map<string, Module>();
/** The last thing that went wrong in a hook: of what is thrown there, Deno passes on the text. */
let problem: unknown;

/** Have imports read from files below a root. To be called once. */
export function useRoot(root: string): void {
  const places = new Places(root);
  registerHooks({
    resolve: (specifier, context, next) =>
      noting(() => {
        const parent = String(context.parentURL);
        if (isOfServer(specifier)) return { url: SERVER, shortCircuit: true };
        if (isOfDeno(specifier, parent)) return next(specifier, context);
        const url = places.find(specifier, parent);
        const isPlain = url.endsWith(".json") && context.importAttributes.type !== "json";
        return { url: isPlain ? url + AS_MODULE : url, shortCircuit: true };
      }),
    load: (url, context, next) =>
      noting(() => {
        if (DENO.test(url)) return next(url, context);
        const format = url.endsWith(".json") ? "json" : "module";
        return { format, source: sourceOf(url), shortCircuit: true };
      }),
  });
}

/** Whether an import is of a module that Deno has within itself; `ext:` are for their own use. */
function isOfDeno(specifier: string, parent: string): boolean {
  return specifier.startsWith("node:") || (DENO.test(specifier) && DENO.test(parent));
}

function noting<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    problem = error;
    throw error;
  }
}

function sourceOf(url: string): string {
  if (url === SERVER) return "export default globalThis;";
  const text = new TextDecoder().decode(readFileSync(new URL(url)));
  if (url.endsWith(".json")) return text;
  if (url.endsWith(AS_MODULE)) return `export default JSON.parse(${JSON.stringify(text)});`;
  const own = withoutServer(text);
  return (url.endsWith(".ts") ? javaScript(own, url) : own) + LOOKER;
}

/** Take out what is imported from the Yao server, as the server does: those names are globals. */
export function withoutServer(text: string): string {
  return text.replaceAll(
    IMPORTS,
    (whole, indent, specifier) =>
      isOfServer(specifier) ? indent + "\n".repeat(whole.split("\n").length - 1) : whole,
  );
}

/**
 * Take the types out of TypeScript; nothing checks them.
 *
 * @param url What traces and messages call the file.
 */
export function javaScript(text: string, url: string): string {
  let code: string;
  try {
    code = stripTypeScriptTypes(text, { mode: "transform", sourceMap: true });
  } catch (error) {
    throw syntaxError(error, url);
  }
  // The map bears a name of its own for the file.
  return code.replace(MAP, (_, start: string, data: string) => {
    const { sourcesContent: _text, ...map } = JSON.parse(Buffer.from(data, "base64").toString());
    map.sources = [url];
    return start + Buffer.from(JSON.stringify(map)).toString("base64");
  });
}

/** Give the first line of what the compiler says, and the place, in the form that V8 gives them. */
function syntaxError(error: unknown, url: string): SyntaxError {
  const lines = String(error instanceof Error ? error.message : error).trim().split("\n");
  const what = lines[0].replace(/^\w*Error: /, "");
  const place = /:(\d+:\d+)$/.exec(lines[lines.length - 1]);
  return new SyntaxError(place === null ? what : `${what} at ${url}:${place[1]}`);
}

/**
 * Give a function of a file: one that it exports under this name, or that stands at its top level.
 *
 * @throws Failure It cannot be loaded, or has no such function.
 */
export async function loadScript(file: string, name: string): Promise<Run> {
  const module = modules.get(file) ?? await load(file);
  modules.set(file, module);
  const value = Object.hasOwn(module, name) ? module[name] : look(module, name);
  if (value === undefined) throw new Failure(`the file has no function '${cut(name)}'`);
  if (typeof value !== "function") {
    throw new Failure(`'${name}' is a ${kind(value)}, not a function`);
  }
  return value as Run;
}

async function load(file: string): Promise<Module> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const isOurs = problem instanceof Error && String(error).includes(problem.message);
    throw new Failure(`it cannot be imported: ${toldOfLoading(isOurs ? problem : error, file)}`);
  }
}

function look(module: Module, name: string): unknown {
  if (!NAME.test(name)) return undefined;
  try {
    return (module[LOOK] as Run)(name);
  } catch {
    // It is not bound, or no name at all, as "class" is none.
    return undefined;
  }
}

function kind(value: unknown): string {
  return value === null ? "null" : typeof value;
}
