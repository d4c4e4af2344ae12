import { oneOf } from "@metahuman/core/text/patterns";
import { z } from "zod";
import { type Region, regionOf } from "@metahuman/core/contract/region";
import type { NewMemory } from "@metahuman/core/contract/memory";
import type { Run, RunOutcome, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { contextOfPaths, extractEntities } from "@metahuman/core/memory/entities";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { Skill } from "@metahuman/skills/define-skill";
import { clipOutput, clipTexts, hasUntrustedOutput } from "../tools/execute-call.ts";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import { exchangeIn } from "@metahuman/core/memory/exchange";
import { MemoryNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { usesMemory } from "@metahuman/core/memory/evolution/memory-uses";
import { formatExchange } from "@metahuman/core/text/exchange";

/** The maximum length of an exchange in memory, in characters; the run contains the full text. */
const MAX_EXCHANGE = 20_000;
/** The maximum length of one argument or output in memory, in characters. */
const MAX_VALUE = 2_000;
/** The maximum number of memories of an earlier attempt that are read; a run cannot make as many calls. */
const MAX_MEMORIES_OF_A_RUN = 200;

export interface EndedRunFacts {
  run: Run;
  /** Absent for a run without an exchange: cancelled, or nothing said and done. */
  answer: string | undefined;
  outcome: RunOutcome;
  mode: CognitiveMode;
  sessionId: string | undefined;
  /** The region of the request, for the time zone of times. */
  region?: Partial<Region>;
  /** True for one call that a person made directly. */
  isDirect?: boolean;
  skills: readonly Skill[];
}

/**
 * Stores a run as memories: the exchange in mode `dual`, each skill call in `dual` and `agent`, nothing in `emulation`.
 * Look-ups in memory and exchanges that only list earlier runs are left out, because they repeat what is stored, and so are
 * searches for words that no file has. Each is stored once, also when the run was resumed after a crash. Of a run that took a
 * memory out of use, neither the exchange nor the calls that worked on memories are stored, because they repeat what was forgotten
 * or corrected.
 */
export async function rememberRun(memory: MemoryPort, ending: EndedRunFacts): Promise<void> {
  const { run, answer, mode } = ending;
  if (mode === "emulation") return;
  const origin = { runId: run.id, conversationId: run.conversationId };
  const hasForgotten = run.scratchpad.some(archivesMemory);
  const calls = run.scratchpad.filter(
    (entry) =>
      isAboutTheWorld(entry, ending.skills) &&
      !repeatsMemory(entry, ending.skills, hasForgotten) &&
      !hasFoundNoWords(entry, ending.skills),
  );
  const exchange =
    mode === "dual" && answer !== undefined && !hasForgotten && !listsRuns(run)
      ? [exchangeOf(ending, answer)]
      : [];
  if (calls.length + exchange.length === 0) return;
  const written = await alreadyWritten(memory, run.id);

  if (calls.length > 0 && !written.has("tool_invocation")) {
    const memories = calls.map((entry) => invocationOf(entry, ending));
    await memory.addMany(memories, { source: { kind: "tool", ...origin }, trust: "untrusted" });
  }
  if (exchange.length > 0 && !written.has("conversation")) {
    const trust = calls.some((entry) => hasUntrustedText(entry, ending.skills)) ? "untrusted" : "trusted";
    await memory.addMany(exchange, { source: { kind: "operator", ...origin }, trust });
  }
}

async function alreadyWritten(memory: MemoryPort, runId: string): Promise<Set<NewMemory["type"]>> {
  const types: NewMemory["type"][] = ["conversation", "tool_invocation"];
  const { items } = await memory.list({ types, runId, limit: MAX_MEMORIES_OF_A_RUN });
  return new Set(items.map((record) => record.type));
}

const ArchivedMemory = z.object({ kind: z.literal("memory") });

/** True for a call that moved a memory to the archive, which its outputs then name. */
function archivesMemory({ observation }: ScratchpadEntry): boolean {
  const { removed, replaced } = observation?.outputs ?? {};
  return (
    observation?.success === true &&
    [removed, replaced].some((entry) => ArchivedMemory.safeParse(entry).success)
  );
}

/** True for a run that only listed what other runs did: they are stored already, and the list soon becomes outdated. */
function listsRuns({ scratchpad }: Run): boolean {
  const tools = scratchpad.flatMap(({ action }) =>
    action && action.tool !== ANSWER_SKILL ? [action.tool] : [],
  );
  return tools.length > 0 && tools.every((tool) => tool === "activity_list");
}

/** True for a look-up in memory, and for any call on memories of a run that took one out of use. */
function repeatsMemory(
  { action }: ScratchpadEntry,
  skills: readonly Skill[],
  hasForgotten: boolean,
): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return skill?.category === "memory" && (hasForgotten || skill.effects === "read");
}

/** True for a search by words without a result. Remembering it would only match later questions with the same words. */
function hasFoundNoWords({ action, observation }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  const checks = skills.find(({ id }) => id === action?.tool)?.checks;
  return (
    checks?.words !== undefined &&
    observation?.outputs !== undefined &&
    !checks.isThere({ ...observation.outputs })
  );
}

/** Names of arguments and outputs that hold workspace paths. */
const PATHS = ["path", "from", "to", "folder"];

/** The context of a run: its conversation, and the project, file, skill and function of its calls. */
function contextOf(
  { run, sessionId, skills }: EndedRunFacts,
  calls: readonly ScratchpadEntry[],
): Record<string, string> {
  const last = calls.findLast(({ observation }) => observation?.success === true) ?? calls.at(-1);
  const functionId =
    last?.functionId ??
    (calls.length > 1 ? run.functionsUsed.find(({ followed }) => followed)?.id : undefined);
  return {
    conversation: run.conversationId,
    ...(sessionId !== undefined && { session: sessionId }),
    ...contextOfPaths(calls.flatMap((entry) => pathsOf(entry, skills))),
    ...(last?.action && { skill: last.action.tool }),
    ...(functionId !== undefined && { function: functionId }),
  };
}

function pathsOf({ action, observation }: ScratchpadEntry, skills: readonly Skill[]): string[] {
  const skill = skills.find(({ id }) => id === action?.tool);
  if (skill?.category !== "files") return [];
  return PATHS.flatMap((name) => {
    const path = observation?.outputs?.[name] ?? action?.args[name];
    return typeof path === "string" ? [path] : [];
  });
}

/**
 * The exchange of a run that failed or found nothing is marked with `success: false` and not recalled, unless its request states
 * something of the person: that stays true, and only the answer is left out.
 */
function exchangeOf(ending: EndedRunFacts, answer: string): NewMemory {
  const { run, outcome, sessionId, skills, isDirect = false } = ending;
  const isAnswered = outcome === "answered";
  const content = formatExchange({
    asked: clipOutput(run.goal.trim(), MAX_EXCHANGE),
    answered: clipOutput(answer.trim(), MAX_EXCHANGE),
    ...(!isAnswered && { outcome }),
  });
  return {
    type: "conversation",
    content,
    context: contextOf(
      ending,
      run.scratchpad.filter((entry) => isAboutTheWorld(entry, skills)),
    ),
    entities: extractEntities(`${run.goal}\n${answer}`),
    metadata: {
      conversationId: run.conversationId,
      ...(sessionId !== undefined && { sessionId }),
      outcome,
      ...(isDirect && { direct: true }),
      success:
        STATES.test(run.goal) ||
        (isAnswered &&
          !hasEndedInFailure(run, skills) &&
          (isInformative(content) || !QUESTION.test(run.goal))),
    },
  };
}

/** A bare question. Any other request may state facts, whatever was answered. */
const QUESTION =
  /^\W*(?:what|which|who|whose|where|when|why|how|is|are|was|were|do|does|did|have|has|can|could|will)(?!\p{L})[^.;!]*$/iu;

const STATES_WORDS = oneOf(
  "i['’]?m|i am|i['’]ve|i have",
  "i (?:like|love|hate|prefer|live|work|own|drive|never|always|can['’]?t|cannot|don['’]?t|do not)",
  String.raw`(?:my|our) [\p{L}\p{N}' -]{2,40}? (?:is|are|was|has|have|lives?|works?|likes?)`,
  "ich (?:bin|habe|mag|hasse|wohne|arbeite|vertrage|esse)",
  String.raw`(?:mein|unser)e? [\p{L}\p{N} -]{2,40}? (?:ist|sind|hat|haben|heißt)|je (?:suis|vis|travaille)`,
  "j['’](?:ai|aime|habite)|soy|tengo|vivo|trabajo",
);
/** A statement about the person or their things: "I'm allergic to walnuts, so find me…", "my locker is 214". */
const STATES = new RegExp(
  String.raw`(?:^|[.,;:!]\s*|\s(?:because|since|as|and|but|weil|da|und|aber)\s)${STATES_WORDS}(?!\p{L})`,
  "iu",
);

/** False for the exchange of an answer that only says that something is missing. */
function isInformative(content: string): boolean {
  const exchange = exchangeIn({ type: "conversation", source: { kind: "operator" }, content, metadata: {} });
  return exchange?.answer !== undefined;
}

/** True when the last call failed, so that the answer can only report that. */
function hasEndedInFailure({ scratchpad }: Run, skills: readonly Skill[]): boolean {
  const last = scratchpad.findLast((entry) => isAboutTheWorld(entry, skills));
  return last?.observation?.success === false;
}

function invocationOf(entry: ScratchpadEntry, ending: EndedRunFacts): NewMemory {
  const { action, observation, durationMs } = entry;
  const { run, sessionId, skills, region = {} } = ending;
  const tool = action?.tool ?? "";
  const outputs = observation?.outputs;
  const skill = skills.find(({ id }) => id === tool);
  const description =
    skill && outputs && skill.output.safeParse(outputs).success
      ? skill.narrate(outputs, regionOf(region))
      : (observation?.content ?? "");
  return {
    type: "tool_invocation",
    content: clipOutput(`${tool}: ${description}`, MAX_EXCHANGE),
    context: contextOf(ending, [entry]),
    entities: extractEntities([...textsIn(action?.args), description].join("\n")),
    metadata: {
      conversationId: run.conversationId,
      ...(sessionId !== undefined && { sessionId }),
      toolName: tool,
      toolInputs: clipTexts(action?.args ?? {}, MAX_VALUE),
      ...(outputs && { toolOutputs: clipTexts(outputs, MAX_VALUE) }),
      success: observation?.success ?? false,
      ...(observation?.error && { error: observation.error.message }),
      ...(durationMs !== undefined && { executionTimeMs: durationMs }),
    },
  };
}

/** The texts among the arguments of a call, at the top level and in lists. */
function textsIn(args: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.values(args)
    .flat()
    .filter((value) => typeof value === "string");
}

/** Skills that only steer the run change nothing. */
function isAboutTheWorld({ action, observation }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  return (
    observation !== undefined &&
    skills.some((skill) => skill.id === action?.tool && skill.category !== "agent")
  );
}

function hasUntrustedText({ action, observation }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return observation?.success === true && skill !== undefined && hasUntrustedOutput(skill);
}

export interface Ended {
  run: Run;
  answer: string | undefined;
  mode: CognitiveMode;
  /** The region of the request, in which the answer tells times. */
  region?: Partial<Region>;
  skills: readonly Skill[];
}

/**
 * Records which memories a run used: those whose words appear in its answer, and those whose paths and names appear in
 * its calls. Being in the context, in the results of a search or in a list of them is not a use.
 */
export async function creditMemories(memory: MemoryPort, ending: Ended): Promise<void> {
  const { run, answer, mode, skills } = ending;
  if (mode === "emulation") return;
  const inContext = (run.context?.memories ?? []).map(({ id }) => id);
  const done = run.scratchpad.filter((entry) => hasChangedSomething(entry, skills)).map(argumentsOf);
  const isOfCode = run.planner === "built-in";
  const cited = isOfCode ? statedMemories(ending) : [];
  const followed: string[] = [];
  for (const id of inContext) {
    const content = await contentOf(memory, id);
    if (content === undefined) continue;
    if (!isOfCode && answer !== undefined && usesMemory(content, answer, run.goal)) cited.push(id);
    if (done.some((args) => usesMemory(content, args, run.goal))) followed.push(id);
  }
  if (cited.length > 0) await memory.used(cited, { kind: "cited", runId: run.id });
  if (followed.length > 0) await memory.used(followed, { kind: "followed", runId: run.id });
}

const Found = z.object({ results: z.array(z.looseObject({ id: z.string(), content: z.string() })) });

/** The found memories that an answer written by code states as the answer to a question; a list of what was found states none. */
function statedMemories({ run, answer = "", region, skills }: Ended): string[] {
  const stated = run.scratchpad.flatMap(({ action, observation }) => {
    const { answers, views } = skills.find(({ id }) => id === action?.tool) ?? {};
    const query = answers === undefined ? undefined : action?.args[answers];
    const { success, data } = Found.safeParse(observation?.outputs);
    if (answers === undefined || typeof query !== "string" || !success) return [];
    const text = views?.["answer"]?.(data, { [answers]: query }, regionOf(region ?? {}));
    if (typeof text !== "string" || !answer.includes(text)) return [];
    const isStated = (content: string): boolean =>
      text.toLowerCase().includes(
        content
          .trim()
          .toLowerCase()
          .replace(/[.!?]$/u, ""),
      ) || usesMemory(content, text, query);
    return data.results.filter(({ content }) => isStated(content)).map(({ id }) => id);
  });
  return [...new Set(stated)];
}

/** The memory; undefined if it was deleted meanwhile. */
async function contentOf(memory: MemoryPort, id: string): Promise<string | undefined> {
  try {
    return (await memory.get(id)).content;
  } catch (error) {
    if (error instanceof MemoryNotFoundError) return undefined;
    throw error;
  }
}

/** Calls that only read do not count as uses. */
function hasChangedSomething({ action, observation }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return observation?.success === true && skill !== undefined && skill.effects !== "read";
}

function argumentsOf({ action }: ScratchpadEntry): string {
  return JSON.stringify(action?.args ?? {});
}
