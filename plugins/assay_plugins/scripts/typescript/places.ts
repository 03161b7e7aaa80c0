// Where an import leads.

import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Failure } from "./told.ts";

/** As the Yao server tries them, and then some. */
const ENDINGS = ["", ".ts", ".js", "/index.ts", "/index.js"];
const LOADED = /\.(ts|js|json)$/;
const SERVER = /^@(yao|yaoapps?|gou)(\/|$)/;
const COMMENTS = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g;

/** Whether an import is one of the Yao server's own modules, whose names it makes global. */
export function isOfServer(specifier: string): boolean {
  return SERVER.test(specifier);
}

/** The files below a root that can be imported. */
export class Places {
  #root: string;
  #aliases?: [pattern: string, targets: string[]][];

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Find the file that an import names.
   *
   * @param specifier As it is written; it may lack the suffix of the file.
   * @param parent The URL of the module that imports it.
   * @throws Failure There is no such file, or none that can be imported.
   */
  find(specifier: string, parent: string): string {
    const stems = [...this.#stems(specifier, parent)];
    if (stems.length === 0) {
      throw new Failure(
        `${specifier} cannot be imported: scripts import files of their application, by a path ` +
          `that begins with "./" or "../"`,
      );
    }
    const file = stems.flatMap((stem) => ENDINGS.map((ending) => stem + ending)).find(isFile);
    if (file === undefined) {
      throw new Failure(`${specifier} was not found; it is imported by ${nameOf(parent)}`);
    }
    if (!LOADED.test(file)) {
      throw new Failure(`${specifier} cannot be imported: it is no .ts, .js or .json file`);
    }
    return pathToFileURL(file).href;
  }

  *#stems(specifier: string, parent: string): Iterable<string> {
    if (specifier.startsWith("file:")) yield fileURLToPath(specifier);
    else if (/^\.{0,2}\//.test(specifier)) yield resolve(dirname(fileURLToPath(parent)), specifier);
    else yield* this.#aliased(specifier);
  }

  /** Follow the `paths` of the application's tsconfig.json, as the Yao server does. */
  *#aliased(specifier: string): Iterable<string> {
    this.#aliases ??= this.#readAliases();
    for (const [pattern, targets] of this.#aliases) {
      const [start, end] = pattern.split("*");
      const isWild = end !== undefined;
      const fits = isWild
        ? specifier.startsWith(start) && specifier.endsWith(end) &&
          specifier.length >= start.length + end.length
        : specifier === pattern;
      if (!fits) continue;
      const middle = isWild ? specifier.slice(start.length, specifier.length - end.length) : "";
      for (const target of targets) yield resolve(this.#root, target.replace("*", middle));
    }
  }

  #readAliases(): [string, string[]][] {
    const file = join(this.#root, "tsconfig.json");
    if (!isFile(file)) return [];
    const text = readFileSync(file, "utf8").replace(COMMENTS, (_, string) => string ?? "");
    const { baseUrl = ".", paths = {} } = JSON.parse(text).compilerOptions ?? {};
    return Object.entries<string[]>(paths)
      .map(([pattern, targets]) => [pattern, targets.map((target) => join(baseUrl, target))]);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function nameOf(url: string): string {
  return url.startsWith("file:") ? fileURLToPath(url) : url;
}
