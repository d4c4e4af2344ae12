import { IndexStatus } from "@metahuman/core/contract/http";
import { chromium, type Browser } from "@playwright/test";
import { setTimeout } from "node:timers/promises";
import { browserFlags, findBrowser } from "../../scripts/browser/find.mjs";
import type { Client } from "../support/client.ts";
import { startTestServer } from "../support/server.ts";
import { measureLoad } from "./page-load.ts";
import { measureRecords } from "./page-records.ts";
import { openLighthouse } from "./lighthouse.ts";
import type { Row } from "./row.ts";
import { seededRandom } from "./statistics.ts";
import { syntheticMemories } from "./synthetic-memories.ts";

export const name = "page";

/** `METAHUMAN_BENCH_RECORDS=100000` for a large profile. */
const RECORDS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
/** A folder with an installation of `lighthouse`; without it, only the browser's own measurements are used. */
const LIGHTHOUSE = process.env["METAHUMAN_LIGHTHOUSE"];
const DEBUGGING_PORT = 9_322;
const PAGES = { chat: "/", memory: "/memory", functions: "/functions" };

/** Measures how fast the built page loads on a slow phone, and how it behaves with `RECORDS` memories. */
export async function run(): Promise<Row[]> {
  const server = await startTestServer();
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [...browserFlags(), `--remote-debugging-port=${DEBUGGING_PORT}`],
  });
  try {
    const owner = await server.owner();
    await furnish(owner);
    const loads = await loading(browser, owner);
    await remember(owner);
    return [...loads, ...(await measureRecords(browser, owner, RECORDS))];
  } finally {
    await browser.close();
    await server.dispose();
  }
}

async function furnish(owner: Client): Promise<void> {
  for (const goal of ["make sandwich file", "add a task to buy milk", "list my tasks"])
    await owner.post("/api/operator", { goal });
  await owner.post("/api/memories", syntheticMemories(200, seededRandom(2)));
  for (let number = 1; number <= 50; number += 1) {
    const title = `Keep the notes of garden ${number}`;
    const steps = ["Read the notes.", "Add a line with the day."];
    await owner.post("/api/functions", { title, summary: "What was sown.", steps, skillsUsed: ["fs_read"] });
  }
}

/** Waits until all memories are embedded, so that embedding does not affect the measurements. */
async function remember(owner: Client): Promise<void> {
  const memories = syntheticMemories(RECORDS, seededRandom(1));
  for (let next = 0; next < memories.length; next += 1_000)
    await owner.post("/api/memories", memories.slice(next, next + 1_000));
  while (IndexStatus.parse((await owner.get("/api/index")).body).pending > 0) await setTimeout(1_000);
}

async function loading(browser: Browser, owner: Client): Promise<Row[]> {
  const lighthouse = LIGHTHOUSE === undefined ? undefined : await openLighthouse(LIGHTHOUSE, DEBUGGING_PORT);
  const rows: Row[] = [];
  for (const [page, path] of Object.entries(PAGES)) {
    const { scriptKilobytes, largestPaint, blocked, script, shift } = await measureLoad(browser, owner, path);
    rows.push(
      {
        what: `${page}: JavaScript on first load, gzipped`,
        figure: scriptKilobytes,
        unit: "KB",
        target: 120,
      },
      { what: `${page}: largest paint, slow phone`, figure: largestPaint, unit: "ms", target: 2_500 },
      { what: `${page}: main thread blocked, slow phone`, figure: blocked, unit: "ms", target: 150 },
      { what: `${page}: scripts on the main thread, slow phone`, figure: script, unit: "ms" },
      { what: `${page}: layout shift, slow phone`, figure: shift, unit: "", target: 0.1 },
    );
    if (!lighthouse) continue;
    const { performance, accessibility } = await lighthouse(owner, path);
    rows.push(
      { what: `${page}: Lighthouse performance, mobile`, figure: performance, unit: "of 100", least: 95 },
      { what: `${page}: Lighthouse accessibility`, figure: accessibility, unit: "of 100", least: 100 },
    );
  }
  return rows;
}
