import { keepCitations } from "../contract/citation.ts";
import type { ConversationContext, ConversationTurn } from "../contract/context.ts";
import { clipToTokens, estimateTokens } from "../contract/tokens.ts";
import { extractSummary } from "./extract-summary.ts";
import { focusOf, topicsOf } from "./topics.ts";

/** The stored conversation before a request. */
export interface StoredConversation {
  /** The turns after `summary`, oldest first. */
  turns: readonly ConversationTurn[];
  /** Turns before `turns`. */
  earlierTurns: number;
  /** The summary of `earlierTurns`. */
  summary?: string;
}

export const NO_CONVERSATION: ConversationContext = { turns: [], topics: [], omittedTurns: 0 };

/** The maximum share of the budget for the summary and for the continued text, each. */
const SHARE = 1 / 3;
/** Maximum length of the newest turns and of older ones, in tokens. */
const NEWEST_TURN_TOKENS = 200;
const OLDER_TURN_TOKENS = 80;
/** Number of newest turns from which focus and topics are derived. */
const TOPIC_TURNS = 8;

/**
 * Builds the conversation for a planner: the newest turns verbatim, and a summary of all before them. The formatted
 * result (`formatConversation`) stays within `budgetTokens`.
 */
export function buildConversationContext(
  { turns, earlierTurns, summary: stored }: StoredConversation,
  { budgetTokens, taskContext }: { budgetTokens: number; taskContext?: string },
): ConversationContext {
  const share = Math.floor(budgetTokens * SHARE);
  const continued = taskContext?.trim() ? clipToTokens(taskContext.trim(), share) : undefined;
  const left = budgetTokens - (continued === undefined ? 0 : estimateTokens(continued) + LINE_TOKENS);
  const plainTurns = turns.map(withoutCitations);
  const all = newestTurns(plainTurns, left);
  const isComplete = all.length === plainTurns.length && stored === undefined;
  const included = isComplete ? all : newestTurns(plainTurns, left - share);
  const older = plainTurns.slice(0, plainTurns.length - included.length);
  const summary = isComplete ? "" : extractSummary(older, { tokens: share - LINE_TOKENS, before: stored });
  const focus = focusOf(plainTurns);
  return {
    turns: included,
    topics: topicsOf(plainTurns.slice(-TOPIC_TURNS)),
    omittedTurns: earlierTurns + older.length,
    ...(summary !== "" && { summary }),
    ...(focus !== undefined && { focus }),
    ...(continued !== undefined && { taskContext: continued }),
  };
}

/** Tokens for the marks around a turn, a summary or the title of the section. */
const LINE_TOKENS = 14;

/** Returns the newest turns within `tokens`, oldest first, each clipped to the limit for its age. */
function newestTurns(turns: readonly ConversationTurn[], tokens: number): ConversationTurn[] {
  const newest: ConversationTurn[] = [];
  let left = tokens - LINE_TOKENS;
  for (const turn of turns.toReversed()) {
    const most = newest.length < 2 ? Math.min(NEWEST_TURN_TOKENS, Math.floor(tokens / 3)) : OLDER_TURN_TOKENS;
    const text = clipToTokens(turn.text, most);
    left -= estimateTokens(text) + LINE_TOKENS;
    if (left < 0) break;
    newest.unshift({ ...turn, text });
  }
  return newest;
}

function withoutCitations(turn: ConversationTurn): ConversationTurn {
  const text = turn.role === "operator" ? keepCitations(turn.text, new Set()) : turn.text;
  return { ...turn, text: text.trim() };
}
