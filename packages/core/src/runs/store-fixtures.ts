import type { RunEvent } from "../contract/event.ts";
import type { Approval } from "../contract/approval.ts";
import type { ModelCallRecord } from "../contract/model-call.ts";
import type { Run } from "../contract/run.ts";
import type { Committed, RunClaim, RunRequest, RunStore, StoredEventBody } from "./run-store.ts";

/** Values that tests of the run store share. */

export function requestFor(goal: string, conversationId?: string): RunRequest {
  return {
    request: { goal, ...(conversationId !== undefined && { conversationId }) },
    identity: { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" },
    surface: "api",
  };
}

export function started(run: Pick<Run, "goal" | "conversationId"> & Partial<Run>): StoredEventBody {
  return {
    type: "run-started",
    goal: run.goal,
    conversationId: run.conversationId,
    agentId: run.agentId ?? "operator",
    planner: "built-in",
  };
}

export function planned(step: number, tool = "fs_list"): StoredEventBody {
  return {
    type: "step-planned",
    step,
    thought: "Look.",
    reading: { isGuess: true },
    asks: "words",
    action: { tool, args: { path: "out" } },
    planner: "built-in",
  };
}

export function began(step: number, tool = "fs_list"): StoredEventBody {
  return {
    type: "action-started",
    step,
    action: { tool, args: { path: "out" } },
    idempotencyKey: `key-${step}`,
  };
}

export function observed(step: number, content = "Nothing there."): StoredEventBody {
  return {
    type: "observation-made",
    step,
    observation: { mode: "narrative", content, success: true, outputs: { total: 0 } },
    durationMs: 3,
  };
}

export function answered(text: string): StoredEventBody {
  return { type: "answer-completed", text, style: "default", verbatim: false };
}

export const ended: StoredEventBody = { type: "run-ended", outcome: "answered" };

export function approvalFor(run: Pick<Run, "id" | "createdAt">, step: number, id: string): Approval {
  return {
    id: `appr-${id.padStart(26, "0")}`,
    runId: run.id,
    step,
    tool: "fs_delete",
    args: { path: "out/a.txt" },
    argsHash: "0".repeat(64),
    effect: "write",
    risk: "high",
    preview: { title: "Delete out/a.txt?", facts: [] },
    grantOffer: { pathPrefix: "out/" },
    status: "pending",
    createdAt: run.createdAt,
  };
}

/** Creates a run that this store executes, with its claim. */
export async function running(
  store: RunStore,
  goal = "list my files",
  conversationId?: string,
): Promise<Run & { claim: RunClaim }> {
  const run = await store.create(requestFor(goal, conversationId));
  const claimed = await store.claim({ maxConcurrent: 64, adopt: false });
  if (claimed?.run.id !== run.id) throw new Error("another run was queued before");
  return { ...(await store.append(claimed.claim, [started(run)])).run, claim: claimed.claim };
}

/** Commits events of an idle run. Resolves to undefined if a process executes it. */
export async function changeIdle(
  store: RunStore,
  runId: string,
  bodies: readonly StoredEventBody[],
): Promise<Committed | undefined> {
  const idle = await store.idleRun(runId);
  return idle && store.commitIdle(runId, { after: idle.run.lastSeq, bodies });
}

/** Claims the next queued run. */
export async function claimNext(store: RunStore, { adopt = false } = {}): Promise<RunClaim> {
  const claimed = await store.claim({ maxConcurrent: 64, adopt });
  if (!claimed) throw new Error("no run is queued");
  return claimed.claim;
}

export async function firstOf(events: AsyncIterable<RunEvent>, count: number): Promise<RunEvent[]> {
  const seen: RunEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

export function modelCall(step: number, texts: readonly string[]): ModelCallRecord {
  return {
    step,
    purpose: "plan",
    role: "planner",
    model: "ollama/plans:4b",
    messages: texts.map((content) => ({ role: "user", content })),
    reply: `reply ${step}`,
    promptTokens: 900,
    completionTokens: 20,
    durationMs: 3,
    at: "2026-11-20T09:30:00.000Z",
  };
}
