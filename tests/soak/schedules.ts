import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createScheduler, type Scheduler } from "../../brain/agents/scheduler/scheduler.ts";
import {
  noAgents,
  openTestSchedules,
  type TestSchedules,
} from "../../brain/agents/testing/open-test-schedules.ts";
import { type NewSchedule, type Occurrence, SchedulesConfig } from "@metahuman/core/contract/schedule";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { wallTimeOf, isoDay } from "@metahuman/core/language/dates/clock";
import { stateMigrations } from "@metahuman/core/runs/migrations";

const STEP_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
const ZONES = ["Europe/Oslo", "America/New_York", "UTC"];
const FINAL: ReadonlySet<Occurrence["state"]> = new Set(["succeeded", "failed", "missed", "skipped"]);

interface Planned {
  schedule: NewSchedule;
  zone: string;
  /** Minutes since midnight, and the local days of the week. */
  minute: number;
  weekdays: readonly number[];
}

interface Process {
  scheduler: Scheduler;
  test: TestSchedules;
  database: Database;
  /** From then on, every call of its stores fails, as if the process had ended there. */
  kill(after: number): void;
}

/** Reminders over many days of a simulated clock, with processes that are killed at random calls and started again. */
export async function scheduledDays({
  seed,
  from,
  days,
  schedules: count,
  kills,
  processes: together,
}: {
  seed: number;
  /** A UTC day: `2026-02-01`. */
  from: string;
  days: number;
  schedules: number;
  kills: number;
  processes: number;
}): Promise<{ done: Record<"killed" | "rows" | "notices" | "hoursOff", number>; problems: string[] }> {
  const random = generator(seed);
  const begin = Date.parse(`${from}T00:00:00.000Z`);
  const home = mkdtempSync(join(tmpdir(), "schedules-"));
  let time = begin;
  const clock = () => new Date(time);
  const opened: Process[] = [];
  const alive = new Set<Process>();
  const planned = Array.from({ length: count }, (_, index) => plan(index, random));
  const done = { killed: 0, rows: 0, notices: 0, hoursOff: 0 };
  const problems: string[] = [];

  const start = async (): Promise<Process> => {
    const process = await openProcess(home, clock);
    opened.push(process);
    alive.add(process);
    return process;
  };

  try {
    const first = await start();
    const ids: string[] = [];
    for (const { schedule } of planned)
      ids.push((await first.test.schedules.create(schedule, { actor: "ada" })).schedule.id);
    const end = begin + days * DAY_MS;
    // A little more often than evenly, because the time that follows each kill has no steps.
    const killEvery = Math.max(1, Math.floor((0.9 * days * DAY_MS) / STEP_MS / Math.max(1, kills)));
    let step = 0;
    while (time < end) {
      time += STEP_MS;
      step += 1;
      if (done.killed < kills && step % killEvery === 0) {
        for (const process of alive) process.kill(Math.floor(random() * 12));
        done.killed += 1;
      }
      const results = await Promise.allSettled([...alive].map(({ scheduler }) => scheduler.tick()));
      if (results.some(({ status }) => status === "rejected")) {
        alive.clear();
        // Off for up to a day and a half.
        const off = Math.floor(random() * 36) * 3_600_000;
        done.hoursOff += off / 3_600_000;
        time += off;
      }
      while (alive.size < together) await start();
    }
    const last = await start();
    await last.scheduler.tick();
    const noticeCount = (await last.test.notices.list({ limit: 1 })).total;
    done.notices = noticeCount;
    for (const [index, id] of ids.entries()) {
      const item = planned[index];
      if (!item) continue;
      const rows = await allRows(last, id);
      done.rows += rows.length;
      problems.push(...compare(item, rows, { begin, end: time }));
    }
  } finally {
    for (const { scheduler, test, database } of opened) {
      await scheduler.close().catch(() => undefined);
      await test.close();
      database.close();
    }
    rmSync(home, { recursive: true, force: true });
  }
  return { done, problems };
}

