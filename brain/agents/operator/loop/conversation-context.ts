import { extractSummary } from "@metahuman/core/context/extract-summary";
import {
  buildConversationContext,
  inPairs,
  type StoredConversation,
} from "@metahuman/core/context/conversation-context";
import { fenceData } from "@metahuman/core/context/fenced";
import { speakerOf } from "@metahuman/core/context/format-context-for-prompt";
import { keepCitations } from "@metahuman/core/contract/citation";
import {
  type ConversationContext,
  type ConversationTurn,
  LONG_MESSAGE_TOKENS,
} from "@metahuman/core/contract/context";
import type { Run } from "@metahuman/core/contract/run";
import { clipToTokens, estimateTokens } from "@metahuman/core/contract/tokens";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import type { Logger } from "@metahuman/core/log/logger";
import type { RunRequest, RunStore, StoredTurns } from "@metahuman/core/runs/run-store";
import { createTaskTracker } from "@metahuman/core/async/task-tracker";
import { ask, type ModelCall } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import type { RunStorage } from "./run-scheduler.ts";
import { openQuestions, questionTurn } from "./open-questions.ts";
import { prompt } from "../prompts/load-prompt.ts";

/** The maximum number of unsummarized turns to read; older ones are only counted. */
const MAX_TURNS = 400;

/** The conversation before a run, as its planner sees it. */
export async function conversationBefore(
  run: Run,
  { request, identity }: RunRequest,
  storage: RunStorage,
  options: { persistent: RunStorage; ephemeral: RunStorage; budgetTokens: number },
): Promise<ConversationContext> {
  const { persistent, ephemeral, budgetTokens } = options;
  const { conversationId } = run;
  const [here, questions] = await Promise.all([
    turnsOf(conversationId, storage.store, run.id),
    openQuestions(storage.store, conversationId),
  ]);
  // A conversation in emulation continues its stored part, except for a guest.
  const isContinued =
    storage === ephemeral &&
    identity.role !== "guest" &&
    (await persistent.store.hasConversation(conversationId));
  const stored = isContinued
    ? joinConversations(await turnsOf(conversationId, persistent.store), here)
    : here;
  const { turns, ...rest } = withoutIds(stored);
  const asked = questions.filter(({ id }) => id !== run.id).flatMap(questionTurn);
  return buildConversationContext(
    { ...rest, turns: [...turns, ...asked] },
    {
      budgetTokens,
      // A small budget is meant for a model with a small context.
      longMessageTokens: Math.min(LONG_MESSAGE_TOKENS, Math.floor(budgetTokens * 1.2)),
      ...(request.taskContext !== undefined && { taskContext: request.taskContext }),
    },
  );
}

async function turnsOf(conversationId: string, store: RunStore, beforeRun?: string): Promise<StoredTurns> {
  const stored = await store.turns(conversationId, {
    limit: MAX_TURNS,
    ...(beforeRun !== undefined && { beforeRun }),
  });
  return { ...stored, turns: inPairs(stored.turns) };
}

function joinConversations(before: StoredConversation, after: StoredConversation): StoredConversation {
  const isWhole = after.earlierTurns === 0;
  const summary = [before.summary, after.summary].filter((text) => text !== undefined).join("\n");
  return {
    turns: isWhole ? [...before.turns, ...after.turns] : after.turns,
    earlierTurns: before.earlierTurns + (isWhole ? 0 : before.turns.length + after.earlierTurns),
    ...(summary !== "" && { summary }),
  };
}

function withoutIds({ turns, ...rest }: StoredConversation): StoredConversation {
  return { ...rest, turns: turns.map(plainTurn) };
}

function plainTurn({ role, text, at, outcome }: ConversationTurn): ConversationTurn {
  return { role, text, at, ...(outcome && { outcome }) };
}

/** Updates the summaries of long conversations in the background. */
export interface ConversationSummaries {
  /** Called when a run has ended. Returns at once. */
  update(run: Run, store: RunStore, onModelCall: (call: ModelCall) => void): void;
  /** Aborts the model calls and resolves when all work is done. */
  close(): Promise<void>;
}

/** A summary is extended when the turns after it have more than this many tokens. */
const EXTEND_AT_TOKENS = 1_500;
/** The newest turns are not summarized, because prompts contain them verbatim. */
const NEWEST_TURNS = 6;
/** The maximum number of tokens of one turn, counted and sent to the model. */
const TURN_TOKENS = 200;
const SUMMARY_WORDS = 120;
const SUMMARY_TOKENS = 250;

