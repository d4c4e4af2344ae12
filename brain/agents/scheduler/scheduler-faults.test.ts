import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type NewSchedule, SchedulesConfig } from "@metahuman/core/contract/schedule";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { StorageCorruptError, StorageFullError } from "@metahuman/core/errors/storage-errors";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { makeTestHome, type TestHome } from "../operator/testing/open-operator.ts";
import { call, say, scriptedPlanner } from "../operator/testing/scripted-planner.ts";
import { openTestPorts, type TestPorts } from "../operator/testing/test-ports.ts";
import { executedCalls, testSkills } from "../operator/testing/test-skills.ts";
import { noAgents, openTestSchedules, type TestSchedules } from "../testing/open-test-schedules.ts";
import { createScheduler, type Scheduler, type SchedulerOptions } from "./scheduler.ts";

const DAY = 86_400_000;
/** `npm run bench -- schedules` delivers 1,000. */
const REMINDERS = 250;
const by = { actor: "ada" };

let time: number;
const clock = () => new Date(time);
/** Everything to close at the end of a test, in order. */
const closing: (() => Promise<unknown> | void)[] = [];

beforeEach(() => {
  time = Date.parse("2026-11-20T08:00:00.000Z");
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const nobody: SchedulerOptions["operator"] = {
  start: () => Promise.reject(new Error("reminders start no runs")),
  settled: () => Promise.reject(new Error("reminders start no runs")),
  cancel: () => Promise.reject(new Error("reminders start no runs")),
  resume: () => Promise.reject(new Error("reminders start no runs")),
};

function start(test: TestSchedules, options: Partial<SchedulerOptions> = {}): Scheduler {
  const scheduler = createScheduler({
    ...test,
    username: "ada",
    agents: noAgents,
    operator: nobody,
    clock,
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
    waitingLookMs: 10,
    ...options,
  });
  closing.unshift(() => scheduler.close().catch(() => undefined));
  return scheduler;
}

/** A process on the profile in `home`; a reminder starts nothing else. */
async function openReminders(home: string): Promise<{ test: TestSchedules; database: Database }> {
  const database = openDatabase(join(home, "state.db"), stateMigrations, { title: "the state" });
  const test = await openTestSchedules(home, { database, clock });
  closing.push(
    () => test.close(),
    () => database.close(),
  );
  return { test, database };
}

/** A process on the profile in `home`, whose schedules start runs that this planner plans. */
async function openRequests(home: TestHome, planner: ReturnType<typeof scriptedPlanner>) {
  const { operator, database } = await home.open(planner, { skills: testSkills(home.journal), clock });
  const test = await openTestSchedules(home.folder, { database, clock });
  closing.unshift(() => test.close());
  return { operator, test };
}

/** Executes what is due, until nothing is running. */
async function work(scheduler: Scheduler): Promise<void> {
  await scheduler.tick();
  await scheduler.idle();
}

/** The stores of a process that ends at its next calls after `calls`: from then on, every call fails. */
function killable<Store extends object>(store: Store, life: { calls: number }): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if ((life.calls -= 1) < 0) return Promise.reject(new Error("killed"));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

/** Executes what is due in a process that ends after `calls` calls of its stores. */
async function killAfter(
  calls: number,
  { operator, test }: Awaited<ReturnType<typeof openRequests>>,
): Promise<void> {
  const life = { calls };
  const { records, ledger, notices, schedules } = test;
  const stores = {
    records: killable(records, life),
    ledger: killable(ledger, life),
    notices: killable(notices, life),
    schedules: killable(schedules, life),
  };
  const killed = start({ ...test, ...stores }, { operator });
  await killed.tick().catch(() => undefined);
  await killed.idle();
  life.calls = 0;
}

const daily = (changes: Partial<NewSchedule> = {}): NewSchedule => ({
  what: { kind: "reminder", text: "Stand up" },
  when: { kind: "cron", expression: "0 9 * * *" },
  timeZone: "UTC",
  ...changes,
});
const dailyNote = daily({ what: { kind: "request", goal: "write it down" }, grants: ["write_down"] });

const statesOf = async ({ ledger }: TestSchedules, id: string) =>
  (await ledger.occurrences(id, { limit: 100 })).items.map(({ state }) => state);

describe("a request whose process ends between claim and outcome", () => {
  let ports: TestPorts;
  let home: TestHome;
  beforeAll(async () => {
    ports = await openTestPorts();
  });
  afterAll(() => ports.close());
  beforeEach(() => {
    home = makeTestHome(ports);
    closing.push(() => home.remove());
  });

  // Each count ends the process one call later, until it completes.
  it.each(Array.from({ length: 24 }, (_, calls) => calls))(
    "after %i calls has one final row and acts once",
    async (calls) => {
      const moves = [call("write_down", { text: "once" }), say("Written down.")];
      const open = () => openRequests(home, scriptedPlanner(moves));
      const first = await open();
      const { schedule } = await first.test.schedules.create(dailyNote, by);
      time += 3_600_000;
      await killAfter(calls, first);

      time += LEASE_MS + 1_000;
      const second = await open();
      const survivor = start(second.test, second);
      await work(survivor);
      await work(survivor);
      expect(await statesOf(second.test, schedule.id)).toEqual(["succeeded"]);
      expect(await executedCalls(home.journal)).toEqual(["once"]);
      const { items } = await second.test.notices.list({ limit: 10 });
      expect(items.map(({ title }) => title)).toEqual(["Done: Write it down"]);
    },
  );

  // The calls from the claim on; the last count is beyond the end.
  it.each(Array.from({ length: 22 }, (_, calls) => calls + 12))(
    "after %i calls of its third failure is paused, and the person is notified",
    async (calls) => {
      const open = () => openRequests(home, scriptedPlanner([say("I did not understand that.")]));
      const first = await open();
      const { schedule } = await first.test.schedules.create(dailyNote, by);
      const before = start(first.test, first);
      for (const hours of [1, 24]) {
        time += hours * 3_600_000;
        await work(before);
      }
      await before.close();
      time += DAY;
      await killAfter(calls, first);

      time += LEASE_MS + 1_000;
      const second = await open();
      await work(start(second.test, second));
      expect(await statesOf(second.test, schedule.id)).toEqual(["failed", "failed", "failed"]);
      expect((await second.test.schedules.get(schedule.id)).schedule.enabled).toBe(false);
      const { items } = await second.test.notices.list({ limit: 10 });
      expect(items.map(({ title }) => title.split(":")[0]).sort()).toEqual([
        "Failed",
        "Failed",
        "Failed",
        "Paused",
      ]);
    },
  );
});

describe("a request whose attempt could not be stored", () => {
  let ports: TestPorts;
  let home: TestHome;
  beforeAll(async () => {
    ports = await openTestPorts();
  });
  afterAll(() => ports.close());
  beforeEach(() => {
    home = makeTestHome(ports);
    closing.push(() => home.remove());
  });

  it("is ended by the same process when it can be stored again, and acts once", async () => {
    const moves = [call("write_down", { text: "once" }), say("Written down.")];
    const { operator, test } = await openRequests(home, scriptedPlanner(moves));
    const { schedule } = await test.schedules.create(dailyNote, by);
    let isFull = true;
    const scheduler = start(test, {
      operator,
      notices: {
        ...test.notices,
        send: (notices) =>
          isFull && notices.length > 0
            ? Promise.reject(new StorageFullError("The disk is full."))
            : test.notices.send(notices),
      },
    });
    time += 3_600_000;
    await scheduler.tick();
    await scheduler.idle();
    expect(await statesOf(test, schedule.id)).toEqual(["running"]);
    isFull = false;
    time += 30_000;
    await scheduler.tick();
    await scheduler.idle();
    expect(await statesOf(test, schedule.id)).toEqual(["succeeded"]);
    expect(await executedCalls(home.journal)).toEqual(["once"]);
  });
});

/** Stops the database from growing and fills its free pages, so that SQLite reports a full disk. */
function fill({ connection }: Database): void {
  connection.exec("CREATE TABLE filler (bytes BLOB)");
  connection.pragma(`max_page_count = ${String(connection.pragma("page_count", { simple: true }))}`);
  for (const size of [4_000, 100, 1])
    expect(() => {
      for (;;) connection.prepare("INSERT INTO filler VALUES (randomblob(?))").run(size);
    }).toThrow("full");
}

describe("a reminder", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "scheduler-faults-"));
    closing.push(() => rmSync(home, { recursive: true, force: true }));
  });

  it("on a full disk is not lost: it is recorded and delivered when there is room again", async () => {
    const { test, database } = await openReminders(home);
    const ids: string[] = [];
    // Together they need more than the pages that are there.
    for (let index = 0; index < 30; index += 1) {
      const what = { kind: "reminder" as const, text: `${index} ${"stand up ".repeat(50)}`.trim() };
      ids.push((await test.schedules.create(daily({ what, catchUp: "all" }), by)).schedule.id);
    }
    const scheduler = start(test);
    await scheduler.tick();
    fill(database);
    time += 3_600_000;
    await expect(scheduler.tick()).rejects.toThrow(StorageFullError);
    expect((await test.notices.list({ limit: 1 })).total).toBe(0);
    time += 600_000;
    database.connection.pragma("max_page_count = 1000000");
    await scheduler.tick();
    for (const id of ids) expect(await statesOf(test, id)).toEqual(["succeeded"]);
    const { items, total } = await test.notices.list({ limit: 1 });
    expect(total).toBe(30);
    expect(items[0]?.body).toContain("late");
  });

  it.each([
    ["skip", "missed"],
    ["once", "succeeded"],
    ["all", "succeeded"],
  ] as const)(
    "that was recorded but not started is delivered, with %s, %s days later",
    async (catchUp, state) => {
      const { test } = await openReminders(home);
      const { schedule, next } = await test.schedules.create(
        daily({ catchUp, when: { kind: "at", at: "2026-11-20T09:00:00.000Z" } }),
        by,
      );
      time += 3_600_000;
      // Its process ended right after the row was written.
      const moment = await test.ledger.moment(schedule.id);
      await test.ledger.advance([
        {
          scheduleId: schedule.id,
          expected: { timing: moment?.timing ?? "", next: next[0] ?? "" },
          rows: [{ dueAt: next[0] ?? "", state: "due" }],
          next: null,
          note: null,
        },
      ]);
      time += 3 * DAY;
      await start(test).tick();
      expect(await statesOf(test, schedule.id)).toEqual([state]);
      const { items } = await test.notices.list({ limit: 5 });
      expect(items.map(({ title }) => title)).toEqual([state === "missed" ? "Missed: Stand up" : "Stand up"]);
    },
  );

  it("is delivered if the task file of another one is damaged or unreadable, and so is that one", async () => {
    const { test } = await openReminders(home);
    const what = (text: string, taskId?: string) => ({
      kind: "reminder" as const,
      text,
      ...(taskId !== undefined && { taskId }),
    });
    const damaged = "task-20261120T080000000Z-damaged";
    await test.schedules.create(daily({ what: what("Damaged", damaged) }), by);
    await test.schedules.create(daily({ what: what("Healthy") }), by);
    const problems: string[] = [];
    const scheduler = start(test, {
      onProblem: (message) => void problems.push(message),
      taskStatus: () => Promise.reject(new StorageCorruptError("The task cannot be read.")),
    });
    time += 3_600_000;
    await scheduler.tick();
    await scheduler.idle();
    const { items } = await test.notices.list({ limit: 10 });
    expect(items.map(({ title }) => title).sort()).toEqual(["Damaged", "Healthy"]);
    expect(problems).toEqual(["the task of a reminder could not be read"]);
  });

  it("of a finished task ends, although its schedule is deleted at the same time", async () => {
    const { test } = await openReminders(home);
    const taskId = "task-20261120T080000000Z-done";
    const { schedule } = await test.schedules.create(
      daily({ what: { kind: "reminder", text: "Done", taskId } }),
      by,
    );
    await test.schedules.create(daily(), by);
    const { schedules } = test;
    const scheduler = start(test, {
      taskStatus: async () => "done",
      schedules: {
        pause: async (id, reason) => {
          await schedules.remove(id);
          return schedules.pause(id, reason);
        },
      },
    });
    time += 3_600_000;
    await scheduler.tick();
    expect(await statesOf(test, schedule.id)).toEqual(["skipped"]);
    expect((await test.notices.list({ limit: 10 })).items.map(({ title }) => title)).toEqual(["Stand up"]);
  });

  it("is due within a minute even without grace", async () => {
    const { test } = await openReminders(home);
    const { schedule } = await test.schedules.create(daily({ catchUp: "skip", graceMinutes: 0 }), by);
    const scheduler = start(test);
    time += 3_600_000 + 20_000;
    await scheduler.tick();
    expect(await statesOf(test, schedule.id)).toEqual(["succeeded"]);
  });

  it("is delivered once if the clock is set back, and missed ones are recorded if it is set forward", async () => {
    const { test } = await openReminders(home);
    const { schedule } = await test.schedules.create(daily({ catchUp: "skip" }), by);
    const scheduler = start(test);
    time += 3_600_000;
    await scheduler.tick();
    time -= 7_200_000;
    await scheduler.tick();
    time += 7_200_000;
    await scheduler.tick();
    expect(await statesOf(test, schedule.id)).toEqual(["succeeded"]);
    time += 2 * DAY + 3_600_000;
    await scheduler.tick();
    expect(await statesOf(test, schedule.id)).toEqual(["missed", "missed", "succeeded"]);
  });

  it("is delivered with hundreds of others of the same minute, each once", async () => {
    const { test } = await openReminders(home);
    const texts = Array.from({ length: REMINDERS }, (_, index) => `Reminder ${String(index)}`);
    await Promise.all(
      texts.map((text) => test.schedules.create(daily({ what: { kind: "reminder", text } }), by)),
    );
    const scheduler = start(test);
    time += 3_600_000;
    await scheduler.tick();
    expect((await test.notices.list({ limit: 1 })).total).toBe(REMINDERS);
    const rows = await test.ledger.between("2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z");
    expect(rows.filter(({ state }) => state === "succeeded")).toHaveLength(REMINDERS);
  }, 60_000);
});

it("lets no schedule create further schedules that nobody granted", async () => {
  const home = mkdtempSync(join(tmpdir(), "mh-schedule-grants-"));
  const needs = { needsModel: false, skills: ["task_list", "schedule_create"] };
  const test = await openTestSchedules(home, { clock, needs });
  closing.push(
    () => test.close(),
    () => rmSync(home, { recursive: true, force: true }),
  );
  const what = { kind: "request" as const, goal: "list my tasks, and again an hour later" };
  const given = { what, when: "every day at 8" };
  expect((await test.schedules.create(given, by)).schedule.grants).toEqual(["task_list"]);
  const granted = await test.schedules.create({ ...given, grants: ["schedule_create"] }, by);
  expect(granted.schedule.grants).toEqual(["schedule_create"]);
});
