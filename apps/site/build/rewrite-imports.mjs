import { dirname, relative, resolve } from "node:path";

/** The folder of the bundled programs inside the built pages. */
export const PROGRAMS = "programs";

const thread = /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g;
const place = /\bimport\.meta\.(url|dirname)\b/g;
const deferred = /\bimport\("(\.[^"]+\.mjs)"\)/g;

/**
 * Makes paths relative to a source valid in the bundle: `import.meta.url` and `import.meta.dirname` become those of the source,
 * and `new URL("./x.worker.ts", import.meta.url)`, the program of a thread, becomes a file of the bundle.
 *
 * @param {string} code
 * @param {string} id path of the source
 * @param {string} outDir folder of the bundle
 * @returns {{ text: string, threads: Map<string, string> }} the new text, and the source of each thread by file name
 */
export function keepSourcePaths(code, id, outDir) {
  /** @type {Map<string, string>} */
  const threads = new Map();
  const here = JSON.stringify(relative(outDir, id).replaceAll("\\", "/"));
  const folder = JSON.stringify(`/${relative(outDir, dirname(id)).replaceAll("\\", "/")}`);
  const pieces = code.split(thread).map((piece, index) => {
    if (index % 2 === 0)
      return piece.replace(place, (all, what) =>
        what === "url" ? `new URL(${here}, ${all}).href` : `(${all} + ${folder})`,
      );
    const source = resolve(dirname(id), `${piece}.ts`);
    const name = `${source.replace(/^.*[\\/]/, "").replace(/\.ts$/, "")}.mjs`;
    threads.set(name, source);
    return `new URL("./${name}", import.meta.url)`;
  });
  return { text: pieces.join(""), threads };
}

/**
 * Turns `import("./x.mjs")` into a static import: code that is loaded at the start does not miss its file after a later build,
 * and few files load faster than many.
 *
 * @param {string} code
 */
export function importStatically(code) {
  /** @type {string[]} */
  const imports = [];
  const text = code.replace(deferred, (_all, path) => {
    const name = `$page${imports.length}`;
    imports.push(`import * as ${name} from "${path}";\n`);
    return `Promise.resolve(${name})`;
  });
  return imports.join("") + text;
}

/**
 * Writes every character outside of ASCII as an escape, which means the same in strings, templates, regular expressions and
 * names. In `String.raw` it means the same only if the text becomes a regular expression.
 *
 * @param {string} code
 */
export function withoutNonAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
