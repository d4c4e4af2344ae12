import type { ContextPackage, ConversationContext, RelevantFunction } from "@metahuman/core/contract/context";
import type { Persona } from "@metahuman/core/contract/profile";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { regionOf } from "@metahuman/core/contract/region";
import { orAborted } from "../tools/execute-call.ts";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import type { PlanState } from "../planner.ts";
import { stepBudget, stepsTaken } from "./stop.ts";
import type { RunDependencies, Yielded } from "./run-context.ts";

/** The input of a planner besides the run. */
export interface LoadedContext {
  /** Undefined when the flags switch it off, or when it could not be built. */
  contextPackage: ContextPackage | undefined;
  /** The persona when there is no context package. */
  persona?: Persona;
  conversation: ConversationContext;
  /** The calls of the earlier runs of the conversation, oldest first. */
  earlierCalls: readonly EarlierCall[];
  workspace: PlanState["workspace"];
}

/** Loads the context for the request. A failure becomes a warning; the run continues without context. */
export async function* loadContext(dependencies: RunDependencies): AsyncGenerator<Yielded, LoadedContext> {
  const [conversation, workspace] = await Promise.all([
    dependencies.conversation(),
    dependencies.workspace(),
  ]);
  const hasEarlier = conversation.turns.some(({ role }) => role === "operator");
  const earlier = hasEarlier ? await dependencies.earlier() : [];
  const earlierCalls = earlier.toReversed().flatMap(({ calls }) => calls);
  const loaded = { conversation, earlierCalls, workspace };
  const withoutContext = { contextPackage: undefined, ...loaded };
  if (!dependencies.flags.useContextPackage) {
    const persona = await dependencies.persona();
    return { ...withoutContext, ...(persona && { persona }) };
  }
  const startedAt = performance.now();
  try {
    const contextPackage = await orAborted(
      dependencies.buildContext(dependencies.signal),
      dependencies.signal,
    );
    // A resumed run has already recorded its context.
    if (dependencies.run().context === undefined)
      yield [
        contextBuilt(contextPackage, performance.now() - startedAt),
        ...contextPackage.relevantFunctions.map(functionMatched),
      ];
    return { contextPackage, ...loaded };
  } catch (error) {
    // The loop handles the abort itself.
    if (dependencies.signal.aborted) return withoutContext;
    dependencies.logError("The context could not be built.", error);
    const message = "Memory could not be searched for this request.";
    yield { type: "warning-raised", message, error: toErrorDetail(error) };
    return withoutContext;
  }
}

function contextBuilt(contextPackage: ContextPackage, durationMs: number): StoredEventBody {
  const { memories, relevantFunctions, budget, explanation } = contextPackage;
  return {
    type: "context-built",
    memories: memories.length,
    functions: relevantFunctions.length,
    tokens: budget.used,
    durationMs: Math.round(durationMs),
    warnings: explanation.warnings,
    explanation,
  };
}

function functionMatched({ id, title, score, reason }: RelevantFunction): StoredEventBody {
  return { type: "function-matched", function: { id, title, followed: false }, score, reason };
}

/** The run as its planner sees it now. */
export function planState(
  dependencies: RunDependencies,
  loadedContext: LoadedContext,
  onWarning: (message: string) => void,
): PlanState {
  const { id, goal, createdAt, scratchpad } = dependencies.run();
  const budget = stepBudget(
    dependencies.config,
    dependencies.flags,
    dependencies.request.request.reasoningDepth,
  );
  return {
    runId: id,
    request: goal,
    requestedAt: new Date(createdAt),
    now: dependencies.now(),
    ...regionOf(dependencies.request.request),
    scratchpad: [...dependencies.continued, ...scratchpad],
    ...(loadedContext.workspace && { workspace: loadedContext.workspace }),
    stepsLeft: budget - stepsTaken(scratchpad),
    isSingleStep: budget === 1,
    context: loadedContext.contextPackage,
    ...(loadedContext.persona && { persona: loadedContext.persona }),
    conversation: loadedContext.conversation,
    earlier: dependencies.earlier,
    earlierCalls: loadedContext.earlierCalls,
    skills: dependencies.skills,
    onModelCall: (call) => dependencies.onModelCall(call),
    onAnswerText: (text, offset) => dependencies.onAnswerText(text, offset),
    onWarning,
  };
}