/**
 * Extends the stored summary of a conversation at intervals, so that a long conversation costs one small call every many
 * turns. Without a model for the role `summarizer`, or when it fails, the summary consists of extracted sentences.
 */
export function createConversationSummaries(
  router: ModelRouter | undefined,
  logger: Logger,
): ConversationSummaries {
  const closing = new AbortController();
  const pending = createTaskTracker();
  const busy = new Set<string>();

  async function extend(conversationId: string, store: RunStore, onModelCall: (call: ModelCall) => void) {
    const { turns, summary: before } = await store.turns(conversationId, { limit: MAX_TURNS });
    const older = turns.slice(0, -NEWEST_TURNS);
    const last = older.at(-1);
    if (!last || older.reduce((sum, turn) => sum + costOf(turn), 0) < EXTEND_AT_TOKENS) return;
    const cited = older.map((turn) => ({ ...turn, text: keepCitations(turn.text, new Set()) }));
    const text =
      (await summarizeWithModel(cited, before, onModelCall)) ??
      extractSummary(cited, { tokens: SUMMARY_TOKENS, before });
    closing.signal.throwIfAborted();
    await store.saveSummary(conversationId, { text, through: last.id });
  }

  /** The summary by the model; undefined without one. */
  async function summarizeWithModel(
    turns: readonly ConversationTurn[],
    before: string | undefined,
    onModelCall: (call: ModelCall) => void,
  ): Promise<string | undefined> {
    if (!router || (await router.modelsFor("summarizer")).models.length === 0) return undefined;
    const lines = turns.map((turn) => `${speakerOf(turn)}: ${clipToTokens(turn.text, TURN_TOKENS)}`);
    const newest = newestWithin(lines, EXTEND_AT_TOKENS * 2);
    // The older turns of a conversation without a summary are extracted.
    const rest = turns.slice(0, turns.length - newest.length);
    const soFar = rest.length === 0 ? before : extractSummary(rest, { tokens: SUMMARY_TOKENS, before });
    const material = [...(soFar ? [`Summary so far: ${soFar}`, ""] : []), ...newest].join("\n");
    try {
      const reply = await ask(
        {
          messages: [
            { role: "system", content: prompt("conversation-summary", { words: String(SUMMARY_WORDS) }) },
            { role: "user", content: fenceData(material) },
          ],
        },
        { router, role: "summarizer", purpose: "summarize", signal: closing.signal, onModelCall },
      );
      const text = reply.text.trim();
      return text === "" ? undefined : clipToTokens(text, SUMMARY_TOKENS);
    } catch (error) {
      if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
      return undefined;
    }
  }

  return {
    update({ conversationId }, store, onModelCall) {
      if (closing.signal.aborted || busy.has(conversationId)) return;
      busy.add(conversationId);
      const work = extend(conversationId, store, onModelCall)
        .catch((error: unknown) => {
          // The conversation may be deleted meanwhile.
          if (!closing.signal.aborted && !(error instanceof NotFoundError))
            logger.error({ err: error, conversationId }, "a conversation could not be summarized");
        })
        .finally(() => busy.delete(conversationId));
      void pending.track(work);
    },
    async close() {
      closing.abort();
      await pending.settled();
    },
  };
}

function costOf({ text }: ConversationTurn): number {
  return Math.min(TURN_TOKENS, estimateTokens(text));
}

function newestWithin(lines: readonly string[], tokens: number): string[] {
  const included: string[] = [];
  let left = tokens;
  for (const line of lines.toReversed()) {
    left -= estimateTokens(line);
    if (left < 0) break;
    included.unshift(line);
  }
  return included;
}

/** How many earlier runs a word such as "it" can refer to. */
const MAX_EARLIER_RUNS = 12;

/**
 * The earlier runs of the conversation, newest first. Only those that had ended when this one was requested count, so that a
 * resumed run reads the same.
 */
export async function earlierRuns(run: Run, store: Pick<RunStore, "run" | "runs">): Promise<Run[]> {
  const { conversationId } = run;
  const { items } = await store.runs({ conversationId, limit: MAX_EARLIER_RUNS + 1 });
  const before = items.filter(
    ({ id, endedAt }) => id !== run.id && endedAt !== undefined && endedAt <= run.createdAt,
  );
  return Promise.all(before.slice(0, MAX_EARLIER_RUNS).map(({ id }) => store.run(id)));
}
