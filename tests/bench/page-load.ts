import type { Browser } from "@playwright/test";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { Client } from "../support/client.ts";
import { signIn } from "../support/sign-in.ts";
import { blockedByProcessorTime, LONG_TASK_MS, SLOW_CPU } from "./page-trace.ts";
import { quantile } from "./statistics.ts";

/** Lighthouse's throttling for a phone: https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md */
const SLOW_NET = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 };
const TURNS = 5;
/** The time after which everything has loaded, in milliseconds. */
const SETTLED_MS = 3_500;

/** Web vitals, as the browser itself measures them (https://web.dev/articles/vitals); blocked: what long tasks have over 50 ms. */
const OBSERVE = `globalThis.vitals = { largestPaint: 0, blocked: 0, shift: 0 };
const watch = (type, note) =>
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
watch("largest-contentful-paint", (entry) => { vitals.largestPaint = entry.startTime; });
watch("longtask", (entry) => { vitals.blocked += entry.duration - ${LONG_TASK_MS}; });
watch("layout-shift", (entry) => { if (!entry.hadRecentInput) vitals.shift += entry.value; });`;
const Vitals = z.object({ largestPaint: z.number(), blocked: z.number(), shift: z.number() });

interface Timed extends z.infer<typeof Vitals> {
  scriptKilobytes: number;
  /** The time of the main thread in scripts, by its own clock, which other programs of the machine hardly affect. */
  script: number;
}

export interface Load extends Timed {
  /** The same as `blocked`, but by the processor time of tasks, which other programs of the machine hardly change. */
  blockedByProcessorTime: number;
}

/** Loads a page `TURNS` times with an empty cache on an emulated slow phone. Returns medians in milliseconds. */
export async function measureLoad(browser: Browser, owner: Client, path: string): Promise<Load> {
  const turns: Load[] = [];
  for (let turn = 0; turn < TURNS; turn += 1)
    turns.push({
      ...(await timeLoad(browser, owner, path)),
      blockedByProcessorTime: await traceLoad(browser, owner, path),
    });
  const median = (figure: keyof Load) =>
    quantile(
      turns.map((turn) => turn[figure]),
      0.5,
    );
  return {
    scriptKilobytes: median("scriptKilobytes"),
    largestPaint: Math.round(median("largestPaint")),
    blocked: Math.round(median("blocked")),
    blockedByProcessorTime: Math.round(median("blockedByProcessorTime")),
    script: Math.round(median("script")),
    shift: median("shift"),
  };
}

/** Opens an empty page with an empty cache and the network of a slow phone. */
async function openPage(browser: Browser, owner: Client) {
  const context = await browser.newContext({ baseURL: owner.url, viewport: { width: 412, height: 823 } });
  await signIn(context, owner);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", SLOW_NET);
  return { context, page, devtools };
}

async function timeLoad(browser: Browser, owner: Client, path: string): Promise<Timed> {
  const { context, page, devtools } = await openPage(browser, owner);
  const scripts: Promise<number>[] = [];
  page.on("response", (response) => {
    if (!response.url().endsWith(".js")) return;
    scripts.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOW_CPU });
  await page.addInitScript(OBSERVE);
  await page.goto(path);
  await page.waitForTimeout(SETTLED_MS);
  const vitals = Vitals.parse(await page.evaluate<unknown>("vitals"));
  const { metrics } = await devtools.send("Performance.getMetrics");
  const script = metrics.find(({ name }) => name === "ScriptDuration")?.value;
  if (script === undefined) throw new Error("The browser does not report the duration of scripts.");
  // What begins to load later is not part of the first load, and would fail when the page closes.
  page.removeAllListeners("response");
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return { ...vitals, scriptKilobytes: bytes / 1_000, script: script * 1_000 };
}

/** A slower processor is emulated by work that would count as processor time, so this load has none. */
async function traceLoad(browser: Browser, owner: Client, path: string): Promise<number> {
  const { context, page } = await openPage(browser, owner);
  const blocked = await blockedByProcessorTime(browser, owner.url, async () => {
    await page.goto(path);
    await page.waitForTimeout(SETTLED_MS);
  });
  await context.close();
  return blocked;
}
