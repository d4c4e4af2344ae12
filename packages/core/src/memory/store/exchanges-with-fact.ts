import type { MemoryRecord, MemoryType } from "../../contract/memory.ts";
import { contentWords, sentencesIn, stemOf, spacedWords } from "../../text/words.ts";
import type { MemoryPort } from "../memory-port.ts";

/** What a person or an agent noted, as opposed to requests, answers and calls. */
const FACTS: ReadonlySet<MemoryType> = new Set<MemoryType>(["curated", "observation", "action", "audio"]);
/** Look-ups and notes in memory, whose records repeat what they found. */
const MEMORY_SKILL = /^memory_/u;
/** Where one statement of a sentence may end and the next begin. */
const JOINT = /\s*[;,]\s+(?:(?:and|but)\s+)?|\s+(?:and|but)\s+|\n+/iu;
/** A statement with fewer content words is too short to be recognized. */
const MIN_WORDS = 2;
/** Of a long document, only the first statements are searched for. */
const MAX_STATEMENTS = 24;
const PAGE_SIZE = 100;
const MAX_EXCHANGES = 2_000;

/**
 * The ids of the exchanges and memory look-ups that contain a fact: those with a statement of it word for word, and
 * answers from memory with all its content words. None for a memory that is not a fact.
 */
export async function exchangesWithFact(
  fact: Pick<MemoryRecord, "type" | "content">,
  list: MemoryPort["list"],
): Promise<string[]> {
  if (!FACTS.has(fact.type)) return [];
  const ids = new Set<string>();
  for (const statement of statementsOf(fact.content)) {
    // The trailing space makes the last word match as a whole word, not as a prefix.
    const query = `${contentWords(statement).join(" ")} `;
    for (let cursor: string | null | undefined; cursor !== null && ids.size < MAX_EXCHANGES;) {
      const page = await list({
        types: ["conversation", "tool_invocation"],
        query,
        limit: PAGE_SIZE,
        ...(cursor !== undefined && { cursor }),
      });
      for (const record of page.items) if (repeats(record, statement)) ids.add(record.id);
      cursor = page.nextCursor;
    }
  }
  return [...ids];
}

/** The sentences of a text and their parts, each once. */
function statementsOf(text: string): string[] {
  // A joint would be looked for from every blank of a gap on.
  const spaced = text.replaceAll(/[^\S\n]+/gu, " ");
  const sentences = spaced.split(/\n+/u).flatMap(sentencesIn);
  const parts = sentences.flatMap((sentence) => [sentence, ...sentence.split(JOINT)]);
  const long = parts.filter((part) => new Set(contentWords(part).map(stemOf)).size >= MIN_WORDS);
  return [...new Set(long)].slice(0, MAX_STATEMENTS);
}

/** True for a record with all words of a statement if it repeats them in order, or comes from a look-up in memory. */
function repeats({ type, content, context, metadata }: MemoryRecord, statement: string): boolean {
  if (type === "tool_invocation") return MEMORY_SKILL.test(metadata.toolName ?? "");
  const { skill } = context;
  return (
    skill === undefined || MEMORY_SKILL.test(skill) || spacedWords(content).includes(spacedWords(statement))
  );
}
