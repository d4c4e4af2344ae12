import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** Node loads the sources directly, as in production, without Vite's module runner. */
const native = { viteModuleRunner: false, nodeLoader: false };

/** A larger young generation: tests allocate many short-lived objects, and fewer collections take less time. */
const largeHeap = ["--max-semi-space-size=32", "--initial-old-space-size=512"];

const CHANGES_DATE = ["tests/scenarios/activity.test.ts", "tests/scenarios/repeated-requests.test.ts"];

// playwright.config.ts runs the specs in tests/e2e.
export default defineConfig({
  test: {
    maxWorkers: 2,
    // Generous, because machines may be busy; passing tests never wait for it.
    testTimeout: 30_000,
    // For tests that kill real processes or let them race (`git grep -lE 'SIGKILL|\.kill\(' -- '*.test.ts'` lists them):
    // on a machine that runs all stages at once, a process may start later than such a test waits. Any other failure
    // counts at once, because what fails one time in two is a defect. Never locally.
    retry: process.env["CI"] === undefined ? 0 : { count: 1, condition: /timed out/iu },
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          experimental: native,
          // Modules have no state, so the test files of a worker share them. With `isolate: true`, 34 files of
          // packages/core take 2.5 times the processor time (37 instead of 15 s). No test needs this to pass.
          isolate: false,
          execArgv: largeHeap,
          setupFiles: "./tools/vitest/keep-compiled.ts",
          include: ["{packages,brain,apps,scripts,tools}/**/*.test.ts", "tests/eval/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.svelte.test.ts"],
        },
      },
      {
        extends: true,
        // Compiles page state (`*.svelte.ts`) for the browser, where its signals are reactive.
        plugins: [svelte({ configFile: false })],
        resolve: { conditions: ["browser"] },
        test: {
          name: "signals",
          // Each test creates its own page state, so the files share their compiled modules.
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
          // As above. The tests use servers and command lines, each of which owns what it opens.
          isolate: false,
          execArgv: largeHeap,
          include: ["tests/{scenarios,support}/**/*.test.ts"],
          exclude: CHANGES_DATE,
          globalSetup: "tests/support/built-site.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "simulated-date",
          experimental: native,
          // In a process whose date was in the future, ids stay in the future.
          isolate: true,
          execArgv: largeHeap,
          include: CHANGES_DATE,
          globalSetup: "tests/support/built-site.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "cluster",
          experimental: native,
          isolate: false,
          include: ["tests/cluster/**/*.test.ts"],
          // They start servers and databases, on machines that do other work meanwhile.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: "tests/support/built-site.ts",
        },
      },
    ],
  },
});
