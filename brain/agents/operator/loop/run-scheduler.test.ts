import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StorageFullError } from "@metahuman/core/errors/storage-errors";
import { RENEW_EVERY_MS } from "@metahuman/core/database/lease-table";
import type { RunStore } from "@metahuman/core/runs/run-store";
import { defineSkill } from "@metahuman/skills/define-skill";
import { z } from "zod";
import { InterruptedError } from "./run-context.ts";
import { ada } from "../testing/open-operator.ts";
import { operatorHarness } from "../testing/operator-harness.ts";
import { call, say, scriptedPlanner } from "../testing/scripted-planner.ts";
import { executedCalls } from "../testing/test-skills.ts";

const harness = operatorHarness();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const asAda = { identity: ada, surface: "cli" } as const;

/** A store whose writes fail while `state.full` is true; runs can still be created. */
function disk() {
  const state = { full: false };
  const faulty = (store: RunStore): RunStore => ({
    ...store,
    async append(claim, bodies) {
      if (state.full) throw new StorageFullError("There is no space left to write the state database.");
      return store.append(claim, bodies);
    },
  });
  return { state, faulty };
}

describe("a store that cannot be written any more", () => {
  it("notifies subscribers, runs nothing that was not stored first, and interrupts the run once there is room", async () => {
    const { state, faulty } = disk();
    const fills = () => {
      state.full = true;
      return call("write_down", { text: "never" });
    };
    const opened = await harness.home.open(scriptedPlanner([call("write_down", { text: "first" }), fills]), {
      faulty,
    });
    const run = await opened.operator.start({ goal: "go" }, asAda);
    await expect(opened.operator.settled(run.id)).rejects.toThrow(StorageFullError);
    expect(await executedCalls(harness.home.journal)).toEqual(["first"]);
    expect((await opened.persistent.store.run(run.id)).status).toBe("running");

    state.full = false;
    await vi.advanceTimersByTimeAsync(RENEW_EVERY_MS);
    expect(await opened.operator.settled(run.id)).toMatchObject({
      status: "interrupted",
      scratchpad: [{ step: 1 }],
    });
  });

  it("does not let a run start, and reports why", async () => {
    const { state, faulty } = disk();
    const opened = await harness.home.open(scriptedPlanner([say("Hello.")]), { faulty });
    state.full = true;
    const run = await opened.operator.start({ goal: "go" }, asAda);
    await expect(opened.operator.settled(run.id)).rejects.toThrow(StorageFullError);
  });

  it("stops the calls that it reported: this process no longer executes the run", async () => {
    const stopped = Promise.withResolvers<unknown>();
    const observing = defineSkill({
      id: "reporting",
      summary: "Report a stage, then wait until stopped",
      category: "files",
      input: z.strictObject({}),
      output: z.strictObject({}),
      effects: "read",
      risk: "low",
      narrate: () => "Reported.",
      structure: () => "- reported",
      phrases: [],
      run: async (_args, { reached, signal }) => {
        signal.addEventListener("abort", () => stopped.resolve(signal.reason));
        reached({ name: "looking", state: "begun" });
        return new Promise<never>(() => undefined);
      },
    });
    const faulty = (store: RunStore): RunStore => ({
      ...store,
      async append(claim, bodies) {
        if (bodies.some(({ type }) => type === "stage-reached"))
          throw new StorageFullError("There is no space left to write the state database.");
        return store.append(claim, bodies);
      },
    });
    const opened = await harness.home.open(scriptedPlanner([call("reporting")]), {
      faulty,
      skills: [observing],
    });
    const run = await opened.operator.start({ goal: "go" }, asAda);
    expect(await opened.operator.settled(run.id)).toMatchObject({ status: "interrupted" });
    expect(await stopped.promise).toBeInstanceOf(InterruptedError);
  });
});
