import type { Browser, Page } from "@playwright/test";
import { z } from "zod";
import type { Client } from "../support/client.ts";
import { signIn } from "../support/sign-in.ts";
import type { Row } from "./row.ts";
import { quantile, timed } from "./statistics.ts";

const SEARCHES = 20;
const SCROLL_MS = 10_000;
/** Fast scrolling: 6 000 pixels per second. */
const PIXELS_A_FRAME = 100;

const Scrolled = z.object({
  longest: z.number(),
  frames: z.number(),
  nodes: z.number(),
  pixels: z.number(),
});

/** Scrolls the memory page frame by frame and records long tasks, frame times and the number of nodes. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector("[data-scrolls]");
  const noted = { longest: 0, nodes: 0, pixels: 0, between: [] };
  const tasks = new PerformanceObserver((entries) => {
    for (const { duration } of entries.getEntries()) noted.longest = Math.max(noted.longest, duration);
  });
  tasks.observe({ type: "longtask" });
  const begun = performance.now();
  let last = begun;
  requestAnimationFrame(function frame(now) {
    noted.between.push(now - last);
    last = now;
    noted.nodes = Math.max(noted.nodes, document.getElementsByTagName("*").length);
    const before = list.scrollTop;
    list.scrollTop += ${PIXELS_A_FRAME};
    noted.pixels += list.scrollTop - before;
    if (now - begun < ${SCROLL_MS}) return requestAnimationFrame(frame);
    tasks.disconnect();
    noted.between.sort((a, b) => a - b);
    resolve({ ...noted, frames: noted.between[Math.floor(noted.between.length * 0.95)] });
  });
})`;

/** Measures the memory page with `records` memories. */
export async function measureRecords(browser: Browser, owner: Client, records: number): Promise<Row[]> {
  const context = await browser.newContext({ baseURL: owner.url, viewport: { width: 1280, height: 800 } });
  await signIn(context, owner);
  const page = await context.newPage();
  const at = `at ${records} memories`;
  try {
    const rows = page.getByRole("tabpanel").getByRole("listitem");
    const opened = await timed(5, async () => {
      await page.goto("/memory");
      await rows.first().waitFor();
    });
    const turned = await timed(10, async (turn) => {
      await page.getByRole("tab", { name: turn % 2 === 0 ? /^Curated/ : /^Episodic/ }).click();
      await rows.first().waitFor();
    });
    const { longest, frames, nodes, pixels } = Scrolled.parse(await page.evaluate<unknown>(SCROLL));
    const end = await toTheEnd(page);
    const searches = await searching(page);
    return [
      { what: `memory page ${at}: first rows, median of 5`, figure: quantile(opened, 0.5), unit: "ms" },
      { what: "another tab, until its rows are there, p95", figure: quantile(turned, 0.95), unit: "ms" },
      {
        what: "search, first key to what was found, p95",
        figure: quantile(searches, 0.95),
        unit: "ms",
        target: 400,
      },
      {
        what: `scrolled ${Math.round(pixels)} pixels in 10 s: longest task`,
        figure: longest,
        unit: "ms",
        target: 50,
      },
      { what: "between two frames meanwhile, p95", figure: frames, unit: "ms", target: 20 },
      { what: "elements in the document meanwhile, at most", figure: nodes, unit: "", target: 2_500 },
      { what: `the End key, until the last record of the tab is there`, figure: end, unit: "s" },
    ];
  } finally {
    await context.close();
  }
}

/** In seconds. */
async function toTheEnd(page: Page): Promise<number> {
  const last = page.getByRole("tabpanel").getByRole("listitem").last();
  const begun = performance.now();
  await page.getByRole("region", { name: "Memories" }).focus();
  for (;;) {
    await page.keyboard.press("End");
    const [place, size] = await Promise.all([
      last.getAttribute("aria-posinset"),
      last.getAttribute("aria-setsize"),
    ]);
    if (place === size) return (performance.now() - begun) / 1_000;
  }
}

/** The milliseconds from the first key to the results of each search. */
async function searching(page: Page): Promise<number[]> {
  const field = page.getByLabel("Search all memory");
  const words = ["baba", "bebe", "bibi", "bobo", "bubu"];
  const times: number[] = [];
  for (let turn = 0; turn < SEARCHES; turn += 1) {
    await field.fill("");
    await page.getByRole("tabpanel").waitFor();
    const [time = 0] = await timed(1, async () => {
      await field.fill(`${words[turn % words.length] ?? ""} ${words[(turn * 3 + 1) % words.length] ?? ""}`);
      await page.getByText(/^(By keyword|No results)/).waitFor();
    });
    times.push(time);
  }
  return times;
}
