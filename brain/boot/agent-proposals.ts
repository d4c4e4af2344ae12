import type { OperatorService } from "@metahuman/agents/operator/operator";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import {
  FunctionNotFoundError,
  MemoryNotFoundError,
  NotFoundError,
} from "@metahuman/core/errors/not-found-errors";
import { truncate } from "@metahuman/core/text/format";
import { AlreadyExistsError, ConflictError, StaleVersionError } from "@metahuman/core/errors/request-errors";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import {
  functionFromPattern,
  isTemplateOf,
  keyTag,
  patternFacts,
  type PatternFacts,
} from "@metahuman/core/memory/patterns/pattern-memory";
import { answerQuestion, dropProposal, keepProposal } from "@metahuman/core/memory/store/proposals";

/**
 * The actions of a person on what agents propose. All methods throw `MemoryNotFoundError` for an unknown proposal and
 * `ConflictError` for any other memory.
 */
export interface AgentProposals {
  /** Stores the answer to an open question as a memory. */
  answer(id: string, text: string): Promise<MemoryRecord>;
  /** Turns a proposed fact into a curated memory. */
  keep(id: string): Promise<MemoryRecord>;
  /** Archives a proposed fact. */
  drop(id: string): Promise<ArchiveEntry>;
  /**
   * Makes a function of a pattern: the function that the stored runs of its examples teach, which may be an existing one,
   * or else a new guide. Throws `AlreadyExistsError` if one was made of this pattern before, and the errors of
   * `FunctionsPort.saveFunction` and `updateFunction`.
   */
  makeFunction(id: string, actor: FunctionActor): Promise<FunctionMemory>;
  /** Like `makeFunction`, for the pattern with this template. Throws `MemoryNotFoundError` for an unknown template. */
  makeFunctionOf(template: string, actor: FunctionActor): Promise<FunctionMemory>;
}

export interface AgentProposalDependencies {
  memory: MemoryPort;
  functions: FunctionsPort;
  /** Describes a skill in a few words. */
  summaryOf: (skill: string) => string;
  /** Learns from a stored run. */
  learnFrom: OperatorService["learnFrom"];
  audit: Pick<AuditLog, "append">;
  /** The owner of the profile. */
  actor: string;
}

/**
 * Errors of a run from which nothing can be learned: the memory, its run or the function is gone, or a person has changed
 * the function meanwhile. The other runs are still tried.
 */
const LEARNING_ERRORS = [
  MemoryNotFoundError,
  NotFoundError,
  FunctionNotFoundError,
  ConflictError,
  StaleVersionError,
  AlreadyExistsError,
] as const;

export function createAgentProposals({
  memory,
  functions,
  summaryOf,
  learnFrom,
  audit,
  actor,
}: AgentProposalDependencies): AgentProposals {
  const note = (event: string, details: Record<string, unknown>) => audit.append({ event, actor, details });

  /**
   * Learns from the runs of a pattern's examples. Returns the id of the first function that one of them taught; the others
   * usually add examples to it.
   */
  async function learnFromExamples(
    { examples }: PatternFacts,
    by: FunctionActor,
  ): Promise<string | undefined> {
    let learned: string | undefined;
    for (const { id } of examples) {
      try {
        const { runId } = (await memory.get(id)).source;
        const result = runId === undefined ? undefined : await learnFrom(runId, by);
        if (result !== undefined && result.kind !== "nothing") learned ??= result.id;
      } catch (error) {
        if (!LEARNING_ERRORS.some((kind) => error instanceof kind)) throw error;
      }
    }
    return learned;
  }

  /** The last call of `makeFunctionOnce`. They run one at a time, so that two requests make one function of a pattern. */
  let making: Promise<unknown> = Promise.resolve();

  async function makeFunction(id: string, by: FunctionActor): Promise<FunctionMemory> {
    const facts = patternFacts(await memory.get(id));
    if (!facts || facts.skills.length === 0)
      throw new ConflictError(
        "No skill was called for this pattern, so there is nothing to make a function of.",
      );
    const made = making.then(
      () => makeFunctionOnce(facts, by),
      () => makeFunctionOnce(facts, by),
    );
    making = made;
    return made;
  }

  async function makeFunctionOnce(facts: PatternFacts, by: FunctionActor): Promise<FunctionMemory> {
    const [known] = (await functions.listFunctions({ tag: keyTag(facts.key), limit: 1 })).items;
    if (known)
      throw new AlreadyExistsError(`“${known.title}” was already created from this pattern.`, {
        context: { id: known.id },
      });
    const learned = await learnFromExamples(facts, by);
    if (learned === undefined)
      return functions.saveFunction(functionFromPattern(facts, summaryOf), by, { origin: "pattern" });
    const { tags, version } = await functions.loadFunction(learned);
    const tagged = await functions.updateFunction(
      learned,
      { tags: [...tags, keyTag(facts.key)], version },
      by,
    );
    return tagged.function;
  }

  return {
    makeFunction,
    async makeFunctionOf(template, by) {
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await memory.list({
          types: ["pattern"],
          limit: 200,
          ...(cursor !== undefined && { cursor }),
        });
        const found = page.items.find((record) => {
          const facts = patternFacts(record);
          return facts !== undefined && isTemplateOf(facts, template);
        });
        if (found) return makeFunction(found.id, by);
        cursor = page.nextCursor;
      }
      throw new MemoryNotFoundError(`There is no pattern “${truncate(template, 200)}”.`);
    },
    async answer(id, text) {
      const answer = await answerQuestion(memory, id, text);
      await note("question_answered", { question: id, answer: answer.id });
      return answer;
    },
    async keep(id) {
      const fact = await keepProposal(memory, id);
      await note("fact_kept", { proposal: id, fact: fact.id });
      return fact;
    },
    async drop(id) {
      const archived = await dropProposal(memory, id);
      await note("fact_dropped", { proposal: id });
      return archived;
    },
  };
}
