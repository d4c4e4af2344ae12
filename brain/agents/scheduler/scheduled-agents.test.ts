import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentsConfig, type AgentSettings } from "@metahuman/core/contract/agents";
import { SchedulesConfig } from "@metahuman/core/contract/schedule";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import type { BackgroundAgent } from "../background/background-agent.ts";
import { openTestAgents } from "../testing/open-test-agents.ts";
import { openTestSchedules, type TestSchedules } from "../testing/open-test-schedules.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { agentDelay, agentSchedule } from "./scheduled-agents.ts";

const ID = "agent-librarian";

let home: string;
let time: number;
let mode: CognitiveMode;
let own: AgentSettings;
/** The next action of the agent; without one, it ends successfully. */
let work: (() => Promise<never>) | undefined;
let runs: number;
const opened: { database: Database; close(): Promise<void> }[] = [];

const clock = () => new Date(time);
const pass = (minutes: number) => {
  time += minutes * 60_000;
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "scheduled-agents-"));
  time = Date.parse("2026-11-20T08:00:00.000Z");
  mode = "dual";
  own = { ...AgentsConfig.parse({}).librarian, schedule: "0 * * * *" };
  work = undefined;
  runs = 0;
});
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
  rmSync(home, { recursive: true, force: true });
});

const librarian: BackgroundAgent = {
  name: "librarian",
  title: "Librarian",
  about: "Keeps things in order.",
  needsModel: false,
  async work() {
    runs += 1;
    await work?.();
    return { summary: "All in order.", changed: false };
  },
};

interface Harness extends TestSchedules {
  scheduler: Scheduler;
  /** The last reported time at which the profile must be open. */
  next: () => string | null | undefined;
  run(): Promise<void>;
}

async function open({
  username = "ada",
  jitterSeconds = 0,
  spreadMs = 0,
  opensForAgents = false,
} = {}): Promise<Harness> {
  const database = openDatabase(join(home, `state-${username}.db`), stateMigrations, { title: "the state" });
  const test = await openTestSchedules(home, { database, clock });
  const { agents, close } = openTestAgents(home, [librarian]);
  let next: string | null | undefined;
  const delayMs = agentDelay(username, "librarian", spreadMs);
  const scheduler = createScheduler({
    ...test,
    username,
    agents: {
      schedules: async () => [agentSchedule("librarian", own, { timeZone: "UTC", delayMs })],
      run: (agent) => agents.runScheduled(agent),
    },
    operator: {
      start: () => Promise.reject(new Error("agents start no runs of the operator")),
      settled: () => Promise.reject(new Error("agents start no runs of the operator")),
      cancel: () => Promise.reject(new Error("agents start no runs of the operator")),
      resume: () => Promise.reject(new Error("agents start no runs of the operator")),
    },
    clock,
    mode: async () => mode,
    hasModel: async () => false,
    checkFunction: async () => undefined,
    taskStatus: async () => "todo",
    hasConversation: async () => false,
    config: () => SchedulesConfig.parse({ jitterSeconds }),
    onProblem: (message, cause) => {
      throw new Error(message, { cause });
    },
    onNextChanged: (at) => (next = at),
    onChange: () => undefined,
    runsTimers: false,
    opensForAgents,
  });
  opened.push({
    database,
    async close() {
      await scheduler.close();
      await close();
      await test.close();
      database.close();
    },
  });
  return {
    ...test,
    scheduler,
    next: () => next,
    async run() {
      await scheduler.tick();
      await scheduler.idle();
    },
  };
}

const rows = async ({ ledger }: TestSchedules) => (await ledger.occurrences(ID, { limit: 100 })).items;
const states = async (harness: TestSchedules) =>
  (await rows(harness)).map(({ dueAt, state }) => `${dueAt.slice(8, 16)} ${state}`);

