import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import type { Run } from "@metahuman/core/contract/run";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { createLogger } from "@metahuman/core/log/logger";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { InterruptedError } from "./loop/run-context.ts";
import { ada, type TestOperator } from "./testing/open-operator.ts";
import { operatorHarness } from "./testing/operator-harness.ts";
import type { PlannerDecision } from "./planner.ts";
import { call, lastObservation, say, type Scripted, scriptedPlanner } from "./testing/scripted-planner.ts";
import { executedCalls } from "./testing/test-skills.ts";

const harness = operatorHarness();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const asAda = { identity: ada, surface: "cli" } as const;
const codes = (run: Run) => run.scratchpad.map((entry) => entry.observation?.error?.code);

/** Resolves once the journal contains the line. */
async function written(line: string): Promise<void> {
  const control = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = () =>
    executedCalls(harness.home.journal).then(
      (lines) => (lines.includes(line) ? resolve() : undefined),
      reject,
    );
  watch(harness.home.folder, { signal: control.signal }, () => void look());
  await look();
  await promise;
  control.abort();
}

/** Resolves once the run is at this step, in any process. */
function reaches(opened: TestOperator, runId: string, step: number): Promise<Run> {
  return opened.persistent.feed.until(runId, (run) => (run.scratchpad.at(-1)?.step ?? 0) >= step);
}

