import type { ContextPackage, ConversationContext, RelevantFunction } from "@metahuman/core/contract/context";
import type { Persona } from "@metahuman/core/contract/profile";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { regionOf } from "@metahuman/core/contract/region";
import { orAborted } from "../tools/with-timeout.ts";
import type { PlanState } from "../planner.ts";
import { stepBudget, stepsTaken } from "./stop.ts";
import type { RunDependencies, Yielded } from "./run-context.ts";

/** What a planner is told besides the run itself. */
export interface LoadedContext {
  /** Absent when the flags say so, or when it could not be had. */
  contextPackage: ContextPackage | undefined;
  /** Who speaks where there is no context package. */
  persona?: Persona;
  conversation: ConversationContext;
  workspace: PlanState["workspace"];
}

/** Looks up what is known for the request. Without it the run goes on, with a warning. */
export async function* loadContext(dependencies: RunDependencies): AsyncGenerator<Yielded, LoadedContext> {
  const [conversation, workspace] = await Promise.all([
    dependencies.conversation(),
    dependencies.workspace(),
  ]);
  const nothing = { contextPackage: undefined, conversation, workspace };
  if (!dependencies.flags.useContextPackage) {
    const persona = await dependencies.persona();
    return { ...nothing, ...(persona && { persona }) };
  }
  const began = performance.now();
  try {
    const built = await orAborted(dependencies.buildContext(dependencies.signal), dependencies.signal);
    // A run that is carried on has been told before.
    if (dependencies.run().context === undefined)
      yield [contextBuilt(built, performance.now() - began), ...built.relevantFunctions.map(functionMatched)];
    return { contextPackage: built, conversation, workspace };
  } catch (error) {
    // The loop finds out by itself that it was stopped.
    if (dependencies.signal.aborted) return nothing;
    dependencies.logError("The context could not be built.", error);
    const message = "What is known from memory could not be looked up for this request.";
    yield { type: "warning-raised", message, error: toErrorDetail(error) };
    return nothing;
  }
}

function contextBuilt(built: ContextPackage, durationMs: number): StoredEventBody {
  const { memories, relevantFunctions, budget, explanation } = built;
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
    ...regionOf(dependencies.request.request),
    scratchpad: [...dependencies.continued, ...scratchpad],
    ...(loadedContext.workspace && { workspace: loadedContext.workspace }),
    stepsLeft: budget - stepsTaken(scratchpad),
    isSingleStep: budget === 1,
    context: loadedContext.contextPackage,
    ...(loadedContext.persona && { persona: loadedContext.persona }),
    conversation: loadedContext.conversation,
    earlier: dependencies.earlier,
    skills: dependencies.skills,
    onModelCall: (call) => dependencies.modelCalled(call),
    onAnswerText: (text, offset) => dependencies.answerGrew(text, offset),
    onWarning,
  };
}
