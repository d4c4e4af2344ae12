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
import { AlreadyExistsError, ConflictError } from "@metahuman/core/errors/request-errors";
import { functionFromPattern } from "@metahuman/core/functions/from-pattern";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import {
  isTemplateOf,
  keyTag,
  patternFacts,
  type PatternFacts,
} from "@metahuman/core/memory/patterns/pattern-memory";
import { answerQuestion, dropProposal, keepProposal } from "@metahuman/core/memory/store/proposals";

/** The actions of a person on the proposals of agents. All methods throw `MemoryNotFoundError` and `ConflictError`. */
export interface AgentProposals {
  /** Stores the answer to an open question as a memory. */
  answer(id: string, text: string): Promise<MemoryRecord>;
  /** Turns a proposed fact into a curated memory. */
  keep(id: string): Promise<MemoryRecord>;
  /** Archives a proposed fact. */
  drop(id: string): Promise<ArchiveEntry>;
  /** Turns a pattern into a draft function, once: learned from its stored runs, or else a guide. */
  makeFunction(id: string, actor: FunctionActor): Promise<FunctionMemory>;
  /** The same, for the pattern with this template. */
  makeFunctionOf(template: string, actor: FunctionActor): Promise<FunctionMemory>;
}

export interface AgentProposalDependencies {
  memory: MemoryPort;
  functions: FunctionsPort;
  /** Describes a skill in a few words. */
  summaryOf: (skill: string) => string;
  /** Learns from a stored run. */
  learnFrom: OperatorService["learnFrom"];
  audit: AuditLog;
  /** The owner of the profile. */
  actor: string;
}

/** Errors of a run from which nothing can be learned. The other runs are still tried. */
const CANNOT_TEACH = [MemoryNotFoundError, NotFoundError, FunctionNotFoundError, ConflictError] as const;

export function createAgentProposals({
  memory,
  functions,
  summaryOf,
  learnFrom,
  audit,
  actor,
}: AgentProposalDependencies): AgentProposals {
  const note = (event: string, details: Record<string, unknown>) => audit.append({ event, actor, details });

  /** The id of the function that the runs of a pattern's examples teach; each further run widens it. */
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
        // The memory or its run may be gone, and a person may have changed the function meanwhile.
        if (!CANNOT_TEACH.some((kind) => error instanceof kind)) throw error;
      }
    }
    return learned;
  }

  async function makeFunction(id: string, by: FunctionActor): Promise<FunctionMemory> {
    const facts = patternFacts(await memory.get(id));
    if (!facts || facts.skills.length === 0)
      throw new ConflictError("Only a pattern that skills followed can become a function.");
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
      throw new MemoryNotFoundError(`There is no pattern ${truncate(template, 200)}.`);
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
