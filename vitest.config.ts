import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** As the programs themselves run: Node loads the sources, and nothing stands between one module and another. */
const native = { viteModuleRunner: false, nodeLoader: false };

/** Tests make much that is soon forgotten: room for it costs less than to look through a heap again whenever it has grown. */
const roomyHeap = ["--max-semi-space-size=32", "--initial-old-space-size=512"];

// Playwright's specs (tests/e2e) are not among the patterns: they belong to playwright.config.ts.
export default defineConfig({
  test: {
    maxWorkers: 2,
    // Generous: a busy machine is slow, and a test that passes never waits for these.
    testTimeout: 30_000,
    // Real processes are killed and raced: once more on a machine that checks a whole clone at once.
    retry: process.env["CI"] === undefined ? 0 : 1,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          experimental: native,
          // Modules keep no state of their own, so the files of one worker may share them: a third of the time.
          isolate: false,
          execArgv: roomyHeap,
          setupFiles: "./tools/vitest/keep-compiled.ts",
          include: ["{packages,brain,apps,scripts,tools}/**/*.test.ts", "tests/eval/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.svelte.test.ts"],
        },
      },
      {
        extends: true,
        // Page state (`*.svelte.ts`) is compiled as for the browser, where its signals are alive.
        plugins: [svelte({ configFile: false })],
        resolve: { conditions: ["browser"] },
        test: {
          name: "signals",
          // Page state is made anew by each test: its few files share one loading of what they compile.
          isolate: false,
          pool: "threads",
          include: ["apps/site/src/**/*.svelte.test.ts"],
          environment: "./tools/vitest/browser-modules.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "scenarios",
          experimental: native,
          // As above. What is tried out are servers, over HTTP, and command lines: each owns all it opens.
          isolate: false,
          execArgv: roomyHeap,
          include: ["tests/{scenarios,support}/**/*.test.ts"],
          globalSetup: "tests/support/built-site.ts",
        },
      },
    ],
  },
});
