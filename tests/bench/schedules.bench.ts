import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createScheduler, type Scheduler } from "../../brain/agents/scheduler/scheduler.ts";
import {
  noAgents,
  openTestSchedules,
  type TestSchedules,
} from "../../brain/agents/testing/open-test-schedules.ts";
import { type ScheduleWhenInput, SchedulesConfig } from "@metahuman/core/contract/schedule";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import type { Row } from "./row.ts";
import { quantile, timed } from "./statistics.ts";

export const name = "schedules";

const SCHEDULES = 1_000;
const MINUTE_MS = 60_000;
/** Before the first one is due, so that all are stored. */
const START_DELAY_MS = 60_000;

/** The delay of a thousand reminders in one minute, and the cost of a thousand schedules that are due next year. */
export async function run(): Promise<Row[]> {
  return [...(await drift()), ...(await idle())];
}

/** A thousand reminders, spread over a minute of the real clock. */
async function drift(): Promise<Row[]> {
  return await withScheduler(async ({ schedules, ledger }, scheduler) => {
    const first = Date.now() + START_DELAY_MS;
    const spread = (index: number) => new Date(first + (index * MINUTE_MS) / SCHEDULES).toISOString();
    await addAll({ schedules }, (index) => ({ kind: "at", at: spread(index) }));
    scheduler.notify();
    await delay(first + MINUTE_MS + 10_000 - Date.now());
    await scheduler.idle();
    const rows = await ledger.between(
      new Date(first - 1).toISOString(),
      new Date(first + MINUTE_MS).toISOString(),
    );
    const late = rows.flatMap(({ dueAt, startedAt }) =>
      startedAt === undefined ? [] : [Date.parse(startedAt) - Date.parse(dueAt)],
    );
    return [
      { what: "reminders told of 1 000 in a minute", figure: late.length, unit: "", least: SCHEDULES },
      { what: "told after they were due, p50", figure: quantile(late, 0.5), unit: "ms" },
      { what: "told after they were due, p95", figure: quantile(late, 0.95), unit: "ms" },
      { what: "told after they were due, p99", figure: quantile(late, 0.99), unit: "ms", target: 1_000 },
    ];
  });
}

/** A minute of waiting, and one look, with a thousand schedules of which none is due. */
async function idle(): Promise<Row[]> {
  return await withScheduler(async ({ schedules }, scheduler) => {
    await addAll({ schedules }, (index) => ({
      kind: "cron",
      expression: `${index % 60} ${index % 24} ${1 + (index % 28)} 2 *`,
    }));
    await scheduler.tick();
    const looks = await timed(50, () => scheduler.tick());
    const before = process.cpuUsage();
    const begun = performance.now();
    await delay(MINUTE_MS);
    const { user, system } = process.cpuUsage(before);
    const share = (user + system) / 1_000 / (performance.now() - begun);
    return [
      {
        what: "one look with 1 000 schedules, median",
        figure: Number(quantile(looks, 0.5).toFixed(2)),
        unit: "ms",
      },
      {
        what: "processor while 1 000 schedules wait",
        figure: Number((share * 100).toFixed(3)),
        unit: "%",
        target: 0.5,
      },
    ];
  });
}

async function addAll(
  { schedules }: Pick<TestSchedules, "schedules">,
  when: (index: number) => ScheduleWhenInput,
): Promise<void> {
  for (let index = 0; index < SCHEDULES; index += 1)
    await schedules.create(
      { what: { kind: "reminder", text: `Reminder ${index}` }, when: when(index), timeZone: "Europe/Oslo" },
      { actor: "ada" },
    );
}

async function withScheduler(
  work: (test: TestSchedules, scheduler: Scheduler) => Promise<Row[]>,
): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-"));
  const clock = () => new Date();
  const database = openDatabase(join(home, "state.db"), stateMigrations, { title: "the state" });
  const test = await openTestSchedules(home, { database, clock });
  const none = () => Promise.reject(new Error("reminders start no runs"));
  const scheduler = createScheduler({
    ...test,
    username: "ada",
    agents: noAgents,
    operator: { start: none, settled: none, cancel: none, resume: none },
    clock,
    mode: async () => "dual",
    hasModel: async () => false,
    checkFunction: async () => undefined,
    taskStatus: async () => "todo",
    hasConversation: async () => false,
    config: () => SchedulesConfig.parse({}),
    onProblem: (message, cause) => {
      throw new Error(message, { cause });
    },
    onNextChanged: () => undefined,
    onChange: () => undefined,
    runsTimers: true,
    deletesOldRows: true,
  });
  try {
    return await work(test, scheduler);
  } finally {
    await scheduler.close();
    await test.close();
    database.close();
    await rm(home, { recursive: true, force: true });
  }
}
