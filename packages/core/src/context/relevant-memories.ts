import type { ContextExplanation } from "../contract/context.ts";
import type { MemoryType, RecalledMemory } from "../contract/memory.ts";
import { asksAboutOwn, refersBack } from "../language/references/refers-back.ts";
import { contextOfPaths, FILE_PATH } from "../memory/entities.ts";
import type { MemoryPort } from "../memory/memory-port.ts";
import { exchangeIn } from "../memory/exchange.ts";

/** Facts and notes, which rank before everything else. */
const FACTS: readonly MemoryType[] = ["curated", "observation"];
/** Excludes raw tool outputs and inner dialogue, which no prompt contains. */
const RECALLED: MemoryType[] = [...FACTS, "action", "pattern"];
/** Number of additional candidates to evaluate, to explain what was omitted. */
const EXTRA_CANDIDATES = 8;
/** Maximum number of results from earlier conversations for a request that refers to them. */
const MAX_CONVERSATIONS = 2;

export interface RelevantMemories {
  /** Facts first, each group by score; `rank` counts from 1 in this order. */
  memories: RecalledMemory[];
  patterns: RecalledMemory[];
  rejected: NonNullable<ContextExplanation["rejectedMemories"]>;
}

export interface MemoryQuery {
  message: string;
  /** Maximum number of memories. */
  limit: number;
  /** The current conversation, whose turns are already in the prompt. */
  conversationId: string | undefined;
  sessionId: string | undefined;
}

/**
 * Selects the memories for a prompt: only those that match the request on their own. Earlier conversations are
 * included if the request refers back ("what did I tell you…") or if it asks about the person's own things and no
 * fact matches. A question without a useful answer is never included.
 */
export async function relevantMemories(
  memory: Pick<MemoryPort, "recall">,
  query: MemoryQuery,
  signal: AbortSignal | undefined,
): Promise<RelevantMemories> {
  const { message, limit, conversationId } = query;
  const nothing = { memories: [], patterns: [], rejected: [] };
  if (limit === 0 || message.trim() === "") return nothing;
  const recall = async (types: MemoryType[]) => {
    const found = await memory.recall(
      {
        query: message.slice(0, 10_000),
        types,
        limit: Math.min(200, limit + EXTRA_CANDIDATES),
        explain: true,
        context: contextOfRequest(query),
      },
      signal,
    );
    return found.filter(
      ({ memory: { type, source } }) => type !== "conversation" || source.conversationId !== conversationId,
    );
  };

  const isReferringBack = refersBack(message);
  const [known, conversationMatches] = await Promise.all([
    recall(RECALLED),
    isReferringBack ? recall(["conversation"]) : [],
  ]);
  const patterns = known.filter((found) => found.memory.type === "pattern");
  const facts = evaluate(known.filter((found) => found.memory.type !== "pattern"));
  const searchesConversations = !isReferringBack && facts.fitting.length === 0 && asksAboutOwn(message);
  const found = searchesConversations ? await recall(["conversation"]) : conversationMatches;
  const conversations = evaluate(found);

  const conversationSlots = Math.min(conversations.fitting.length, MAX_CONVERSATIONS);
  const chosen = [...facts.fitting.slice(0, limit - conversationSlots), ...conversations.fitting].slice(
    0,
    limit,
  );
  const shown = new Set(chosen.map((one) => one.memory.id));
  const surplus = [...facts.fitting, ...conversations.fitting].filter((one) => !shown.has(one.memory.id));
  return {
    memories: chosen.map((one, index) => ({ ...one, rank: index + 1 })),
    patterns,
    rejected: [
      ...surplus.map((one) => ({ id: one.memory.id, reason: `${String(limit)} others fit better` })),
      ...facts.rejected,
      ...conversations.rejected,
    ],
  };
}

/** The circumstances of a request, by which memories of the same circumstances rank higher. */
function contextOfRequest({ message, conversationId, sessionId }: MemoryQuery): Record<string, string> {
  return {
    ...(conversationId !== undefined && { conversation: conversationId }),
    ...(sessionId !== undefined && { session: sessionId }),
    ...contextOfPaths(message.match(FILE_PATH) ?? []),
  };
}

/** Splits memories into matches, facts first, and the others with a reason for each. */
function evaluate(found: readonly RecalledMemory[]): {
  fitting: RecalledMemory[];
  rejected: RelevantMemories["rejected"];
} {
  const reasons = found.map((one) => ({ one, reason: rejectionReason(one) }));
  const fitting = reasons.filter(({ reason }) => reason === undefined).map(({ one }) => one);
  const isFact = ({ memory }: RecalledMemory) => FACTS.includes(memory.type);
  return {
    fitting: [...fitting.filter(isFact), ...fitting.filter((one) => !isFact(one))],
    rejected: reasons.flatMap(({ one, reason }) =>
      reason === undefined ? [] : [{ id: one.memory.id, reason }],
    ),
  };
}

function rejectionReason({ memory, fit }: RecalledMemory): string | undefined {
  if (fit !== undefined && fit < 1) return `below the threshold (${fit.toFixed(2)} of 1)`;
  const exchange = exchangeIn(memory);
  if (!exchange || exchange.answer !== undefined) return undefined;
  return ONE_QUESTION.test(exchange.asked) ? "a question without an answer of use" : undefined;
}

/** A single question, which carries no information without its answer. */
const ONE_QUESTION = /^[^.!?;]*\?$/u;
