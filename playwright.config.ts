import { defineConfig, devices } from "@playwright/test";
import { findBrowser, browserFlags } from "./scripts/browser/find.mjs";

const executablePath = findBrowser();

// The tests start their own servers on folders of their own (tests/support), so none is started here.
export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/support/built-site.ts",
  outputDir: "artifacts/e2e",
  // What is built is JavaScript already; each worker would read it as if it were not.
  build: { external: ["**/apps/site/dist/**"] },
  fullyParallel: true,
  workers: 2,
  // Once more on a machine that checks a whole clone at once. What passes only then is told as flaky: it has found something.
  retries: process.env.CI === undefined ? 0 : 1,
  forbidOnly: process.env.CI !== undefined,
  // Generous: a busy machine is slow, and a test that passes never waits for these.
  timeout: 60_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    // Recording every page costs as much as testing it; `npm run e2e -- --trace=on <spec>` records one that fails.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    video: "off",
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: browserFlags(),
    },
  },
  projects: [{ name: "chromium", use: { ...devices["Desktop Chrome"] } }],
});
