import { gzipSync } from "node:zlib";
import { expect, openChat, test } from "./support.ts";

/** JavaScript a page may load before anything is done on it, in bytes after gzip. */
const BUDGET = 120_000;

test("the chat loads within its budget of JavaScript", async ({ page }) => {
  const scripts: Promise<number>[] = [];
  page.on("response", (response) => {
    if (!response.url().endsWith(".js")) return;
    scripts.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await openChat(page);
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(BUDGET);
  test.info().annotations.push({ type: "JavaScript on first load, gzipped", description: `${bytes} bytes` });
});
