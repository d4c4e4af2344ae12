import { IndexStatus } from "@metahuman/core/contract/http";
import { chromium, type Browser } from "@playwright/test";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
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

/** `METAHUMAN_BENCH_RECORDS=100000` for a large profile; 0 measures only how the pages load. */
const RECORDS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
/** A folder with an installation of `lighthouse`; without it, only the browser's own measurements are used. */
const LIGHTHOUSE = process.env["METAHUMAN_LIGHTHOUSE"];
const DEBUGGING_PORT = 9_322;
/** `METAHUMAN_BENCH_PAGES=chat,runs` measures how these pages load; without it, all. */
const WANTED = process.env["METAHUMAN_BENCH_PAGES"]?.split(",");
/** How many rows a list that is longer must have in the HTML. */
const ROWS_IN_HTML = 10;

/** Measures how fast the built pages load on a slow phone, and how the memory page behaves with `RECORDS` memories. */
export async function run(): Promise<Row[]> {
  const server = await startTestServer();
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [...browserFlags(), `--remote-debugging-port=${DEBUGGING_PORT}`],
  });
  try {
    const owner = await server.owner();
    const loads = await measureLoads(browser, owner, await createContent(owner));
    if (RECORDS === 0) return loads;
    await addMemories(owner);
    return [...loads, ...(await measureRecords(browser, owner, RECORDS))];
  } finally {
    await browser.close();
    await server.dispose();
  }
}

interface MeasuredPage {
  name: string;
  path: string;
  /** A pattern that matches once per row of a list in the HTML; absent where a page has no long list. */
  row?: RegExp;
}

const Created = z.object({ function: z.object({ id: z.string() }) });
const Answered = z.object({ runId: z.string(), conversationId: z.string() });

/** Creates content for every page, and returns the addresses of all pages. */
async function createContent(owner: Client): Promise<MeasuredPage[]> {
  const ask = async (goal: string, more = {}) => (await owner.post("/api/operator", { goal, ...more })).body;
  const { conversationId } = Answered.parse(await ask("make sandwich file"));
  for (const goal of [
    "add a task to buy milk",
    "list my tasks",
    "remember that the garage code is kept in the notebook",
  ])
    await ask(goal, { conversationId });
  for (let number = 1; number <= 20; number += 1)
    await ask(`create a file called notes/day-${String(number)}.md with the text "sown: beans"`);
  const { runId } = Answered.parse(await ask("list my tasks"));
  for (let number = 1; number <= 20; number += 1)
    await owner.post("/api/tasks", { title: `weed bed ${String(number)}` });
  for (let number = 1; number <= 12; number += 1)
    await ask(`remind me to water bed ${String(number)} every monday at 9`);
  for (let number = 1; number <= 3; number += 1) await ask(`delete notes/day-${String(number)}.md`);
  await owner.post("/api/memories", syntheticMemories(200, seededRandom(2)));
  let functionId = "";
  for (let number = 1; number <= 50; number += 1) {
    const title = `Keep the notes of garden ${number}`;
    const steps = ["Read the notes.", "Add a line with the day."];
    const { body } = await owner.post("/api/functions", {
      title,
      summary: "What was sown.",
      steps,
      skillsUsed: ["fs_read"],
    });
    functionId = Created.parse(body).function.id;
  }
  const listed = /<li[ >]/g;
  const pages: MeasuredPage[] = [
    { name: "chat", path: "/" },
    { name: "conversation", path: `/?c=${conversationId}` },
    { name: "memory", path: "/memory", row: listed },
    { name: "tasks", path: "/memory?tab=tasks", row: listed },
    { name: "search", path: "/memory?query=notes", row: listed },
    { name: "functions", path: "/functions", row: listed },
    { name: "function", path: `/functions?function=${functionId}` },
    { name: "runs", path: "/runs", row: listed },
    { name: "run", path: `/runs?run=${runId}` },
    { name: "files", path: "/files?folder=notes", row: listed },
    { name: "automations", path: "/automations", row: listed },
    { name: "approvals", path: "/approvals" },
    { name: "settings", path: "/settings" },
  ];
  return pages.filter(({ name }) => WANTED?.includes(name) !== false);
}

/** Waits until all memories are embedded, so that embedding does not affect the measurements. */
async function addMemories(owner: Client): Promise<void> {
  const memories = syntheticMemories(RECORDS, seededRandom(1));
  for (let next = 0; next < memories.length; next += 1_000)
    await owner.post("/api/memories", memories.slice(next, next + 1_000));
  while (IndexStatus.parse((await owner.get("/api/index")).body).pending > 0) await setTimeout(1_000);
}

async function measureLoads(browser: Browser, owner: Client, pages: readonly MeasuredPage[]): Promise<Row[]> {
  const lighthouse = LIGHTHOUSE === undefined ? undefined : await openLighthouse(LIGHTHOUSE, DEBUGGING_PORT);
  const rows: Row[] = [];
  for (const { name: page, path, row } of pages) {
    const load = await measureLoad(browser, owner, path);
    rows.push(
      {
        what: `${page}: JavaScript on first load, gzipped`,
        figure: load.scriptKilobytes,
        unit: "KB",
        target: 120,
      },
      { what: `${page}: largest paint, slow phone`, figure: load.largestPaint, unit: "ms", target: 2_500 },
      {
        what: `${page}: main thread blocked, slow phone, by processor time`,
        figure: load.blockedByProcessorTime,
        unit: "ms",
        target: 150,
      },
      { what: `${page}: the same by elapsed time, which load spoils`, figure: load.blocked, unit: "ms" },
      { what: `${page}: scripts on the main thread, slow phone`, figure: load.script, unit: "ms" },
      { what: `${page}: layout shift, slow phone`, figure: load.shift, unit: "", target: 0.1 },
    );
    if (row) {
      // Links to other pages are lists, too.
      const [content = ""] = /<main[ >][^]*<\/main>/u.exec(String((await owner.get(path)).body)) ?? [];
      const figure = content.match(row)?.length ?? 0;
      rows.push({ what: `${page}: rows in the HTML`, figure, unit: "", least: ROWS_IN_HTML });
    }
    if (!lighthouse) continue;
    const { performance, accessibility } = await lighthouse(owner, path);
    rows.push(
      { what: `${page}: Lighthouse performance, mobile`, figure: performance, unit: "of 100", least: 95 },
      { what: `${page}: Lighthouse accessibility`, figure: accessibility, unit: "of 100", least: 100 },
    );
  }
  return rows;
}
