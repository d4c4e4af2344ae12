import { oneOf } from "../text/patterns.ts";
import { createHash } from "node:crypto";
import { keepCitations } from "../contract/citation.ts";
import type { MemoryRecord } from "../contract/memory.ts";
import { splitExchange } from "../text/exchange.ts";

/** An earlier exchange in the form in which it is recalled. */
export interface Exchange {
  asked: string;
  /** Absent if it is of no use: the run failed, or it reported something missing that may exist by now. */
  answer?: string;
}

const ABSENT_WORDS = oneOf(
  String.raw`there (?:is|are|was|were) (?:no|nothing|not)\b`,
  String.raw`no (?!problem|later|earlier|sooner|more than|less|fewer|longer|need|doubt|worries)\w+|nothing\b`,
  String.raw`none\b|you have no\b`,
  "i (?:can(?:no|')t|could(?: not|n't)|do(?: not|n't) (?:know|have|understand|find)|found (?:no|nothing))",
  String.raw`[^.!?\n]{0,80}\b(?:does not exist|do not exist|was not found|were not found|could not be|cannot be|is not there|is missing|needs? a model)\b`,
);
/** The beginning of an answer that reports something missing or impossible. */
const ABSENT = new RegExp(String.raw`^(?:sorry[,.]?\s+|unfortunately[,.]?\s+)?${ABSENT_WORDS}`, "iu");
/** Quotations from tools: code blocks, block quotes, tables. */
const FENCED = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gmu;
const QUOTED = /^(?:>|\|).*$/gmu;

/**
 * Parses the memory of a request and its answer. Removes raw tool outputs and citations, whose step numbers are not
 * valid in a later run. Undefined if the memory is not an exchange.
 */
export function exchangeIn({
  type,
  source,
  content,
  metadata,
}: Pick<MemoryRecord, "type" | "source" | "content" | "metadata">): Exchange | undefined {
  const parts = splitExchange(content);
  if (type !== "conversation" || source.kind !== "operator" || !parts) return undefined;
  const { asked, answered, outcome } = parts;
  const answer = keepCitations(answered, new Set()).replaceAll(FENCED, "").replaceAll(QUOTED, "").trim();
  const isUseful =
    metadata.success !== false && outcome === undefined && answer !== "" && !ABSENT.test(answer);
  return { asked, ...(isUseful && { answer }) };
}

/** Equal for records of the same request or the same call, of which only the newest is current. */
export function supersessionKey({
  type,
  content,
  metadata,
}: Pick<MemoryRecord, "type" | "content" | "metadata">): string | undefined {
  if (type === "tool_invocation" && metadata.toolName !== undefined)
    return hashOf([metadata.toolName, metadata.toolInputs ?? {}]);
  const asked = type === "conversation" ? splitExchange(content)?.asked : undefined;
  return asked === undefined ? undefined : hashOf([sameRequest(asked)]);
}

/** A request without regard to case, spacing and its last mark. Other marks count: C++ is not C#. */
const sameRequest = (asked: string): string =>
  asked
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/[.?!]$/u, "");

function hashOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
