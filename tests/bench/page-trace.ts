import type { Browser } from "@playwright/test";
import { z } from "zod";

/** How many times slower the processor of a slow phone is than the measured one. */
export const SLOW_CPU = 4;
/** A task blocks the main thread for what it takes beyond this, in milliseconds (https://web.dev/articles/tbt). */
export const LONG_TASK_MS = 50;

/** Tasks, and the events that tell whose main thread a thread is. */
const CATEGORIES = ["toplevel", "devtools.timeline"];
const TASKS: ReadonlySet<string> = new Set(["RunTask", "ThreadControllerImpl::RunTask"]);
/** Promises and modules continue here. The trace shows it after the task that it belongs to, not within it. */
const MICROTASKS = "BlinkScheduler_PerformMicrotaskCheckpoint";
/** The tasks of a page begin shortly before its HTML is parsed, in microseconds. */
const BEFORE_PARSING = 50_000;

/** Times in microseconds; `tdur` is processor time. */
const TraceEvent = z.object({
  name: z.string(),
  pid: z.int(),
  tid: z.int(),
  ts: z.number(),
  dur: z.number().default(0),
  tdur: z.number().optional(),
  args: z.object({ beginData: z.object({ url: z.string() }).optional() }).optional(),
});
type TraceEvent = z.infer<typeof TraceEvent>;

/**
 * How long the main thread of a page is blocked on a slow phone by the processor time of its tasks, in milliseconds. Unlike
 * elapsed time, it hardly changes with other programs of the machine. `load` opens one page of the server with this address, without a
 * slower processor, and waits until it has loaded.
 */
export async function blockedByProcessorTime(
  browser: Browser,
  address: string,
  load: () => Promise<void>,
): Promise<number> {
  const tasks = outermost(mainThreadTasks(await traced(browser, load), new URL(address).host));
  return tasks.reduce((sum, { tdur = 0 }) => sum + Math.max(0, (SLOW_CPU * tdur) / 1_000 - LONG_TASK_MS), 0);
}

/** The events of the whole browser while `work` runs. */
async function traced(browser: Browser, work: () => Promise<void>): Promise<TraceEvent[]> {
  const devtools = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  devtools.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value) {
      const { success, data } = TraceEvent.safeParse(event);
      if (success) events.push(data);
    }
  });
  const complete = new Promise<void>((resolve) => devtools.once("Tracing.tracingComplete", () => resolve()));
  await devtools.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: CATEGORIES },
  });
  await work();
  await devtools.send("Tracing.end");
  await complete;
  await devtools.detach();
  return events;
}

/** The tasks of the thread that parses the HTML of a host, from then on. */
function mainThreadTasks(events: readonly TraceEvent[], host: string): TraceEvent[] {
  const parsing = events.find(
    ({ name, args }) => name === "ParseHTML" && args?.beginData?.url.includes(host) === true,
  );
  if (!parsing) throw new Error(`The trace of ${host} has no page.`);
  const { pid, tid, ts } = parsing;
  return events.filter(
    (event) =>
      event.pid === pid &&
      event.tid === tid &&
      event.ts >= ts - BEFORE_PARSING &&
      (TASKS.has(event.name) || event.name === MICROTASKS),
  );
}

/** Whole tasks: without those that are part of another one, and with the microtasks that follow each. */
function outermost(tasks: readonly TraceEvent[]): TraceEvent[] {
  const found: TraceEvent[] = [];
  for (const task of tasks.toSorted((one, other) => one.ts - other.ts || other.dur - one.dur)) {
    const last = found.at(-1);
    if (last && task.ts < last.ts + last.dur) continue;
    if (last && task.name === MICROTASKS)
      found.splice(-1, 1, {
        ...last,
        dur: task.ts + task.dur - last.ts,
        tdur: (last.tdur ?? 0) + (task.tdur ?? 0),
      });
    else found.push(task);
  }
  return found;
}
