import type { Approval } from "@metahuman/core/contract/approval";
import type { RunEvent, RunEventBody } from "@metahuman/core/contract/event";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { Run, RunSummary } from "@metahuman/core/contract/run";

export const RUN = `run-${"0".repeat(26)}`;
export const OTHER_RUN = `run-${"1".repeat(26)}`;
export const CONVERSATION = `conv-${"0".repeat(26)}`;
export const AT = "2026-11-20T09:30:12.123Z";

/** An owner on a machine without models. */
export const ME = {
  username: "ada",
  displayName: "Ada",
  role: "owner",
  mode: "dual",
  trustLevel: "observe",
  createdAt: AT,
} as const;
export const MODELS = {
  available: false,
  summary: "",
  embedder: "",
  servers: [],
  roles: [],
  tokensPerSecond: {},
};

/** The events of one run with these bodies, in order. A delta has the seq of the event before it, as from the server. */
export function eventsOf(bodies: readonly RunEventBody[], runId = RUN, from = 0): RunEvent[] {
  let seq = from;
  return bodies.map((body) => {
    if (body.type !== "answer-delta") seq += 1;
    return { ...body, runId, seq, at: AT };
  });
}

export const STARTED: RunEventBody = {
  type: "run-started",
  goal: "make sandwich file",
  conversationId: CONVERSATION,
  agentId: "operator",
  planner: "built-in",
};

export const ANSWERED: RunEventBody[] = [
  { type: "answer-completed", text: "Created out/sandwich.txt.", style: "default", verbatim: false },
  { type: "run-ended", outcome: "answered" },
];

export const APPROVAL: Approval = {
  id: `appr-${"0".repeat(26)}`,
  runId: RUN,
  step: 1,
  tool: "fs_delete",
  args: { path: "out/x.md" },
  argsHash: "hash",
  effect: "write",
  risk: "high",
  preview: { title: "Delete out/x.md?", facts: [] },
  status: "pending",
  createdAt: AT,
};

export function summaryOf(id: string, change: Partial<RunSummary> = {}): RunSummary {
  return {
    id,
    conversationId: CONVERSATION,
    agentId: "operator",
    goal: "make sandwich file",
    status: "running",
    verbatim: false,
    warnings: [],
    functionsUsed: [],
    usage: { planningCalls: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, durationMs: 0 },
    createdAt: AT,
    updatedAt: AT,
    lastSeq: 0,
    steps: 0,
    ...change,
  };
}

/** The complete run of a summary. */
export function runOf({ steps: _, ...summary }: RunSummary): Run {
  return { ...summary, scratchpad: [] };
}

/** A conversation whose requests became these runs, as the server answers with it. */
export function conversationWith(...runs: RunSummary[]): object {
  return {
    conversation: {
      id: CONVERSATION,
      title: "Sandwiches",
      createdAt: AT,
      updatedAt: AT,
      messageCount: runs.length,
    },
    messages: runs.map((run) => ({
      id: `message-${run.id}`,
      conversationId: CONVERSATION,
      role: "person",
      text: run.goal,
      runId: run.id,
      createdAt: run.createdAt,
    })),
    runs,
  };
}

/** A guide that a person wrote and nobody has used. */
export function functionOf(id: string, change: Partial<FunctionMemory> = {}): FunctionMemory {
  return {
    id,
    name: "fence-note",
    title: "Keep a fence note",
    summary: "One line.",
    tags: [],
    steps: ["Do it."],
    skillsUsed: ["fs_write"],
    examples: [],
    parameters: [],
    kind: "guide",
    trust: "draft",
    status: "active",
    usageCount: 0,
    offeredCount: 0,
    stats: { executions: 0, successes: 0, failures: 0 },
    origin: "written",
    createdBy: "ada",
    createdAt: AT,
    updatedAt: AT,
    version: 1,
    scope: { agentId: "operator", userId: "ada" },
    ...change,
  };
}

/** A memory that a person curated. */
export function memoryOf(id: string, content: string, change: Partial<MemoryRecord> = {}): MemoryRecord {
  return {
    id,
    type: "curated",
    content,
    timestamp: AT,
    tags: [],
    entities: [],
    links: [],
    source: { kind: "user" },
    context: {},
    metadata: {},
    importance: 0.5,
    pinned: false,
    trust: "trusted",
    version: 1,
    ...change,
  };
}
