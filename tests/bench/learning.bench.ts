import type { OperatorAnswer } from "@metahuman/core/contract/http";
import type { Answer, ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { openModelHarness, type ModelHarness } from "../support/model-harness.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "learning";

const PLACES = ["Oslo", "Lima", "Rome", "Kyoto", "Bern", "Paris", "Quito", "Cairo"];

/**
 * The cost of a repeated task: planned by a model the first time, then, once its draft was promoted, replayed. The
 * model is a double that answers at once and correctly; it explores before it acts, as models do.
 */
export async function run(): Promise<Row[]> {
  const harness = await openModelHarness({ answer: planner });
  try {
    const first = await ask(harness, "Oslo");
    const learned = first.learnedFunction;
    if (!learned) throw new Error("Nothing was learned from the first run.");
    const promoted = await harness.owner.post("/api/functions/promote", { id: learned.id });
    if (promoted.status !== 200) throw new Error(`Not promoted: ${JSON.stringify(promoted.body)}`);
    const later: OperatorAnswer[] = [];
    for (const place of PLACES.slice(1)) later.push(await ask(harness, place));
    const replayed = later.filter(({ planner: by }) => by === "replay");
    const times = replayed.map(({ usage }) => usage.durationMs);
    const learnedEvents = await harness.owner.get("/api/audit?event=function_learned&limit=10");
    return [
      { what: "planning calls, first run of a task", figure: first.usage.planningCalls, unit: "calls" },
      {
        what: `planning calls, ${String(replayed.length)} later runs by its recipe`,
        figure: Math.max(...later.map(({ usage }) => usage.planningCalls)),
        unit: "calls",
        target: 0,
      },
      {
        what: "first run, planned by a model that answers at once",
        figure: first.usage.durationMs,
        unit: "ms",
      },
      { what: "later runs by the recipe, median", figure: quantile(times, 0.5), unit: "ms" },
      { what: "learning from the first run", figure: durationIn(learnedEvents.body), unit: "ms" },
    ];
  } finally {
    await harness.close();
  }
}

const ask = (harness: ModelHarness, place: string): Promise<OperatorAnswer> =>
  harness.ask(`get ready for a trip to ${place}`);

const act = (tool: string, args: Record<string, unknown>): ChatScript => ({
  json: { thought: `Use ${tool}.`, action: { tool, args } },
});

const planner: Answer = (request: SeenRequest) => {
  if (!request.messages[0]?.content.startsWith("You plan for")) return { say: "You are ready [3]." };
  const steps = [
    act("fs_list", { path: "out" }),
    act("memory_search", { query: "what trips need" }),
    act("fs_write", { path: "trips/oslo.md", content: "Packing for Oslo" }),
    act("task_create", { title: "Pack for Oslo" }),
  ];
  const taken = request.messages.filter(({ role }) => role === "assistant").length;
  return steps[taken] ?? { json: { thought: "The observations show it.", respond: true } };
};

/** Returns the duration of the last learning from the audit log. */
function durationIn(body: unknown): number {
  return Number(/"durationMs":(\d+)/.exec(JSON.stringify(body))?.[1] ?? Number.NaN);
}
