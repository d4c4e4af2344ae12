import { readFile } from "node:fs/promises";
import { minify } from "vite";

const suffix = "?minified";

/**
 * Makes the minified text of a script the default export of `script.js?minified`, for scripts that stand in the HTML of a
 * page. With `?raw` they would keep their comments and names.
 * @returns {import("vite").Plugin}
 */
export function minifiedScripts() {
  return {
    name: "metahuman:minified-scripts",
    enforce: "pre",
    load: {
      filter: { id: /\?minified$/ },
      async handler(id) {
        const path = id.slice(0, -suffix.length);
        this.addWatchFile(path);
        return `export default ${JSON.stringify(await minifiedScript(path))};`;
      },
    },
  };
}

/**
 * The minified text of a script file. Throws if it is not valid JavaScript.
 * @param {string} path
 */
export async function minifiedScript(path) {
  const { code, errors } = await minify(path, await readFile(path, "utf8"), { module: false });
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be minified: ${error.message}`);
  return code.trim();
}
