import type { ArchiveEntry } from "../../contract/http.ts";
import type { MemoryRecord } from "../../contract/memory.ts";
import { ConflictError } from "../../errors/request-errors.ts";
import type { MemoryPort } from "../memory-port.ts";

/** The tag of an unanswered question. */
export const OPEN_QUESTION = "open-question";
const ANSWERED = "answered";
/** The tag of a fact that a model proposed and no person has accepted or rejected. */
export const PROPOSED_FACT = "proposed-fact";
const KEPT_TAG = "kept";

type Port = Pick<MemoryPort, "get" | "add" | "edit" | "forget">;

/**
 * Stores a person's answer to a curiosity question as a memory. Throws `MemoryNotFoundError`, and `ConflictError` if the
 * memory is not an open question.
 */
export async function answerQuestion(memory: Port, id: string, text: string): Promise<MemoryRecord> {
  const question = await open(memory, id, OPEN_QUESTION, "This is not an open question.");
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

/** Saves a proposed fact as a curated memory with the same trust and sources. Throws like `answerQuestion`. */
export async function keepProposal(memory: Port, id: string): Promise<MemoryRecord> {
  const proposal = await open(memory, id, PROPOSED_FACT, "This is not a proposed fact.");
  const fact = await memory.add(
    {
      type: "curated",
      content: proposal.content,
      tags: [KEPT_TAG],
      links: [{ id, relation: "kept-from" }, ...proposal.links.slice(0, 200)],
    },
    { source: { kind: "agent" }, trust: proposal.trust },
  );
  await memory.edit(id, {
    tags: [...proposal.tags.filter((tag) => tag !== PROPOSED_FACT), KEPT_TAG],
    links: [...proposal.links, { id: fact.id, relation: "kept-as" }],
  });
  return fact;
}

/** Archives a proposed fact. Throws like `answerQuestion`. */
export async function dropProposal(memory: Port, id: string): Promise<ArchiveEntry> {
  await open(memory, id, PROPOSED_FACT, "This is not a proposed fact.");
  return memory.forget(id);
}

async function open(memory: Port, id: string, tag: string, otherwise: string): Promise<MemoryRecord> {
  const record = await memory.get(id);
  if (record.tags.includes(tag)) return record;
  throw new ConflictError(otherwise, { context: { id } });
}
