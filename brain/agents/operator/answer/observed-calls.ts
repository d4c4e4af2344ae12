import { z } from "zod";
import type { Observation, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import { Task } from "@metahuman/core/contract/task";
import { isRecord } from "@metahuman/core/text/is-record";
import { callsInOutputs } from "@metahuman/skills/support/code-outcome";
import { type ActionKind, kindsOfEffect, kindsOfReports, kindsOfTool } from "./action-words.ts";

/** A task as an observation showed it. */
export type ObservedTask = Pick<Task, "title" | "status" | "priority"> & { due?: Task["due"] };

/** A call and its outcome. */
export interface ObservedCall {
  success: boolean;
  tool: string;
  kinds: readonly ActionKind[];
  /** Arguments and outcome, in lower case. */
  text: string;
}

/** The calls of a run, oldest first. */
export function callsIn(observed: readonly ScratchpadEntry[]): ObservedCall[] {
  const records = recordsById(observed);
  return observed.map((entry) => {
    const { action, observation } = entry;
    const within = innerCalls(entry);
    const kinds: readonly ActionKind[] =
      within === undefined
        ? [...kindsOfTool(action?.tool ?? ""), ...kindsOfReports(reportOf(observation))]
        : ["run", "look", ...kindsOfReports(within.map(({ sentence }) => sentence))];
    const text = textWithKeys([
      action?.args,
      records.get(action?.args["id"]),
      observation?.outputs ?? observation?.content,
      observation?.error?.message,
    ]).toLowerCase();
    return {
      success: observation?.success ?? false,
      tool: action?.tool ?? "",
      kinds: [...kinds, ...kindsOfEffect(action?.tool ?? "", kinds, text)],
      text,
    };
  });
}

/** Earlier calls in the form of the steps of a run, numbered 0. */
export function entriesOf(calls: readonly EarlierCall[]): ScratchpadEntry[] {
  return calls.map(({ skill, args, outputs, observed = "" }) => ({
    step: 0,
    thought: "",
    action: { tool: skill, args },
    observation: {
      mode: "structured" as const,
      content: observed,
      success: outputs !== undefined,
      ...(outputs && { outputs }),
    },
    timestamp: new Date(0).toISOString(),
  }));
}

/** The sentence in which a skill reports what a call did; empty for a table or a text that it returns. */
const reportOf = (observation: Observation | undefined): string[] =>
  observation?.success === true && observation.mode === "narrative" ? [observation.content] : [];

/** Found records by id, because later calls may name only the id. */
function recordsById(observed: readonly ScratchpadEntry[]): Map<unknown, unknown> {
  const records = new Map<unknown, unknown>();
  for (const { observation } of observed)
    for (const list of Object.values(observation?.outputs ?? {}))
      for (const record of Array.isArray(list) ? list : [])
        if (isRecord(record) && typeof record["id"] === "string") records.set(record["id"], record);
  return records;
}

/** All texts, numbers and field names of a value, one per line, without JSON syntax. */
export function textWithKeys(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.map(textWithKeys).join("\n");
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([key, part]) => `${key} ${textWithKeys(part)}`)
      .join("\n");
  return "";
}

/** Every observed task in its latest state. */
export function tasksIn(observed: readonly ScratchpadEntry[]): ObservedTask[] {
  const tasks = new Map<string, ObservedTask>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) {
      const task = Task.safeParse(value);
      if (task.success) tasks.set(task.data.title, task.data);
      else if (typeof value["title"] === "string" && typeof value["status"] === "string") {
        const { status, due, priority } = value;
        tasks.set(value["title"], {
          title: value["title"],
          status: Task.shape.status.catch("todo").parse(status),
          due: Task.shape.due.catch(undefined).parse(due),
          priority: Task.shape.priority.catch("P2").parse(priority),
        });
      } else Object.values(value).forEach(visit);
    }
  };
  for (const { observation } of observed) visit(observation?.outputs);
  return [...tasks.values()];
}

/** A call that a recipe or code made inside one call of the run. */
interface InnerCall {
  /** The skill's sentence about its outcome. */
  sentence: string;
  outputs: Record<string, unknown>;
}

const RecipeOutcome = z.object({
  function: z.object({ kind: z.literal("recipe") }),
  result: z.object({ steps: z.array(z.record(z.string(), z.unknown())) }),
  logs: z.array(z.string()),
});

/**
 * The calls of a recipe that `function_run` ran, or those by which code changed something, in order; undefined for
 * every other call.
 */
export function innerCalls({ action, observation }: ScratchpadEntry): InnerCall[] | undefined {
  if (action?.tool !== "execute_code" && action?.tool !== "function_run") return undefined;
  const recipe = RecipeOutcome.safeParse(observation?.outputs).data;
  if (recipe)
    return recipe.result.steps.map((outputs, index) => ({ outputs, sentence: recipe.logs[index] ?? "" }));
  const calls = callsInOutputs(observation?.outputs);
  return calls.length > 0 ? calls : undefined;
}
