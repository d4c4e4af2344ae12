import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SchedulesConfig, type NewSchedule } from "@metahuman/core/contract/schedule";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { openOccurrenceLedger } from "@metahuman/core/schedules/open-occurrence-ledger";
import { makeTestHome, type TestHome, type TestOperator } from "../operator/testing/open-operator.ts";
import { call, say, scriptedPlanner, type Scripted } from "../operator/testing/scripted-planner.ts";
import { openTestPorts, type TestPorts } from "../operator/testing/test-ports.ts";
import { executedCalls, holdUntil, testSkills, unreachableHost } from "../operator/testing/test-skills.ts";
import { noAgents, openTestSchedules, type TestSchedules } from "../testing/open-test-schedules.ts";
import { createScheduler, type Scheduler, type SchedulerOptions } from "./scheduler.ts";

let ports: TestPorts;
let home: TestHome;
let time: number;
let mode: CognitiveMode;
/** Resolves when the long-running skill may end. */
let held: PromiseWithResolvers<void>;
const opened: { scheduler: Scheduler; test: TestSchedules }[] = [];

beforeAll(async () => {
  ports = await openTestPorts();
});
afterAll(() => ports.close());
beforeEach(() => {
  home = makeTestHome(ports);
  time = Date.parse("2026-11-20T08:00:00.000Z");
  mode = "dual";
});
afterEach(async () => {
  for (const { scheduler, test } of opened.splice(0)) {
    await scheduler.close();
    await test.close();
  }
  await home.remove();
});

const clock = () => new Date(time);
const pass = (minutes: number) => void (time += minutes * 60_000);

interface Harness extends TestSchedules {
  operator: TestOperator;
  scheduler: Scheduler;
  /** Executes what is due, and waits until all of it has ended. */
  run(): Promise<void>;
}

/** A process with a scheduler over the profile in `home`. */
async function open(moves: readonly Scripted[], options: Partial<SchedulerOptions> = {}): Promise<Harness> {
  held = Promise.withResolvers<void>();
  const skills = [...testSkills(home.journal), unreachableHost, holdUntil(held.promise)];
  const operator = await home.open(scriptedPlanner(moves), { skills, clock });
  const test = await openTestSchedules(home.folder, { database: operator.database, clock });
  const scheduler = createScheduler({
    ...test,
    username: "ada",
    agents: noAgents,
    operator: operator.operator,
    clock,
    mode: async () => mode,
    hasModel: async () => false,
    checkFunction: async () => undefined,
    taskStatus: async () => "todo",
    hasConversation: (id) => operator.persistent.store.hasConversation(id),
    config: () => SchedulesConfig.parse({}),
    onProblem: (message, cause) => {
      throw new Error(message, { cause });
    },
    onNextChanged: () => undefined,
    onChange: () => undefined,
    runsTimers: false,
    waitingLookMs: 10,
    ...options,
  });
  opened.push({ scheduler, test });
  return {
    ...test,
    operator,
    scheduler,
    async run() {
      await scheduler.tick();
      await scheduler.idle();
    },
  };
}

const daily = (changes: Partial<NewSchedule> = {}): NewSchedule => ({
  what: { kind: "request", goal: "write it down" },
  when: { kind: "cron", expression: "0 9 * * *" },
  grants: ["write_down"],
  timeZone: "UTC",
  ...changes,
});
const by = { actor: "ada" };
const rowsOf = async ({ ledger }: TestSchedules, id: string) =>
  (await ledger.occurrences(id, { limit: 100 })).items;
const titles = async ({ notices }: TestSchedules) =>
  (await notices.list({ limit: 100 })).items.map(({ title }) => title);

