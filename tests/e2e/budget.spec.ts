import { gzipSync } from "node:zlib";
import { alive, expect, test } from "./support.ts";

/** JavaScript a page may load before anything is done on it, in bytes after gzip. */
const BUDGET = 120_000;

test("every room loads within its budget of JavaScript", async ({ page }) => {
  let scripts: Promise<number>[] = [];
  page.on("response", (response) => {
    if (!response.url().endsWith(".js")) return;
    scripts.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  // What one room has loaded would not be loaded for the next.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  for (const room of ["/", "/memory", "/functions", "/runs", "/approvals", "/settings"]) {
    scripts = [];
    await page.goto(room);
    await alive(page);
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    expect(bytes, room).toBeGreaterThan(20_000);
    expect(bytes, room).toBeLessThan(BUDGET);
  }
});