async function openProcess(home: string, clock: () => Date): Promise<Process> {
  const database = openDatabase(join(home, "state.db"), stateMigrations, { title: "the state" });
  const test = await openTestSchedules(home, { database, clock });
  let calls = Number.POSITIVE_INFINITY;
  const killable = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if ((calls -= 1) < 0) return Promise.reject(new Error("killed"));
          return Reflect.apply(value, target, args);
        };
      },
    });
  const scheduler = createScheduler({
    username: "ada",
    records: killable(test.records),
    ledger: killable(test.ledger),
    notices: killable(test.notices),
    watchedPages: killable(test.watchedPages),
    schedules: test.schedules,
    agents: noAgents,
    operator: {
      start: () => Promise.reject(new Error("reminders start no runs")),
      settled: () => Promise.reject(new Error("reminders start no runs")),
      cancel: () => Promise.reject(new Error("reminders start no runs")),
      resume: () => Promise.reject(new Error("reminders start no runs")),
    },
    clock,
    ownZone: test.ownZone,
    mode: async () => "dual",
    hasModel: async () => false,
    checkFunction: async () => undefined,
    taskStatus: async () => "todo",
    hasConversation: async () => false,
    config: () => SchedulesConfig.parse({}),
    onProblem: () => undefined,
    onNextChanged: () => undefined,
    onChange: () => undefined,
    runsTimers: false,
    deletesOldRows: true,
  });
  return { scheduler, test, database, kill: (after) => (calls = after) };
}

function plan(index: number, random: () => number): Planned {
  const zone = ZONES[index % ZONES.length] ?? "UTC";
  // Many lie in the hours that do not exist or exist twice.
  const minute = index % 2 === 0 ? 60 + 15 * Math.floor(random() * 8) : 15 * Math.floor(random() * 96);
  const weekdays = index % 3 === 0 ? [1, 2, 3, 4, 5] : [0, 1, 2, 3, 4, 5, 6];
  const days = index % 3 === 0 ? "1-5" : "*";
  return {
    zone,
    minute,
    weekdays,
    schedule: {
      what: { kind: "reminder", text: `Reminder ${index}` },
      when: { kind: "cron", expression: `${minute % 60} ${Math.floor(minute / 60)} * * ${days}` },
      timeZone: zone,
      graceMinutes: 20,
      catchUp: (["once", "all", "skip"] as const)[index % 3] ?? "once",
    },
  };
}

async function allRows({ test }: Process, id: string): Promise<Occurrence[]> {
  const rows: Occurrence[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await test.ledger.occurrences(id, { limit: 200, ...(cursor !== undefined && { cursor }) });
    rows.push(...page.items);
    cursor = page.nextCursor;
  }
  return rows.reverse();
}

interface Period {
  begin: number;
  end: number;
}

/** Compares the rows of a schedule with its due moments, found by walking through the local times of its zone. */
function compare(
  { schedule, zone, minute, weekdays }: Planned,
  rows: readonly Occurrence[],
  period: Period,
): string[] {
  const title = schedule.what.kind === "reminder" ? schedule.what.text : "";
  const expected = new Set(dueMoments({ zone, minute, weekdays }, period));
  const found = rows.map(({ dueAt }) => dueAt);
  const name = `${title} (${zone})`;
  return [
    ...[...expected].filter((at) => !found.includes(at)).map((at) => `${name}: ${at} has no row`),
    ...found.filter((at) => !expected.has(at)).map((at) => `${name}: ${at} was never due`),
    ...found.filter((at, index) => found.indexOf(at) !== index).map((at) => `${name}: ${at} has two rows`),
    ...rows
      .filter(({ state }) => !FINAL.has(state))
      .map(({ dueAt, state }) => `${name}: ${dueAt} is ${state}`),
    ...rows
      .filter(({ state, reason }) => state === "missed" && !reason?.includes("late"))
      .map(({ dueAt }) => `${name}: ${dueAt} was missed without a reason`),
  ];
}

/** One moment for each local day: its time, or the first quarter of an hour after it where the time does not exist. */
function dueMoments({ zone, minute, weekdays }: Omit<Planned, "schedule">, { begin, end }: Period): string[] {
  const byDay = new Map<string, string>();
  for (let index = begin - DAY_MS; index <= end; index += STEP_MS) {
    const wall = wallTimeOf(new Date(index), zone);
    const day = isoDay(wall);
    const isDay = weekdays.includes(new Date(`${day}T00:00:00Z`).getUTCDay());
    if (isDay && wall.hour * 60 + wall.minute >= minute && !byDay.has(day))
      byDay.set(day, new Date(index).toISOString());
  }
  // The walk begins in the middle of its first day.
  return [...byDay.values()].filter((at) => at > new Date(begin).toISOString());
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
