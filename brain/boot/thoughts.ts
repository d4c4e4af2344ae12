import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { answerQuestion, dropProposal, keepProposal } from "@metahuman/core/memory/proposals";

/** What a person does with what the reflector came up with. All throw `MemoryNotFoundError` and `ConflictError`. */
export interface Thoughts {
  /** The answer to an open question becomes a memory. */
  answer(id: string, text: string): Promise<MemoryRecord>;
  /** A proposed fact becomes a curated memory. */
  keep(id: string): Promise<MemoryRecord>;
  /** A proposed fact goes to the archive. */
  drop(id: string): Promise<ArchiveEntry>;
}

export function createThoughts(memory: MemoryPort, audit: AuditLog, actor: string): Thoughts {
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
  };
}
