import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { loadPagesAtOnce, PROGRAMS, standWhereTheSourcesStand } from "./rewrite-imports.mjs";

/** @typedef {import("vite").Plugin} Plugin */

/** Native code, and what finds its own files beside itself. */
const external = /^(@jitl\/|better-sqlite3$|pino$|sqlite-vec$|typescript$)/;

/**
 * Makes of our sources, of what they import and of the built pages the few files that Node runs: `server.mjs` and `mh.mjs`, what
 * both do for whoever has a process already (`serve.mjs` and `run-command.mjs`), and one for each thread they start. They are
 * in one graph, so that a class exists once; they take the place of the pages' own modules.
 * @returns {import("astro").AstroIntegration}
 */
export function bundlePrograms() {
  let server = "";
  return {
    name: "metahuman:bundle-programs",
    hooks: {
      "astro:config:done": ({ config }) => {
        server = fileURLToPath(config.build.server);
      },
      "astro:build:done": async () => {
        const pages = await readdir(server);
        await bundle(
          {
            server: fileURLToPath(new URL("../src/server/http/main.ts", import.meta.url)),
            serve: fileURLToPath(new URL("../src/server/http/serve.ts", import.meta.url)),
            mh: fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url)),
            "run-command": fileURLToPath(
              new URL("../../../packages/cli/src/run-command.ts", import.meta.url),
            ),
            site: join(server, "entry.mjs"),
          },
          join(server, PROGRAMS),
        );
        await Promise.all(pages.map((name) => rm(join(server, name), { recursive: true })));
      },
    },
  };
}

/**
 * @param {Record<string, string>} input
 * @param {string} outDir
 */
async function bundle(input, outDir) {
  await build({
    configFile: false,
    logLevel: "warn",
    plugins: [leaveToNode(), sourcesElsewhere(outDir), pagesAtOnce()],
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: true,
      target: "node22",
      outDir,
      emptyOutDir: true,
      copyPublicDir: false,
      // What it says about an error is read by people.
      minify: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input,
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
      },
    },
  });
}

/** Found now, from where it is imported: from where the bundle lies it could not be. @returns {Plugin} */
function leaveToNode() {
  return {
    name: "metahuman:leave-to-node",
    enforce: "pre",
    resolveId: {
      filter: { id: external },
      async handler(id, importer) {
        const found = await this.resolve(id, importer, { skipSelf: true });
        return found && { id: found.id, external: true };
      },
    },
  };
}

/** @param {string} outDir @returns {Plugin} */
function sourcesElsewhere(outDir) {
  return {
    name: "metahuman:sources-elsewhere",
    enforce: "pre",
    transform: {
      filter: { id: /^(?!.*[\\/]node_modules[\\/]).*\.ts$/, code: /import\.meta\./ },
      handler(code, id) {
        const { text, threads } = standWhereTheSourcesStand(code, id, outDir);
        for (const [name, path] of threads) this.emitFile({ type: "chunk", id: path, fileName: name });
        return text;
      },
    },
  };
}

/** @returns {Plugin} */
function pagesAtOnce() {
  return {
    name: "metahuman:pages-at-once",
    transform: {
      filter: { id: /[\\/]dist[\\/]server[\\/][^?]*\.mjs$/, code: /import\(/ },
      handler: loadPagesAtOnce,
    },
  };
}