describe("a request that is due", () => {
  const writes = [call("write_down", { text: "once" }), say("Written down.")];

  it("runs as an ordinary run, once, and its result is reported", async () => {
    const harness = await open(writes);
    const { schedule, next } = await harness.schedules.create(daily(), by);
    expect(next[0]).toBe("2026-11-20T09:00:00.000Z");
    await harness.run();
    expect(await executedCalls(home.journal)).toEqual([]);
    pass(60);
    await harness.run();
    await harness.run();
    expect(await executedCalls(home.journal)).toEqual(["once"]);
    const [row, ...others] = await rowsOf(harness, schedule.id);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ dueAt: next[0], state: "succeeded", outcome: "answered", attempt: 1 });
    const { request, ...rest } = await harness.operator.persistent.store.request(row?.runId ?? "");
    expect(request.goal).toBe("write it down");
    expect(rest).toMatchObject({
      surface: "schedule",
      occurrence: { scheduleId: schedule.id, dueAt: next[0], grants: ["write_down"] },
    });
    expect(await titles(harness)).toEqual(["Done: Write it down"]);
    expect((await harness.schedules.get(schedule.id)).next[0]).toBe("2026-11-21T09:00:00.000Z");
  });

  it("runs in the time zone and the locale of the person who scheduled it", async () => {
    const harness = await open(writes);
    const region = { timeZone: "Europe/Madrid", locale: "es-ES" };
    const when = { kind: "cron" as const, expression: "0 10 * * *" };
    const { timeZone: _zone, ...inOwnZone } = daily({ when });
    const { schedule } = await harness.schedules.create(inOwnZone, { ...by, region });
    pass(60);
    await harness.run();
    const [row] = await rowsOf(harness, schedule.id);
    const { request } = await harness.operator.persistent.store.request(row?.runId ?? "");
    expect(request).toMatchObject(region);
    const { schedule: edited } = await harness.schedules.edit(schedule.id, { title: "Diary" });
    expect(edited).toMatchObject(region);
  });

  it("is reported with the beginning of a long answer, which ends with an ellipsis", async () => {
    const harness = await open([call("write_down", { text: "once" }), say("A long report. ".repeat(100))]);
    await harness.schedules.create(daily(), by);
    pass(60);
    await harness.run();
    await harness.run();
    const { items } = await harness.notices.list({ limit: 1 });
    expect(items[0]?.body).toMatch(/^(?=.{1,1000}$)A long report\. .*…$/u);
  });

  it("runs in one of two processes", async () => {
    const one = await open(writes);
    const two = await open(writes);
    const { schedule } = await one.schedules.create(daily(), by);
    pass(60);
    await Promise.all([one.run(), two.run()]);
    expect(await rowsOf(two, schedule.id)).toHaveLength(1);
    expect(await executedCalls(home.journal)).toEqual(["once"]);
  });

  it("runs once after days without a process, and the missed ones are reported", async () => {
    const harness = await open(writes);
    const { schedule } = await harness.schedules.create(daily(), by);
    pass(3 * 1_440);
    await harness.run();
    expect((await rowsOf(harness, schedule.id)).map(({ state }) => state)).toEqual([
      "succeeded",
      "missed",
      "missed",
    ]);
    expect(await titles(harness)).toEqual(["Done: Write it down", "Missed: Write it down"]);
  });

  it("runs in another process if its own ends between claim and run", async () => {
    const harness = await open(writes);
    const { schedule } = await harness.schedules.create(daily(), by);
    pass(60);
    const ended = openOccurrenceLedger(harness.operator.database, { clock });
    const [stored] = await ended.dueSchedules(clock());
    const expected = { timing: stored?.timing ?? "", next: stored?.next ?? "" };
    const dueAt = expected.next;
    await ended.advance([
      { scheduleId: schedule.id, expected, rows: [{ dueAt, state: "due" }], next: null, note: null },
    ]);
    await ended.claim({ scheduleId: schedule.id, dueAt });
    await harness.run();
    expect(await executedCalls(home.journal)).toEqual([]);
    time += LEASE_MS;
    await harness.run();
    expect(await executedCalls(home.journal)).toEqual(["once"]);
    expect(await rowsOf(harness, schedule.id)).toMatchObject([{ state: "succeeded", attempt: 1 }]);
  });

  it("does nothing while the profile is in emulation", async () => {
    const harness = await open(writes);
    const { schedule } = await harness.schedules.create(daily(), by);
    mode = "emulation";
    pass(60);
    await harness.run();
    expect(await rowsOf(harness, schedule.id)).toMatchObject([
      { state: "skipped", reason: "In emulation mode, no schedule runs." },
    ]);
    expect(await executedCalls(home.journal)).toEqual([]);
  });

  it("is not lost if its schedule is changed, paused or deleted before it is recorded", async () => {
    const harness = await open(writes);
    const { schedule } = await harness.schedules.create(daily({ catchUp: "skip" }), by);
    pass(2 * 1_440);
    await harness.schedules.edit(schedule.id, { when: "every day at 10" });
    expect((await rowsOf(harness, schedule.id)).map(({ state }) => state)).toEqual(["missed", "missed"]);
    pass(4 * 60);
    await harness.schedules.pause(schedule.id);
    await harness.run();
    expect((await rowsOf(harness, schedule.id)).map(({ state }) => state)).toEqual([
      "missed",
      "missed",
      "missed",
    ]);
    expect(await executedCalls(home.journal)).toEqual([]);
  });

  it("starts on request, also while its schedule is paused", async () => {
    const harness = await open(writes);
    const { schedule } = await harness.schedules.create(daily({ enabled: false }), by);
    const { dueAt } = await harness.schedules.runNow(schedule.id);
    await expect(harness.schedules.runNow(schedule.id)).rejects.toThrow(ConflictError);
    expect(await harness.scheduler.execute({ scheduleId: schedule.id, dueAt })).toMatchObject({
      state: "succeeded",
    });
    expect(await executedCalls(home.journal)).toEqual(["once"]);
  });
});

