import { keepCitations } from "../contract/citation.ts";
import type { MemoryRecord } from "../contract/memory.ts";

/** An earlier exchange as it may be recalled. */
export interface Exchange {
  asked: string;
  /** Absent where it is of no use: its run failed, or it reported something missing, which may be there by now. */
  answer?: string;
}

/** An answer that begins by saying that something is not there or cannot be done. */
const ABSENT =
  /^(?:sorry[,.]?\s+|unfortunately[,.]?\s+)?(?:there (?:is|are|was|were) (?:no|nothing|not)\b|no \w+|nothing\b|none\b|you have no\b|i (?:can(?:no|')t|could(?: not|n't)|do(?: not|n't) (?:know|have|understand|find)|found (?:no|nothing))|[^.!?\n]{0,80}\b(?:does not exist|do not exist|was not found|were not found|could not be|cannot be|is not there|is missing|needs? a model)\b)/iu;
/** What an answer quotes from tools: fenced blocks, quotations, tables. */
const FENCED = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gmu;
const QUOTED = /^(?:>|\|).*$/gmu;

/**
 * What the operator remembers of a request and its answer, the answer without raw outputs of tools and without citations:
 * the steps that they name are not those of a later run. Undefined for a memory that is no exchange.
 */
export function exchangeIn({ type, source, content, metadata }: MemoryRecord): Exchange | undefined {
  const parts = /^Asked: ([\s\S]*?)\n(?:Answered|Not answered \([^)]*\)): ([\s\S]*)$/u.exec(content);
  if (type !== "conversation" || source.kind !== "operator" || !parts) return undefined;
  const [, asked = "", said = ""] = parts;
  const answer = keepCitations(said, new Set()).replaceAll(FENCED, "").replaceAll(QUOTED, "").trim();
  const isOfUse = metadata.success !== false && answer !== "" && !ABSENT.test(answer);
  return { asked: asked.trim(), ...(isOfUse && { answer }) };
}
