import { defineConfig, devices } from "@playwright/test";
import { findBrowser, browserFlags } from "./scripts/browser/find.mjs";

const executablePath = findBrowser();

// The tests start their own servers on separate folders (tests/support).
export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/support/built-site.ts",
  outputDir: "artifacts/e2e",
  // The build is JavaScript; without this, each worker would transform it.
  build: { external: ["**/apps/site/dist/**"] },
  fullyParallel: true,
  // A test waits for its page most of the time: two of them use less than one core.
  workers: 4,
  // Retried on a slow CI machine; a test that passes only then is reported as flaky.
  retries: process.env.CI === undefined ? 0 : 1,
  forbidOnly: process.env.CI !== undefined,
  // Generous, because machines may be busy; passing tests never wait for it.
  timeout: 60_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    // Recording every page costs as much as testing it. `npm run e2e -- --trace=on <spec>` records a failing one.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    video: "off",
    // A worker takes requests for pages away from the tests' own routes; its test allows it.
    serviceWorkers: "block",
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: browserFlags(),
    },
  },
  projects: [{ name: "chromium", use: { ...devices["Desktop Chrome"] } }],
});
