import { fileURLToPath } from "node:url";
import node from "@astrojs/node";
import svelte from "@astrojs/svelte";
import { bundlePrograms } from "./apps/site/build/bundle-programs.mjs";
import { compressAssets } from "./apps/site/build/compress-assets.mjs";
import { fewFiles } from "./apps/site/build/few-files.mjs";
import { flatIcons } from "./apps/site/build/flat-icons.mjs";
import { inTurn } from "./apps/site/build/in-turn.mjs";
import { defineConfig, passthroughImageService } from "astro/config";

const site = new URL("./apps/site/", import.meta.url);

export default defineConfig({
  srcDir: fileURLToPath(new URL("src", site)),
  publicDir: fileURLToPath(new URL("public", site)),
  outDir: fileURLToPath(new URL("dist", site)),
  cacheDir: fileURLToPath(new URL(".cache", import.meta.url)),
  output: "server",
  // Our own node:http server stands in front of the built handler (apps/site/src/server/http/main.ts).
  adapter: node({ mode: "middleware" }),
  integrations: [svelte(), inTurn(), compressAssets(), bundlePrograms()],
  // Sign-in is the brain's; Astro's own session store would put files beside it.
  session: false,
  // Shiki writes inline styles, which the policy refuses.
  markdown: { syntaxHighlight: false },
  devToolbar: { enabled: false },
  server: { host: "127.0.0.1", port: 4321 },
  // Styles within the page: nothing is fetched before it can be drawn. Dozens of small files would be.
  build: { inlineStylesheets: "always", assets: "assets" },
  security: {
    // `route` checks the origin of every state-changing request, JSON bodies included.
    checkOrigin: false,
    // Pages carry their policy with the hashes of Astro's inline scripts; the server adds what a page cannot say itself.
    csp: {
      directives: [
        "default-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
      ],
      styleDirective: { resources: [{ resource: "'unsafe-inline'", kind: "attribute" }] },
    },
  },
  image: { service: passthroughImageService() },
  vite: {
    plugins: [
      flatIcons(),
      fewFiles(),
      leaveToBundle(["@metahuman/core", "@metahuman/boot", "zod"]),
      zodCompilesNothing(),
    ],
    build: { assetsInlineLimit: 0 },
    // Components in TypeScript and Svelte sources: Node alone cannot load them while developing.
    ssr: { noExternal: ["@lucide/svelte"] },
  },
});

/**
 * Leaves these packages out of the built pages: they are bundled with them only afterwards (`bundlePrograms`), so that the
 * server, the brain and the handlers share one copy of every class. (`ssr.external` passes over packages whose entry
 * is TypeScript; in development Vite serves all of them from one module graph.)
 * @param {string[]} packages
 * @returns {import("vite").Plugin}
 */
function leaveToBundle(packages) {
  return {
    name: "metahuman:leave-to-bundle",
    enforce: "pre",
    apply: "build",
    applyToEnvironment: (environment) => environment.config.consumer === "server",
    resolveId: {
      filter: { id: new RegExp(`^(${packages.join("|")})(/|$)`) },
      handler: (id) => ({ id, external: true }),
    },
  };
}

/**
 * In the browser zod comes through a module of ours that forbids it to compile validators before any schema is made. Left alone
 * it tries whether it may, and the content policy reports the attempt on every page.
 * @returns {import("vite").Plugin}
 */
function zodCompilesNothing() {
  const door = fileURLToPath(new URL("src/lib/api/zod.ts", site));
  return {
    name: "metahuman:zod-compiles-nothing",
    enforce: "pre",
    applyToEnvironment: (environment) => environment.config.consumer === "client",
    resolveId: {
      filter: { id: /^zod$/ },
      handler: (_id, importer) => (importer === door ? undefined : door),
    },
  };
}
