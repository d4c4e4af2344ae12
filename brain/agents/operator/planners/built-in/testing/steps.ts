import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import type { ErrorCode, ErrorDetail } from "@metahuman/core/contract/problem";
import type { Action, Observation, ScratchpadEntry } from "@metahuman/core/contract/run";
import { installedSkills } from "@metahuman/skills/installed";
import { expect } from "vitest";
import type { PlannerDecision } from "../../../planner.ts";
import { createBuiltInPlanner } from "../../built-in.ts";

const REQUESTED = new Date("2026-11-18T10:00:00Z");
export const TIMESTAMP = REQUESTED.toISOString();

type Seen = Record<string, unknown> | ErrorDetail;

const isError = (seen: Seen): seen is ErrorDetail =>
  typeof seen.code === "string" && typeof seen.message === "string";

function observed(seen: Seen): Observation {
  if (isError(seen)) return { mode: "narrative", content: seen.message, success: false, error: seen };
  return { mode: "structured", content: JSON.stringify(seen), success: true, outputs: seen };
}

/** A scratchpad with these calls and observations. */
export function scratchpad(
  ...steps: readonly (readonly [tool: string, args: Action["args"], seen: Seen])[]
): ScratchpadEntry[] {
  return steps.map(([tool, args, seen], index) => ({
    step: index + 1,
    thought: "x",
    action: { tool, args },
    observation: observed(seen),
    timestamp: TIMESTAMP,
  }));
}

const planner = createBuiltInPlanner();

export async function next(
  request: string,
  entries: readonly ScratchpadEntry[] = [],
  skills = installedSkills,
): Promise<PlannerDecision> {
  const state = {
    runId: "run-1",
    request,
    requestedAt: REQUESTED,
    timeZone: "Europe/Oslo",
    locale: "en-GB",
    scratchpad: entries,
    context: undefined,
    conversation: NO_CONVERSATION,
    skills,
  };
  return planner.next(state, new AbortController().signal);
}

export async function nextAction(request: string, entries?: readonly ScratchpadEntry[]): Promise<Action> {
  const move = await next(request, entries);
  if (move.kind !== "act") throw new Error(`answered: ${move.text}`);
  expect(move.thought).not.toBe("");
  return move.action;
}

export async function answer(request: string, entries?: readonly ScratchpadEntry[]) {
  const move = await next(request, entries);
  if (move.kind !== "answer" || move.text === undefined) throw new Error(JSON.stringify(move));
  expect(move.thought).not.toBe("");
  return { ...move, text: move.text };
}

export const task = (title: string, id = `task-20261118T100000000Z-${title.replaceAll(" ", "-")}`) => ({
  id,
  title,
  description: "",
  status: "todo",
  priority: "P2",
  tags: [],
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

export const matches = (...titles: string[]) => ({
  id: task(titles[0] ?? "").id,
  task: task(titles[0] ?? ""),
  matches: titles.map((title) => ({ task: task(title), score: 1 })),
});

export const failure = (code: ErrorCode, message: string, suggestions?: string[]): ErrorDetail => ({
  code,
  message,
  ...(suggestions && { suggestions }),
});

export const readToday = [
  "fs_read",
  { path: "notes/today.md" },
  { path: "out/notes/today.md", content: "call the plumber", bytes: 16, truncated: false },
] as const;
export const written = (path: string) => ({ path, bytes: 0, created: true });
