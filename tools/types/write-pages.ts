import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { pageAsTsx } from "./page-as-tsx.ts";

// Writes every page as TypeScript understands it, and `pages.ts`, which names them all so that none is passed over: for
// `apps/site/tsconfig.check.json`.

const site = new URL("../../apps/site/", import.meta.url);
const folder = new URL(".astro/types/", site);

rmSync(folder, { recursive: true, force: true });
const pages = globSync("src/**/*.astro", { cwd: fileURLToPath(site) });
if (pages.length === 0) throw new Error("There is no page.");
for (const page of pages) write(`${page}.tsx`, pageAsTsx(page, readFileSync(new URL(page, site), "utf8")));
write("pages.ts", pages.map((page) => `import ${JSON.stringify(`./${page}.tsx`)};\n`).join(""));

function write(name: string, text: string): void {
  const file = fileURLToPath(new URL(name, folder));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
