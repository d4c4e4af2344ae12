import type { RunEvent } from "./event.ts";
import type { CallStage, FunctionUse, Run, ScratchpadEntry } from "./run.ts";

/** The data of a run before its first event. */
export type NewRun = Pick<Run, "id" | "conversationId" | "agentId" | "goal" | "createdAt" | "continues">;

/** The initial state of a run, to which events are applied in order. */
export function queuedRun(created: NewRun): Run {
  return {
    ...created,
    status: "queued",
    scratchpad: [],
    verbatim: false,
    warnings: [],
    functionsUsed: [],
    usage: { planningCalls: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, durationMs: 0 },
    updatedAt: created.createdAt,
    lastSeq: 0,
  };
}

/**
 * Applies one event to a run. The store and the page use only this function to change a run. Pure. Events are applied
 * in order of `seq`; an event that was already applied changes nothing, so a client may receive events twice. An
 * `answer-delta` appears in `result` until the complete answer replaces it, and is never stored.
 */
export function applyEvent(run: Run, event: RunEvent): Run {
  if (event.type === "answer-delta") return applyDelta(run, event.text, event.offset);
  if (event.seq <= run.lastSeq) return run;
  return { ...change(run, event), updatedAt: event.at, lastSeq: event.seq };
}

function applyDelta(run: Run, text: string, offset: number): Run {
  if (run.responseStyle !== undefined) return run;
  return { ...run, result: (run.result ?? "").slice(0, offset) + text };
}

function change(run: Run, event: Exclude<RunEvent, { type: "answer-delta" }>): Run {
  switch (event.type) {
    case "run-started":
      return { ...run, status: "running", planner: event.planner, runningSince: event.at };
    case "run-resumed": {
      const resumed: Run = { ...without(run, "pending"), status: event.status };
      return event.status === "running" ? { ...resumed, runningSince: event.at } : resumed;
    }
    case "run-interrupted":
      return { ...run, status: "interrupted" };
    case "run-ended": {
      const ended: Run = {
        ...without(run, "pending"),
        status: "ended",
        outcome: event.outcome,
        endedAt: event.at,
      };
      return event.error === undefined ? ended : { ...ended, error: event.error };
    }
    case "context-built":
      return { ...run, context: event.explanation, warnings: [...run.warnings, ...event.warnings] };
    case "function-matched":
      return { ...run, functionsUsed: withFunction(run.functionsUsed, event.function) };
    case "step-planned": {
      const entry: ScratchpadEntry = { step: event.step, thought: event.thought, timestamp: event.at };
      if (event.reading !== undefined) entry.reading = event.reading;
      if (event.asks !== undefined) entry.asks = event.asks;
      if (event.action !== undefined) entry.action = event.action;
      if (event.functionId !== undefined) entry.functionId = event.functionId;
      const functionsUsed = run.functionsUsed.map((use) =>
        use.id === event.functionId ? { ...use, followed: true } : use,
      );
      return { ...run, planner: event.planner, scratchpad: [...run.scratchpad, entry], functionsUsed };
    }
    case "approval-requested": {
      const { id, tool, args, preview } = event.approval;
      return {
        ...run,
        status: "waiting",
        pending: { kind: "approval", approvalId: id, tool, args, title: preview.title },
      };
    }
    case "question-asked":
      return {
        ...run,
        status: "waiting",
        pending: { kind: "question", question: event.question, options: event.options },
      };
    case "approval-resolved":
      // The run continues only with `run-resumed`, because all slots may be in use.
      return { ...without(run, "pending"), status: "queued" };
    case "stage-reached": {
      const scratchpad = run.scratchpad.map((entry) =>
        entry.step === event.step ? { ...entry, stages: withStage(entry.stages, event.stage) } : entry,
      );
      return { ...run, scratchpad };
    }
    case "observation-made": {
      const scratchpad = run.scratchpad.map((entry) =>
        entry.step === event.step
          ? { ...entry, observation: event.observation, durationMs: event.durationMs }
          : entry,
      );
      const wasWaiting = run.status === "waiting";
      return {
        ...(wasWaiting ? without(run, "pending") : run),
        scratchpad,
        functionsUsed: functionRun(scratchpad.find(({ step }) => step === event.step)).reduce(
          withFunction,
          run.functionsUsed,
        ),
        status: wasWaiting ? "queued" : run.status,
      };
    }
    case "answer-completed":
      return {
        ...run,
        result: event.text,
        responseStyle: event.style,
        verbatim: event.verbatim,
        ...(event.suggestions && { suggestions: event.suggestions }),
        ...(event.offers && { offers: event.offers }),
      };
    case "warning-raised":
      return { ...run, warnings: [...run.warnings, event.message] };
    case "function-learned":
      return { ...run, learnedFunction: event.function };
    case "usage-recorded":
      return { ...run, usage: event.usage };
    case "action-started":
      return run;
    default:
      return event satisfies never;
  }
}

function without<Key extends keyof Run>(run: Run, key: Key): Omit<Run, Key> {
  const { [key]: _dropped, ...rest } = run;
  return rest;
}

/** Returns the function that a step executed, according to its outcome. */
function functionRun(entry: ScratchpadEntry | undefined): FunctionUse[] {
  if (entry?.action?.tool !== "function_run") return [];
  const ran = entry.observation?.outputs?.["function"];
  if (typeof ran !== "object" || ran === null || !("id" in ran && "title" in ran)) return [];
  const { id, title } = ran;
  return typeof id === "string" && typeof title === "string" ? [{ id, title, followed: true }] : [];
}

/** The end of a stage replaces its beginning; so does a restart after an interruption. */
function withStage(stages: readonly CallStage[] = [], stage: CallStage): CallStage[] {
  return [...(stages.at(-1)?.state === "begun" ? stages.slice(0, -1) : stages), stage];
}

function withFunction(uses: readonly FunctionUse[], use: FunctionUse): FunctionUse[] {
  const known = uses.find((one) => one.id === use.id);
  const merged = { ...use, followed: use.followed || known?.followed === true };
  return [...uses.filter((one) => one.id !== use.id), merged];
}
