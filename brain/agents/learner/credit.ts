import type { NewMemory } from "@metahuman/core/contract/memory";
import type { FunctionUse, ScratchpadEntry } from "@metahuman/core/contract/run";
import { usageEvent } from "@metahuman/core/functions/upkeep/usage-event";
import { isOwnFailureCode } from "@metahuman/core/functions/upkeep/own-failure";
import type { FunctionUseRecord } from "@metahuman/core/functions/functions-port";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { COMPOSE_SKILL } from "@metahuman/core/functions/recipe/compose-steps";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { EndedRun } from "./run-learner.ts";
import { factsAbout } from "./skill-facts.ts";

const MAX_TEXT_LENGTH = 2_000;

/** The result of one function in a run. */
export interface Credit {
  use: FunctionUse;
  record: FunctionUseRecord;
  steps: readonly ScratchpadEntry[];
}

/** The results of all functions of a run. Offered, followed and successful are counted separately. */
export async function creditsOf(ended: EndedRun): Promise<Credit[]> {
  const credits: Credit[] = [];
  for (const use of ended.run.functionsUsed) {
    const steps = ended.run.scratchpad.filter(
      ({ functionId, action }) => functionId === use.id && action?.tool !== "function_run",
    );
    // Skills that run a function count the use themselves.
    if (use.followed && steps.length === 0) continue;
    const found = outcomeOf(use, steps, ended);
    const isAbandoned = found.outcome === "succeeded" && !(await hasMadeLastChange(use.id, ended));
    const outcome = isAbandoned ? ("followed" as const) : found.outcome;
    credits.push({ use, steps, record: { ...found, outcome, functionId: use.id, runId: ended.run.id } });
  }
  return credits;
}

/**
 * False if the function ends with a change and the run made none of that skill: it was followed to a question, and the
 * answer was another request.
 */
async function hasMadeLastChange(id: string, { run, functions, skills }: EndedRun): Promise<boolean> {
  const factsOf = factsAbout(skills);
  const isChange = (skill: string): boolean => {
    const facts = factsOf(skill);
    return (
      facts !== undefined && !facts.reads && !facts.finds && !facts.controlsRun && skill !== COMPOSE_SKILL
    );
  };
  try {
    const { recipe, skillsUsed, examples } = await functions.loadFunction(id);
    const made = recipe?.actions.map(({ skill }) => skill) ?? examples.at(-1)?.skillSequence ?? skillsUsed;
    const last = made.findLast(isChange);
    return (
      last === undefined ||
      run.scratchpad.some(({ action, observation }) => action?.tool === last && observation?.success === true)
    );
  } catch (error) {
    // The function may have been deleted meanwhile.
    if (error instanceof FunctionNotFoundError) return true;
    throw error;
  }
}

function outcomeOf(
  use: FunctionUse,
  steps: readonly ScratchpadEntry[],
  { outcome, usage, replay }: EndedRun,
): Omit<FunctionUseRecord, "functionId" | "runId"> {
  if (!use.followed || steps.length === 0) return { outcome: "offered" };
  const cost = {
    planningCalls: usage.planningCalls,
    tokens: usage.promptTokens + usage.completionTokens,
    executionTimeMs: steps.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
  };
  const last = steps.at(-1)?.observation;
  const code = last?.success === false ? last.error?.code : undefined;
  if (outcome === "cancelled" || (code !== undefined && !isOwnFailureCode(code)))
    return { outcome: "followed", ...cost };
  const deviation = replay?.id === use.id ? replay.deviation : undefined;
  if (last?.success === false || deviation !== undefined)
    return {
      outcome: "failed",
      error: (deviation ?? last?.error?.message ?? "It failed.").slice(0, MAX_TEXT_LENGTH),
      ...cost,
    };
  return { outcome: outcome === "answered" ? "succeeded" : "followed", ...cost };
}

/** Records the results. Returns a notice for the person about each function that was disabled. */
export async function recordCredits(credits: readonly Credit[], { functions }: EndedRun): Promise<string[]> {
  const notices: string[] = [];
  for (const { record } of credits) {
    const { status, statusReason = "", title } = await functions.recordFunctionUse(record);
    if (record.outcome === "failed" && status === "disabled")
      notices.push(`The function “${title}” was disabled. ${statusReason}`.trim());
  }
  return notices;
}

/** An episodic event for each function that was followed. */
export async function rememberUses(
  credits: readonly Credit[],
  { run, mode, replay }: EndedRun,
  memory: Pick<MemoryPort, "addMany">,
): Promise<void> {
  if (mode === "emulation") return;
  const events = credits.filter(({ steps }) => steps.length > 0).map((credit) => usageOf(credit, replay));
  const source = { kind: "operator" as const, runId: run.id, conversationId: run.conversationId };
  if (events.length > 0) await memory.addMany(events, { source, trust: "untrusted" });
}

function usageOf({ use, record, steps }: Credit, replay: EndedRun["replay"]): NewMemory {
  return usageEvent({
    ...record,
    function: use,
    inputs: replay?.id === use.id ? replay.values : (steps[0]?.action?.args ?? {}),
    outputs: steps.at(-1)?.observation?.outputs ?? {},
  });
}
