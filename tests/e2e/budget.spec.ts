import type { Page } from "@playwright/test";
import { gzipSync } from "node:zlib";
import { alive, carryOut, expect, signIn, test } from "./support.ts";

/** JavaScript a page may load before anything is done on it, in bytes after gzip. */
const BUDGET = 120_000;

test("every page loads within its budget of JavaScript", async ({ page }) => {
  let scripts = new Set<string>();
  page.on("request", (request) => {
    if (request.url().endsWith(".js")) scripts.add(request.url());
  });
  // A page would reuse what another page has loaded.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  for (const path of [
    "/",
    "/memory",
    "/files",
    "/functions",
    "/runs",
    "/approvals",
    "/automations",
    "/settings",
  ]) {
    scripts = new Set();
    // The schemas that parse responses load last.
    const schemas = page.waitForResponse(/\/schemas\.[\w-]+\.js$/);
    await page.goto(path);
    await alive(page);
    await schemas;
    await expect(page.getByText("Loading…")).toHaveCount(0);
    const sizes = await Promise.all([...scripts].map((script) => gzippedSize(page, script)));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes, path).toBeGreaterThan(20_000);
    expect(bytes, path).toBeLessThan(BUDGET);
  }
  await devtools.detach();
});

test("what a search in the address finds is in the HTML of the page", async ({ owner }) => {
  await owner.post("/api/memories", {
    type: "curated",
    content: "The gazebo key hangs behind the barometer.",
  });
  await owner.post("/api/tasks", { title: "oil the hinges of the gazebo" });
  const html = String((await owner.get("/memory?query=gazebo")).body);
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*key hangs behind the barometer/s);
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*oil the hinges/s);
});

/** Notes how far a page moves what it has shown (https://web.dev/articles/cls). */
const OBSERVE_SHIFTS = `globalThis.shift = 0;
globalThis.moved = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    globalThis.shift += value;
    for (const { node, previousRect, currentRect } of sources)
      globalThis.moved.push((node?.outerHTML ?? node?.textContent ?? "gone").slice(0, 100) + " from " + previousRect.y + " to " + currentRect.y);
  }
}).observe({ type: "layout-shift", buffered: true });`;

test("no page moves its content when it hydrates", async ({ browser, owner }) => {
  for (let count = 0; count < 8; count += 1) await carryOut(owner, "list my tasks");
  const context = await browser.newContext({
    baseURL: owner.url,
    viewport: { width: 412, height: 823 },
  });
  try {
    await signIn(context, owner);
    await context.addInitScript(OBSERVE_SHIFTS);
    const page = await context.newPage();
    for (const path of ["/runs", "/memory", "/functions", "/files", "/automations", "/approvals"]) {
      await page.goto(path);
      await alive(page);
      await expect(page.getByText("Loading…")).toHaveCount(0);
      if (path === "/automations") await expect(page.getByRole("list", { name: "Days" })).toBeVisible();
      await page.evaluate(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
      );
      const moved = await page.evaluate<string[]>("moved");
      expect(await page.evaluate<number>("shift"), [path, ...moved].join("\n")).toBeLessThan(0.1);
    }
  } finally {
    await context.close();
  }
});

async function gzippedSize(page: Page, address: string): Promise<number> {
  const response = await page.request.get(address);
  return gzipSync(await response.body(), { level: 9 }).length;
}
