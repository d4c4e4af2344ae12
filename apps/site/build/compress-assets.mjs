import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const compressible = new Set([".css", ".html", ".js", ".json", ".svg", ".txt", ".webmanifest"]);
/** Smaller files fit into one packet anyway. */
const MIN_BYTES = 1_000;

const forms = [
  {
    suffix: ".br",
    compress: promisify(brotliCompress),
    options: { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } },
  },
  { suffix: ".gz", compress: promisify(gzip), options: { level: 9 } },
];

/**
 * Creates a brotli and a gzip version of every built file that becomes smaller; the server sends them as they are.
 * @returns {import("astro").AstroIntegration}
 */
export function compressAssets() {
  return {
    name: "metahuman:compress-assets",
    hooks: {
      "astro:build:done": async ({ dir }) => {
        const folder = join(fileURLToPath(dir));
        const entries = await readdir(folder, { recursive: true, withFileTypes: true });
        const files = entries.filter((entry) => entry.isFile() && compressible.has(extname(entry.name)));
        await Promise.all(files.map((entry) => compressFile(join(entry.parentPath, entry.name))));
      },
    },
  };
}

/** @param {string} path */
async function compressFile(path) {
  const bytes = await readFile(path);
  if (bytes.length < MIN_BYTES) return;
  for (const { suffix, compress, options } of forms) {
    const smaller = await compress(bytes, options);
    if (smaller.length < bytes.length) await writeFile(path + suffix, smaller);
  }
}
