import type { ArchiveEntry } from "../../contract/http.ts";
import type { MemoryRecord } from "../../contract/memory.ts";
import { ConflictError } from "../../errors/request-errors.ts";
import type { MemoryPort } from "../memory-port.ts";

/** Marks a question that nobody has answered yet. */
export const OPEN_QUESTION = "open-question";
const ANSWERED = "answered";
/** Marks a fact that a model found and nobody has decided on. */
export const PROPOSED_FACT = "proposed-fact";
const KEPT = "kept";

type Port = Pick<MemoryPort, "get" | "add" | "edit" | "forget">;

/**
 * Makes a memory of a person's answer to a question of curiosity. Throws `MemoryNotFoundError`, and `ConflictError` for
 * what is no open question.
 */
export async function answerQuestion(memory: Port, id: string, text: string): Promise<MemoryRecord> {
  const question = await open(memory, id, OPEN_QUESTION, "This is no open question.");
  const answer = await memory.add(
    {
      type: "curated",
      content: `${question.content}\n${text.trim()}`,
      tags: [ANSWERED],
      links: [{ id, relation: "answers" }],
    },
    { source: { kind: "user" }, trust: "trusted" },
  );
  await memory.edit(id, {
    tags: [...question.tags.filter((tag) => tag !== OPEN_QUESTION), ANSWERED],
    links: [...question.links, { id: answer.id, relation: "answered-by" }],
  });
  return answer;
}

/** Keeps a proposed fact as a curated memory, of the same trust and with what it comes from. Throws as `answerQuestion`. */
export async function keepProposal(memory: Port, id: string): Promise<MemoryRecord> {
  const proposal = await open(memory, id, PROPOSED_FACT, "Nobody has to decide on this.");
  const fact = await memory.add(
    {
      type: "curated",
      content: proposal.content,
      tags: [KEPT],
      links: [{ id, relation: "kept-from" }, ...proposal.links.slice(0, 200)],
    },
    { source: { kind: "agent" }, trust: proposal.trust },
  );
  await memory.edit(id, {
    tags: [...proposal.tags.filter((tag) => tag !== PROPOSED_FACT), KEPT],
    links: [...proposal.links, { id: fact.id, relation: "kept-as" }],
  });
  return fact;
}

/** Moves a proposed fact into the archive. Throws as `answerQuestion`. */
export async function dropProposal(memory: Port, id: string): Promise<ArchiveEntry> {
  await open(memory, id, PROPOSED_FACT, "Nobody has to decide on this.");
  return memory.forget(id);
}

async function open(memory: Port, id: string, tag: string, otherwise: string): Promise<MemoryRecord> {
  const record = await memory.get(id);
  if (record.tags.includes(tag)) return record;
  throw new ConflictError(otherwise, { context: { id } });
}
