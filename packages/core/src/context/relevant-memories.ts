import type { ContextExplanation } from "../contract/context.ts";
import type { MemoryType, RecalledMemory } from "../contract/memory.ts";
import { asksAboutOwn, refersBack } from "../language/references/refers-back.ts";
import type { MemoryPort } from "../memory/memory-port.ts";
import { exchangeIn } from "./exchange.ts";

/** What a person keeps and notes: it stands before everything else that fits. */
const FACTS: readonly MemoryType[] = ["curated", "observation"];
/** Raw outputs of tools, and what the operator says to itself, are in no prompt. */
const RECALLED: MemoryType[] = [...FACTS, "action", "pattern"];
/** How many more are looked at than are shown, to explain what was left out. */
const SPARE = 8;
/** Of the places, so many are kept for earlier conversations where the request refers to them. */
const TALK_PLACES = 2;

export interface RelevantMemories {
  /** Facts first, each group by score; `rank` counts from 1 in this order. */
  memories: RecalledMemory[];
  patterns: RecalledMemory[];
  rejected: NonNullable<ContextExplanation["rejectedMemories"]>;
}

export interface MemoryQuery {
  message: string;
  /** At most this many. */
  limit: number;
  /** What was said in it stands in the prompt as such. */
  conversationId: string | undefined;
  sessionId: string | undefined;
}

/**
 * The memories that a prompt shows: only those that fit the request by themselves. Earlier conversations take part where
 * the request refers back ("what did I tell you…"), and where it asks for the person's own things and no fact fits;
 * never a question whose answer is of no use.
 */
export async function relevantMemories(
  memory: Pick<MemoryPort, "recall">,
  { message, limit, conversationId, sessionId }: MemoryQuery,
  signal: AbortSignal | undefined,
): Promise<RelevantMemories> {
  const nothing = { memories: [], patterns: [], rejected: [] };
  if (limit === 0 || message.trim() === "") return nothing;
  const recall = async (types: MemoryType[]) => {
    const found = await memory.recall(
      {
        query: message.slice(0, 10_000),
        types,
        limit: Math.min(200, limit + SPARE),
        explain: true,
        context: {
          ...(conversationId !== undefined && { conversationId }),
          ...(sessionId !== undefined && { sessionId }),
        },
      },
      signal,
    );
    return found.filter(
      ({ memory: { type, source } }) => type !== "conversation" || source.conversationId !== conversationId,
    );
  };

  const isBack = refersBack(message);
  const [known, early] = await Promise.all([recall(RECALLED), isBack ? recall(["conversation"]) : []]);
  const patterns = known.filter((found) => found.memory.type === "pattern");
  const facts = judged(known.filter((found) => found.memory.type !== "pattern"));
  const mayTalk = !isBack && facts.fitting.length === 0 && asksAboutOwn(message);
  const found = mayTalk ? await recall(["conversation"]) : early;
  const talk = judged(found);

  const talkPlaces = Math.min(talk.fitting.length, TALK_PLACES);
  const chosen = [...facts.fitting.slice(0, limit - talkPlaces), ...talk.fitting].slice(0, limit);
  const shown = new Set(chosen.map((one) => one.memory.id));
  const surplus = [...facts.fitting, ...talk.fitting].filter((one) => !shown.has(one.memory.id));
  return {
    memories: chosen.map((one, index) => ({ ...one, rank: index + 1 })),
    patterns,
    rejected: [
      ...surplus.map((one) => ({ id: one.memory.id, reason: `${String(limit)} others fit better` })),
      ...facts.rejected,
      ...talk.rejected,
    ],
  };
}

/** Those that fit, facts first, and why the others do not. */
function judged(found: readonly RecalledMemory[]): {
  fitting: RecalledMemory[];
  rejected: RelevantMemories["rejected"];
} {
  const reasons = found.map((one) => ({ one, reason: reasonAgainst(one) }));
  const fitting = reasons.filter(({ reason }) => reason === undefined).map(({ one }) => one);
  const isFact = ({ memory }: RecalledMemory) => FACTS.includes(memory.type);
  return {
    fitting: [...fitting.filter(isFact), ...fitting.filter((one) => !isFact(one))],
    rejected: reasons.flatMap(({ one, reason }) =>
      reason === undefined ? [] : [{ id: one.memory.id, reason }],
    ),
  };
}

function reasonAgainst({ memory, fit }: RecalledMemory): string | undefined {
  if (fit !== undefined && fit < 1) return `below the threshold (${fit.toFixed(2)} of 1)`;
  const exchange = exchangeIn(memory);
  if (!exchange || exchange.answer !== undefined) return undefined;
  return ONE_QUESTION.test(exchange.asked) ? "a question without an answer of use" : undefined;
}

/** A single sentence that asks: without its answer it says nothing. */
const ONE_QUESTION = /^[^.!?;]*\?$/u;
