import { dirname, relative, resolve } from "node:path";

/** The folder of the bundled programs, in that of the built pages; all of them lie in it side by side. */
export const PROGRAMS = "programs";

const thread = /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g;
const place = /\bimport\.meta\.(url|dirname)\b/g;
const deferred = /\bimport\("(\.[^"]+\.mjs)"\)/g;

/**
 * What a source finds beside itself it also finds from the bundle: `import.meta.url` and `import.meta.dirname` become those of
 * the source, and `new URL("./x.worker.ts", import.meta.url)`, a thread's own program, is a file of the bundle.
 *
 * @param {string} code
 * @param {string} id where the source lies
 * @param {string} outDir where the bundle will
 * @returns {{ text: string, threads: Map<string, string> }} the new text; for each thread its file's name and its source
 */
export function standWhereTheSourcesStand(code, id, outDir) {
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
 * Makes of `import("./x.mjs")` an import at the start: what is loaded at the start does not miss its file when a later build has
 * replaced it, and few files load faster than many.
 *
 * @param {string} code
 */
export function loadPagesAtOnce(code) {
  /** @type {string[]} */
  const imports = [];
  const text = code.replace(deferred, (_all, path) => {
    const name = `$page${imports.length}`;
    imports.push(`import * as ${name} from "${path}";\n`);
    return `Promise.resolve(${name})`;
  });
  return imports.join("") + text;
}