describe("a request that fails", () => {
  it("is paused after three failures in a row, and reports it", async () => {
    const harness = await open([say("I did not understand that.")]);
    const { schedule } = await harness.schedules.create(daily(), by);
    for (let day = 0; day < 4; day += 1) {
      pass(day === 0 ? 60 : 1_440);
      await harness.run();
    }
    expect((await rowsOf(harness, schedule.id)).map(({ state }) => state)).toEqual([
      "failed",
      "failed",
      "failed",
    ]);
    expect((await harness.schedules.get(schedule.id)).schedule).toMatchObject({ enabled: false });
    expect((await titles(harness))[0]).toBe("Paused: Write it down");
    await harness.schedules.resume(schedule.id);
    pass(1_440);
    await harness.run();
    expect((await harness.schedules.get(schedule.id)).schedule.enabled).toBe(true);
  });

  it("is retried for a temporary reason, and fails only after the last attempt", async () => {
    const harness = await open([call("reach"), say("There was no answer.")]);
    const { schedule } = await harness.schedules.create(daily(), by);
    pass(60);
    const states: string[] = [];
    for (const minutes of [0, 1, 5, 15]) {
      pass(minutes);
      await harness.run();
      const [row] = await rowsOf(harness, schedule.id);
      states.push(`${row?.state} ${row?.attempt}`);
    }
    expect(states).toEqual(["due 1", "due 2", "due 3", "failed 4"]);
    expect(await titles(harness)).toEqual(["Failed: Write it down"]);
  });

  it("is not attempted without the model that it needs", async () => {
    const harness = await open([say("Never asked.")], {
      config: () => SchedulesConfig.parse({ retryAfterSeconds: [] }),
    });
    const { schedule } = await harness.schedules.create(daily(), by);
    await harness.records.change(schedule.id, undefined, (before) => ({ ...before, needsModel: true }));
    pass(60);
    await harness.run();
    const [row] = await rowsOf(harness, schedule.id);
    expect(row).toMatchObject({ state: "failed" });
    expect(row?.reason).toContain("needs a language model");
    expect(row?.runId).toBeUndefined();
  });

  it("is refused if its function may no longer run", async () => {
    const harness = await open([], {
      checkFunction: () => Promise.reject(new ConflictError("“Report” is not verified.")),
    });
    const what = { kind: "function" as const, functionId: "func-20251114-abc123", values: {} };
    const { schedule } = await harness.schedules.create(daily({ what }), by);
    pass(60);
    await harness.run();
    expect(await rowsOf(harness, schedule.id)).toMatchObject([
      { state: "failed", reason: "“Report” is not verified." },
    ]);
  });
});

describe("a request that needs a person", () => {
  const shreds = [call("shred", { text: "it" }), say("Shredded.")];

  it("waits for the approval, and is skipped if nobody decides", async () => {
    const harness = await open(shreds);
    const body = daily({ grants: ["shred"], approvalMinutes: 60 });
    const { schedule } = await harness.schedules.create(body, by);
    pass(60);
    await harness.scheduler.tick();
    await expect.poll(() => titles(harness)).toEqual(["Waiting for you: Write it down"]);
    pass(60);
    await harness.scheduler.idle();
    expect(await rowsOf(harness, schedule.id)).toMatchObject([
      { state: "skipped", reason: "waited for a person" },
    ]);
    expect(await executedCalls(home.journal)).toEqual([]);
  });

  it("continues after the approval, and the next occurrence is skipped meanwhile", async () => {
    const harness = await open(shreds);
    const { schedule } = await harness.schedules.create(
      daily({ when: { kind: "every", seconds: 3_600 }, grants: ["shred"] }),
      by,
    );
    pass(60);
    await harness.scheduler.tick();
    await expect.poll(() => titles(harness)).toHaveLength(1);
    pass(60);
    await harness.scheduler.tick();
    expect(await rowsOf(harness, schedule.id)).toMatchObject([
      { state: "skipped", reason: "An earlier occurrence was still running." },
      { state: "running" },
    ]);
    const pending = await harness.operator.persistent.store.approvals({ status: "pending", limit: 1 });
    await harness.operator.operator.decide(pending.items[0]?.id ?? "", "once");
    await harness.scheduler.idle();
    expect(await rowsOf(harness, schedule.id)).toMatchObject([{ state: "skipped" }, { state: "succeeded" }]);
    expect(await executedCalls(home.journal)).toEqual(["shredded it"]);
  });

  it("counts as concurrent again when the person has answered", async () => {
    const harness = await open([call("hold"), say("Held.")]);
    const asked = await harness.schedules.create(daily({ grants: ["hold"] }), by);
    pass(60);
    await harness.scheduler.tick();
    await expect.poll(() => titles(harness)).toHaveLength(1);
    const pending = await harness.operator.persistent.store.approvals({ status: "pending", limit: 1 });
    await harness.operator.operator.decide(pending.items[0]?.id ?? "", "once");
    const other = await harness.schedules.create(daily(), by);
    await harness.schedules.runNow(other.schedule.id);
    const statusAfterTick = async () => {
      await harness.scheduler.tick();
      const [row] = await rowsOf(harness, asked.schedule.id);
      return (await harness.operator.persistent.store.run(row?.runId ?? "")).status;
    };
    await expect.poll(statusAfterTick).toBe("running");
    await harness.scheduler.tick();
    expect(await rowsOf(harness, other.schedule.id)).toMatchObject([{ state: "due" }]);
    held.resolve();
    await harness.scheduler.idle();
    expect(await rowsOf(harness, asked.schedule.id)).toMatchObject([{ state: "succeeded" }]);
  });

  it("asks for a skill that was not granted when it was saved", async () => {
    const harness = await open([call("write_down", { text: "unasked" }), say("Done.")]);
    await harness.schedules.create(daily({ grants: [] }), by);
    pass(60);
    await harness.scheduler.tick();
    await expect.poll(() => titles(harness)).toEqual(["Waiting for you: Write it down"]);
    expect(await executedCalls(home.journal)).toEqual([]);
  });
});

