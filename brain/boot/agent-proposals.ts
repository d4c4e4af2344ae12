import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { AlreadyExistsError, ConflictError } from "@metahuman/core/errors/request-errors";
import { functionFromPattern } from "@metahuman/core/functions/from-pattern";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { keyTag, patternFacts } from "@metahuman/core/memory/patterns/pattern-memory";
import { answerQuestion, dropProposal, keepProposal } from "@metahuman/core/memory/store/proposals";

/** What a person can do with the proposals of agents. All methods throw `MemoryNotFoundError` and `ConflictError`. */
export interface AgentProposals {
  /** Stores the answer to an open question as a memory. */
  answer(id: string, text: string): Promise<MemoryRecord>;
  /** Turns a proposed fact into a curated memory. */
  keep(id: string): Promise<MemoryRecord>;
  /** Archives a proposed fact. */
  drop(id: string): Promise<ArchiveEntry>;
  /** Turns a pattern into a draft function, once. */
  makeFunction(id: string, actor: FunctionActor): Promise<FunctionMemory>;
}

export interface AgentProposalDependencies {
  memory: MemoryPort;
  functions: FunctionsPort;
  /** Describes a skill in a few words. */
  summaryOf: (skill: string) => string;
  audit: AuditLog;
  /** The owner of the profile. */
  actor: string;
}

export function createAgentProposals({
  memory,
  functions,
  summaryOf,
  audit,
  actor,
}: AgentProposalDependencies): AgentProposals {
  const note = (event: string, details: Record<string, unknown>) => audit.append({ event, actor, details });
  return {
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
    async makeFunction(id, by) {
      const facts = patternFacts(await memory.get(id));
      if (!facts || facts.skills.length === 0)
        throw new ConflictError("Only a pattern that skills followed can become a function.");
      const draft = functionFromPattern(facts, summaryOf);
      const [known] = (await functions.listFunctions({ tag: keyTag(facts.key), limit: 1 })).items;
      if (known)
        throw new AlreadyExistsError(`“${known.title}” was made of this pattern.`, {
          context: { id: known.id },
        });
      return functions.saveFunction(draft, by, { origin: "pattern" });
    },
  };
}