async function killedProcess(
  plan: string,
  doing: (runId: string, child: ChildProcess) => Promise<void>,
): Promise<string> {
  const script = join(import.meta.dirname, "testing/test-process.ts");
  const child = spawn(process.execPath, [script, harness.home.folder, plan], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const runId: unknown = first.value;
  if (typeof runId !== "string") throw new Error("the process said nothing");
  await doing(runId, child);
  child.kill("SIGKILL");
  await once(child, "exit");
  return runId;
}

describe("a process killed during a run", () => {
  it("leaves an interrupted run in which nothing is done twice and unknown outcomes are reported", async () => {
    const runId = await killedProcess("killed-in-a-write", () => written("began second"));
    const opened = await harness.home.open(
      scriptedPlanner([
        () => say("unreachable"),
        () => say("unreachable"),
        (state) => say(lastObservation(state)?.error?.code ?? "known"),
      ]),
    );
    const interrupted = await opened.persistent.store.run(runId);
    expect(interrupted).toMatchObject({
      status: "interrupted",
      scratchpad: [{ observation: { success: true } }, { step: 2 }],
    });
    await opened.operator.resume(runId, asAda);
    const run = await opened.operator.settled(runId);
    expect(run).toMatchObject({ status: "ended", outcome: "answered", result: "OUTCOME_UNKNOWN" });
    expect(run.scratchpad[1]?.observation?.content).toMatch(/^Outcome unknown: check before you repeat it/);
    expect(await executedCalls(harness.home.journal)).toEqual(["first", "began second"]);
  });

  it("repeats its call if that is idempotent", async () => {
    const runId = await killedProcess("killed-in-a-repeatable", () => written("began second"));
    const opened = await harness.home.open(
      scriptedPlanner([say("unreachable"), say("unreachable"), say("Both.")]),
    );
    await opened.operator.resume(runId, asAda);
    expect(await opened.operator.settled(runId)).toMatchObject({ outcome: "answered", result: "Both." });
    expect(await executedCalls(harness.home.journal)).toEqual(["first", "began second", "ended second"]);
  });

  it("continues with the observations if the planner was working", async () => {
    const runId = await killedProcess("killed-while-thinking", () => written("first"));
    const opened = await harness.home.open(
      scriptedPlanner([
        call("write_down", { text: "twice" }),
        (state) => say(lastObservation(state)?.content ?? ""),
      ]),
    );
    await opened.operator.resume(runId, asAda);
    const run = await opened.operator.settled(runId);
    expect(run.outcome).toBe("answered");
    expect(await executedCalls(harness.home.journal)).toEqual(["first"]);
  });

  it("continues only on request, and only once", async () => {
    const runId = await killedProcess("killed-in-a-write", () => written("began second"));
    const opened = await harness.home.open(scriptedPlanner([]));
    expect((await opened.persistent.store.run(runId)).status).toBe("interrupted");
    await opened.operator.resume(runId, asAda);
    await opened.operator.settled(runId);
    await expect(opened.operator.resume(runId, asAda)).rejects.toThrow(ConflictError);
  });
});

describe("stopping a run", () => {
  it("aborts a running skill, keeps the observations, and reports the possible effects", async () => {
    const opened = await harness.home.open(
      scriptedPlanner([call("look"), call("wait_long", { text: "long" }), say("unreachable")]),
    );
    const run = await opened.operator.start({ goal: "wait" }, asAda);
    await written("began long");
    const ended = await opened.operator.cancel(run.id);
    expect(ended).toMatchObject({ status: "ended", outcome: "cancelled", error: { code: "CANCELLED" } });
    expect(codes(ended)).toEqual([undefined, "CANCELLED"]);
    expect(ended.scratchpad[1]?.observation?.content).toContain("may have taken effect in part");
  });

  it.each([
    ["a skill that does not listen", scriptedPlanner([call("deaf")])],
    ["a planner that does not listen", scriptedPlanner([() => new Promise<never>(() => undefined)])],
  ])("does not wait for %s", async (_what, planner) => {
    const opened = await harness.home.open(planner);
    const run = await opened.operator.start({ goal: "wait" }, asAda);
    expect(await opened.operator.cancel(run.id)).toMatchObject({ outcome: "cancelled" });
  });

  it("works from another process", async () => {
    const [one, two] = [
      await harness.home.open(scriptedPlanner([call("wait_long")])),
      await harness.home.open(scriptedPlanner([])),
    ];
    const run = await one.operator.start({ goal: "wait" }, asAda);
    await written("began it");
    expect(await two.operator.cancel(run.id)).toMatchObject({ status: "ended", outcome: "cancelled" });
    expect((await one.operator.settled(run.id)).outcome).toBe("cancelled");
  });

  it("is not an error for a run that has ended", async () => {
    const opened = await harness.home.open(scriptedPlanner([]));
    const run = await opened.ask("hello");
    expect(await opened.operator.cancel(run.id)).toEqual(run);
  });
});

describe("more runs than the limit", () => {
  it("are queued visibly and start in the order of their requests", async () => {
    const waits = (state: { request: string }) => call("wait_long", { text: state.request });
    const opened = await harness.home.open(scriptedPlanner([waits, say("unreachable")]));
    const runs: Run[] = [];
    for (const goal of ["a", "b", "c", "d"]) runs.push(await opened.operator.start({ goal }, asAda));
    expect(runs.map((run) => run.status)).toEqual(["running", "running", "queued", "queued"]);
    const [a, , c, d] = runs;
    if (!a || !c || !d) throw new Error("unreachable");
    await opened.operator.cancel(a.id);
    await reaches(opened, c.id, 1);
    expect((await opened.persistent.store.run(d.id)).status).toBe("queued");
    expect(await opened.operator.cancel(d.id)).toMatchObject({ outcome: "cancelled", scratchpad: [] });
  });

  it("start at the next start of the process if they were still queued", async () => {
    const waits = scriptedPlanner([call("wait_long")]);
    const first = await harness.home.open(waits);
    for (const goal of ["a", "b"]) await first.operator.start({ goal }, asAda);
    const queued = await first.operator.start({ goal: "c" }, asAda);
    await first.close(0);
    const second = await harness.home.open(scriptedPlanner([say("Here.")]));
    expect(await second.operator.settled(queued.id)).toMatchObject({ outcome: "answered", result: "Here." });
    expect((await second.persistent.store.runs({ status: "interrupted", limit: 9 })).total).toBe(2);
  });

  it("are left to a long-running process by a short-lived one", async () => {
    const first = await harness.home.open(scriptedPlanner([call("wait_long")]));
    for (const goal of ["a", "b"]) await first.operator.start({ goal }, asAda);
    const queued = await first.operator.start({ goal: "c" }, asAda);
    await first.close(0);
    const passing = await harness.home.open(scriptedPlanner([]), { adopt: false });
    expect((await passing.persistent.store.run(queued.id)).status).toBe("queued");
  });
});

describe("closing", () => {
  it("lets a running skill finish, then marks the run interrupted", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const opened = await harness.home.open(
      scriptedPlanner([call("write_down"), () => promise.then(() => say("unreachable"))]),
    );
    const run = await opened.operator.start({ goal: "go" }, asAda);
    await written("it");
    await opened.close();
    resolve();
    const later = await harness.home.open(scriptedPlanner([]));
    expect(await later.persistent.store.run(run.id)).toMatchObject({
      status: "interrupted",
      scratchpad: [{ observation: { success: true } }],
    });
  });

  it("interrupts skills that do not finish in time, and the run can be resumed", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("wait_long")]));
    const run = await opened.operator.start({ goal: "go" }, asAda);
    await written("began it");
    await opened.close(0);
    const later = await harness.home.open(
      scriptedPlanner([say("unreachable"), (state) => say(lastObservation(state)?.error?.code ?? "")]),
    );
    expect((await later.persistent.store.run(run.id)).scratchpad[0]).not.toHaveProperty("observation");
    await later.operator.resume(run.id, asAda);
    expect(await later.operator.settled(run.id)).toMatchObject({
      outcome: "answered",
      result: "OUTCOME_UNKNOWN",
    });
  });
});

