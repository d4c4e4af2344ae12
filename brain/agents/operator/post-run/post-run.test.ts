import { createLogger } from "@metahuman/core/log/logger";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunLearner } from "../../learner/run-learner.ts";
import { ada } from "../testing/open-operator.ts";
import { operatorHarness } from "../testing/operator-harness.ts";
import { say, scriptedPlanner } from "../testing/scripted-planner.ts";

const harness = operatorHarness();
afterEach(() => {
  vi.useRealTimers();
});

describe("a result that is learned only when the operator closes", () => {
  it("is still reported to its run, and nothing is logged as failed", async () => {
    const result: StoredEventBody = {
      type: "function-learned",
      function: { id: "fn-late", title: "Make a late thing" },
    };
    const begun = Promise.withResolvers<undefined>();
    const learner: RunLearner = {
      recordResults: (_ended, later) =>
        new Promise((resolve) => {
          later(async (signal) => signal.addEventListener("abort", () => resolve([result])));
          begun.resolve(undefined);
        }),
      learn: () => Promise.reject(new Error("nobody asks for it here")),
    };
    const lines: string[] = [];
    const logger = createLogger({ level: "error", to: { write: (line) => void lines.push(line) } });
    const opened = await harness.home.open(scriptedPlanner([say("Done.")]), {
      withFunctions: true,
      learner,
      logger,
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const run = await opened.operator.start({ goal: "go" }, { identity: ada, surface: "cli" });
    await begun.promise;
    await vi.runOnlyPendingTimersAsync();
    expect(await opened.operator.settled(run.id)).toMatchObject({ status: "ended" });
    vi.useRealTimers();
    await opened.close();
    expect(lines).toEqual([]);
    const later = await harness.home.open(scriptedPlanner([]));
    const events = await later.persistent.store.events(run.id, 0, 100);
    expect(events.at(-1)).toMatchObject(result);
  });
});
