import { fileURLToPath } from "node:url";
import node from "@astrojs/node";
import svelte from "@astrojs/svelte";
import { bundlePrograms } from "./apps/site/build/bundle-programs.mjs";
import { compressAssets } from "./apps/site/build/compress-assets.mjs";
import { chunking } from "./apps/site/build/chunking.mjs";
import { lazySchemas } from "./apps/site/build/lazy-schemas.mjs";
import { markdownLexer } from "./apps/site/build/markdown-lexer.mjs";
import { minifiedScripts } from "./apps/site/build/minified-scripts.mjs";
import { staticIcons } from "./apps/site/build/static-icons.mjs";
import { zodForBrowser } from "./apps/site/build/zod-for-browser.mjs";
import { defineConfig, passthroughImageService } from "astro/config";

const site = new URL("./apps/site/", import.meta.url);

export default defineConfig({
  srcDir: fileURLToPath(new URL("src", site)),
  publicDir: fileURLToPath(new URL("public", site)),
  outDir: fileURLToPath(new URL("dist", site)),
  cacheDir: fileURLToPath(new URL(".cache", import.meta.url)),
  output: "server",
  // A node:http server passes requests to the built handler (apps/site/src/server/http/main.ts).
  adapter: node({ mode: "middleware" }),
  integrations: [svelte(), compressAssets(), bundlePrograms()],
  // The brain handles sessions; the session store of Astro would write files of its own.
  session: false,
  // Shiki writes inline styles, which the content security policy forbids.
  markdown: { syntaxHighlight: false },
  devToolbar: { enabled: false },
  server: { host: "127.0.0.1", port: 4321 },
  // Inlined styles: a page renders without further requests.
  build: { inlineStylesheets: "always", assets: "assets" },
  security: {
    // `route` checks the origin of every state-changing request, also of those with JSON bodies.
    checkOrigin: false,
    // Pages contain their policy with the hashes of the inline scripts of Astro; the server adds what a page cannot set itself.
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
      chunking(),
      lazySchemas(),
      staticIcons(),
      markdownLexer(),
      minifiedScripts(),
      externalizePackages(["@metahuman/core", "@metahuman/boot", "zod"]),
      withoutFileServer(),
      zodForBrowser(),
    ],
    build: { assetsInlineLimit: 0 },
    // Published as Svelte and TypeScript sources, which Node alone cannot load in development.
    ssr: { noExternal: ["@lucide/svelte"] },
  },
});

/**
 * Keeps these packages out of the built pages. `bundlePrograms` bundles them later, so that the server, the brain and the
 * handlers share one copy of every class. (`ssr.external` ignores packages whose entry is TypeScript; in development Vite
 * serves all of them from one module graph.)
 * @param {string[]} packages
 * @returns {import("vite").Plugin}
 */
function externalizePackages(packages) {
  return {
    name: "metahuman:externalize-packages",
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
 * Leaves out the file server of the adapter, `send`, which runs only in its standalone mode, and with it the list of all
 * media types. Built files are served by `static-files.ts`.
 * @returns {import("vite").Plugin}
 */
function withoutFileServer() {
  return {
    name: "metahuman:without-file-server",
    enforce: "pre",
    apply: "build",
    applyToEnvironment: (environment) => environment.config.consumer === "server",
    resolveId: { filter: { id: /^send$/ }, handler: () => "\0send" },
    load: {
      filter: { id: /^\0send$/ },
      handler: () => 'export default () => { throw new Error("The adapter serves no files here."); };',
    },
  };
}