describe("a process that froze for longer than its lease", () => {
  it("cannot write to a run that was taken over", async () => {
    let time = Date.now();
    const clock = () => new Date(time);
    const stopped = await harness.home.open(scriptedPlanner([call("wait_long")]), { clock });
    const run = await stopped.operator.start({ goal: "go" }, asAda);
    await written("began it");
    const other = await harness.home.open(scriptedPlanner([say("unreachable"), say("Went on.")]), {
      clock,
      start: false,
    });
    time += LEASE_MS;
    await other.operator.open();
    expect((await other.persistent.store.run(run.id)).status).toBe("interrupted");
    await other.operator.resume(run.id, asAda);
    expect(await other.operator.settled(run.id)).toMatchObject({ outcome: "answered", result: "Went on." });
    await stopped.close(0);
    expect(await other.persistent.store.run(run.id)).toMatchObject({
      outcome: "answered",
      lastSeq: (await other.operator.settled(run.id)).lastSeq,
    });
  });
});

/** The log's line for a writer whose claim was taken over. */
const refusedWrite = "another process has taken the run over";

describe("a process that lost a run while its planner was thinking", () => {
  it("stores no memories of it", async () => {
    let time = Date.now();
    const clock = () => new Date(time);
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<PlannerDecision>();
    const thinks: Scripted = () => {
      asked.resolve();
      return late.promise;
    };
    const refused = Promise.withResolvers<void>();
    const logger = createLogger({
      level: "warn",
      to: { write: (line) => void (line.includes(refusedWrite) && refused.resolve()) },
    });
    const frozen = await harness.home.open(scriptedPlanner([thinks]), { clock, logger });
    const { id: runId } = await frozen.operator.start({ goal: "go" }, asAda);
    await asked.promise;
    const other = await harness.home.open(scriptedPlanner([say("Went on.")]), { clock, start: false });
    time += LEASE_MS;
    await other.operator.open();
    late.resolve(say("Too late."));
    await refused.promise;
    await other.operator.resume(runId, asAda);
    expect(await other.operator.settled(runId)).toMatchObject({ outcome: "answered", result: "Went on." });
    const { items } = await harness.ports.memory.list({ types: ["conversation"], runId, limit: 9 });
    expect(items.map(({ content }) => content)).toEqual(["Asked: go\nAnswered: Went on."]);
  });
});

describe("a process that lost a run and claims it again", () => {
  it("stops the earlier loop first and executes the run once", async () => {
    let time = Date.now();
    const clock = () => new Date(time);
    const stopped = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<void>();
    const waits: Scripted = (_state, signal) => {
      asked.resolve();
      signal.addEventListener("abort", () => stopped.resolve(signal.reason));
      return new Promise<never>(() => undefined);
    };
    const attempts = [waits, say("Went on.")];
    const planner = scriptedPlanner([
      (state, signal) => scriptedPlanner([attempts.shift() ?? waits]).next(state, signal),
    ]);
    const opened = await harness.home.open(planner, { clock });
    const run = await opened.operator.start({ goal: "go" }, asAda);
    await asked.promise;
    const other = await harness.home.open(scriptedPlanner([]), { clock, start: false });
    time += LEASE_MS;
    await other.operator.open();
    await opened.operator.resume(run.id, asAda);
    expect(await stopped.promise).toBeInstanceOf(InterruptedError);
    expect(await opened.operator.settled(run.id)).toMatchObject({ outcome: "answered", result: "Went on." });
    const types = (await opened.persistent.store.events(run.id, 0, 99)).map(({ type }) => type);
    expect(types.filter((type) => type === "run-interrupted")).toHaveLength(1);
    expect(types.filter((type) => type === "run-ended")).toHaveLength(1);
  });
});

describe("two processes on one profile", () => {
  it("see each other's runs live", async () => {
    const [one, two] = [
      await harness.home.open(scriptedPlanner([call("write_down"), say("Done.")])),
      await harness.home.open(scriptedPlanner([])),
    ];
    const run = await one.operator.start({ goal: "go" }, asAda);
    const seen = await Array.fromAsync(
      two.operator.events(run.id, { from: 0, signal: new AbortController().signal }),
    );
    const stored = await one.persistent.store.events(run.id, 0, 99);
    expect(seen.filter((event) => event.type !== "answer-delta")).toEqual(stored);
  });

  it("continue a run wherever a person decides", async () => {
    const plan = scriptedPlanner([call("shred"), say("Done.")]);
    const [one, two] = [await harness.home.open(plan), await harness.home.open(plan)];
    const waiting = await one.ask("shred");
    if (waiting.pending?.kind !== "approval") throw new Error("does not wait");
    await two.operator.decide(waiting.pending.approvalId, "once");
    expect(await one.operator.settled(waiting.id)).toMatchObject({ outcome: "answered" });
    expect(await executedCalls(harness.home.journal)).toEqual(["shredded it"]);
  });
});