describe("an agent with a schedule", () => {
  it("starts later by another amount for each person where schedules are spread", async () => {
    const people = ["ada", "ben", "carl", "dora"];
    const harnesses = await Promise.all(people.map((username) => open({ username, jitterSeconds: 300 })));
    for (const { scheduler } of harnesses) await scheduler.tick();
    pass(60);
    for (const { scheduler } of harnesses) await scheduler.tick();
    expect(runs).toBe(0);
    const starts = await Promise.all(harnesses.map(({ ledger }) => ledger.nextAt()));
    expect(new Set(starts).size).toBe(people.length);
  });

  it("is looked at later by another amount for each person where many profiles share a server", async () => {
    const people = ["ada", "ben", "carl", "dora"];
    const harnesses = await Promise.all(people.map((username) => open({ username, spreadMs: 300_000 })));
    pass(10);
    for (let hour = 0; hour < 2; hour += 1) {
      for (const harness of harnesses) await harness.run();
      expect(runs).toBe(hour * people.length);
      const looks = await Promise.all(harnesses.map(({ ledger }) => ledger.nextAt()));
      expect(new Set(looks).size).toBe(people.length);
      for (const at of looks) expect(at?.slice(11, 15)).toBe(hour === 0 ? "09:0" : "10:0");
      pass(65);
    }
  });

  it("needs the profile to be open a minute after it is due, until it has started after the last use", async () => {
    const harness = await open({ opensForAgents: true });
    await harness.run();
    const used = harness.next();
    const due = await harness.ledger.nextAt();
    expect(Date.parse(used ?? "") - Date.parse(due ?? "")).toBe(60_000);
    pass(60);
    await harness.run();
    expect(runs).toBe(1);
    expect(harness.next()).toBe(null);
    pass(60);
    await harness.run();
    expect(runs).toBe(2);
    expect(harness.next()).toBe(null);
    harness.scheduler.noteUse();
    await expect.poll(harness.next).toBe(new Date(Date.parse(used ?? "") + 2 * 3_600_000).toISOString());
    own = { ...own, enabled: false };
    await harness.run();
    expect(harness.next()).toBe(null);
  });

  it("needs the profile to be open after its quiet hours, and not in emulation mode", async () => {
    const harness = await open({ opensForAgents: true });
    own = { ...own, quietHours: { from: "08:30", to: "12:30" } };
    pass(45);
    await harness.run();
    expect(harness.next()?.slice(11, 16)).toBe("12:31");
    mode = "emulation";
    await harness.run();
    expect(harness.next()).toBe(null);
  });

  it("starts at its time, once, with a row in the ledger and no notice", async () => {
    const harness = await open();
    await harness.run();
    expect(runs).toBe(0);
    pass(60);
    await harness.run();
    await harness.run();
    expect(runs).toBe(1);
    expect(await rows(harness)).toMatchObject([{ state: "succeeded", outcome: "finished", attempt: 1 }]);
    expect((await harness.notices.list({ limit: 10 })).total).toBe(0);
    expect(await harness.schedules.list({ limit: 10 })).toMatchObject({ total: 0 });
  });

  it("catches up on the latest missed time, and records the others without a notice", async () => {
    const harness = await open();
    await harness.run();
    pass(200);
    await harness.run();
    expect(runs).toBe(1);
    expect(await states(harness)).toEqual(["20T11:00 succeeded", "20T10:00 missed", "20T09:00 missed"]);
    expect((await harness.notices.list({ limit: 10 })).total).toBe(0);
  });

  it("starts at the end of quiet hours for all times within them", async () => {
    own = { ...own, quietHours: { from: "09:30", to: "12:30" } };
    const harness = await open();
    await harness.run();
    pass(60);
    await harness.run();
    pass(180);
    await harness.run();
    expect(await states(harness)).toEqual(["20T09:00 succeeded"]);
    pass(30);
    await harness.run();
    expect(await states(harness)).toEqual(["20T12:30 succeeded", "20T09:00 succeeded"]);
  });

  it("does not start in quiet hours for a time that was missed before them", async () => {
    own = { ...own, quietHours: { from: "09:30", to: "12:30" } };
    const harness = await open();
    await harness.run();
    pass(120);
    await harness.run();
    expect(runs).toBe(0);
    pass(150);
    await harness.run();
    expect(runs).toBe(1);
    expect(await states(harness)).toEqual(["20T12:30 succeeded", "20T09:00 skipped"]);
  });

  it("does not start while it is off or paused, and at once by changed settings", async () => {
    own = { ...own, enabled: false };
    const harness = await open();
    await harness.run();
    pass(120);
    await harness.run();
    expect(await rows(harness)).toEqual([]);
    own = { ...own, enabled: true, schedule: "*/5 * * * *" };
    await harness.run();
    pass(5);
    await harness.run();
    expect(runs).toBe(1);
  });

  it("does nothing in emulation, and says so in its row", async () => {
    const harness = await open();
    await harness.run();
    mode = "emulation";
    pass(60);
    await harness.run();
    expect(runs).toBe(0);
    expect(await rows(harness)).toMatchObject([
      { state: "skipped", reason: expect.stringContaining("emulation") },
    ]);
  });

  it("has a failed row when it fails, and starts again at its next time", async () => {
    const harness = await open();
    await harness.run();
    work = () => Promise.reject(new Error("no such table"));
    for (let hour = 0; hour < 4; hour += 1) {
      pass(60);
      await harness.run();
    }
    expect(await states(harness)).toEqual([
      "20T12:00 failed",
      "20T11:00 failed",
      "20T10:00 failed",
      "20T09:00 failed",
    ]);
    work = undefined;
    pass(60);
    await harness.run();
    expect((await states(harness))[0]).toBe("20T13:00 succeeded");
  });

  it("is taken over when its process ends in the middle", async () => {
    const first = await open();
    await first.run();
    pass(60);
    const { promise: hanging, reject } = Promise.withResolvers<never>();
    work = () => hanging;
    await first.scheduler.tick();
    expect(await states(first)).toEqual(["20T09:00 running"]);
    work = undefined;
    time += LEASE_MS + 1_000;
    const second = await open();
    await second.run();
    expect(await states(second)).toEqual(["20T09:00 succeeded"]);
    reject(new Error("its process has ended"));
  });

  it("does not open a profile: only schedules of a person do", async () => {
    const harness = await open();
    await harness.run();
    expect(harness.next()).toBeNull();
    const { next } = await harness.schedules.create(
      { what: { kind: "reminder", text: "Stand up" }, when: "tomorrow at 9:00" },
      { actor: "ada" },
    );
    await harness.run();
    expect(harness.next()).toBe(next[0]);
  });
});