describe("a reminder", () => {
  const reminder = daily({
    what: { kind: "reminder", text: "Call the dentist", taskId: "task-20251114T093012123Z-call" },
    when: "in 20 minutes",
  });

  it("is delivered once, by any process", async () => {
    const one = await open([]);
    const two = await open([]);
    const { schedule } = await one.schedules.create(reminder, by);
    pass(20);
    await Promise.all([one.run(), two.run()]);
    expect(await titles(one)).toEqual(["Call the dentist"]);
    expect(await rowsOf(one, schedule.id)).toMatchObject([{ state: "succeeded", outcome: "reminded" }]);
    expect((await one.schedules.get(schedule.id)).next).toEqual([]);
  });

  it("is delivered late if no process ran, and reports it", async () => {
    const harness = await open([]);
    await harness.schedules.create(reminder, by);
    pass(200);
    await harness.run();
    const { items } = await harness.notices.list({ limit: 1 });
    expect(items[0]?.body).toMatch(/^Reminder for .* at \d\d:\d\d\..*3 hours late/);
  });

  it.each([
    ["finished", async () => "done" as const],
    ["deleted", () => Promise.reject(new TaskNotFoundError("There is no such task."))],
  ])("is not delivered if its task is %s", async (_, taskStatus) => {
    const harness = await open([], { taskStatus });
    const { schedule } = await harness.schedules.create(reminder, by);
    pass(20);
    await harness.run();
    expect(await titles(harness)).toEqual([]);
    expect(await rowsOf(harness, schedule.id)).toMatchObject([
      { state: "skipped", reason: "Its task is finished or deleted." },
    ]);
  });

  it("is delivered at the end of quiet hours, and recorded at its time", async () => {
    const harness = await open([]);
    const quietHours = { from: "08:00", to: "09:00" };
    const { schedule } = await harness.schedules.create({ ...reminder, quietHours }, by);
    pass(20);
    await harness.run();
    expect(await rowsOf(harness, schedule.id)).toMatchObject([{ state: "succeeded" }]);
    expect(await titles(harness)).toEqual([]);
    pass(40);
    expect(await titles(harness)).toEqual(["Call the dentist"]);
  });
});

it("pauses its schedule when the budget is used up, and reports it", async () => {
  const harness = await open([say("Nothing.")]);
  const { schedule } = await harness.schedules.create(daily({ budget: { tokens: 100 } }), by);
  const dueAt = clock().toISOString();
  await harness.ledger.add({ scheduleId: schedule.id, dueAt }, "You started it.");
  const claim = await harness.ledger.claim({ scheduleId: schedule.id, dueAt });
  if (claim) await harness.ledger.end(claim, { state: "succeeded", tokens: 120 });
  pass(60);
  await harness.run();
  const reason = "It has used its 100 tokens for the day.";
  expect((await rowsOf(harness, schedule.id))[0]).toMatchObject({ state: "skipped", reason });
  expect((await harness.schedules.get(schedule.id)).schedule.enabled).toBe(false);
  expect(await titles(harness)).toEqual(["Paused: Write it down"]);
});
