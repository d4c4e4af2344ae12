import { setTimeout as delay } from "node:timers/promises";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import { createTaskTracker } from "@metahuman/core/async/task-tracker";
import { fenceData } from "@metahuman/core/context/fenced";
import type { Run } from "@metahuman/core/contract/run";
import { clipToTokens } from "@metahuman/core/contract/tokens";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import type { Logger } from "@metahuman/core/log/logger";
import type { RunStore } from "@metahuman/core/runs/run-store";
import { oneLine } from "@metahuman/core/text/format";
import { stripJoinedMarkdown, titleFromRequest } from "@metahuman/core/text/strip-markdown";
import { ask, callMetrics, type ModelCall } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import { prompt } from "../prompts/load-prompt.ts";

/** Names new conversations in the background. */
export interface ConversationTitles {
  /** Called when a stored run has ended. Returns at once. */
  update(run: Run, store: RunStore): void;
  /** Aborts the model call and resolves when all work is done. */
  close(): Promise<void>;
}

export interface ConversationTitleOptions {
  router: ModelRouter;
  audit: Pick<AuditLog, "append">;
  username: string;
  logger: Logger;
  /** Called after a conversation got a title. */
  onTitled: () => void;
  /** How long to wait after the last run ended before a model is asked, in milliseconds. */
  idleMs?: number;
}

const IDLE_MS = 3_000;
/** A first request of at most this many words is used as the title. */
const SHORT_REQUEST = 6;
/** The number of unusable replies after which a conversation keeps its title. */
const MAX_TRIES = 3;
/** The number of messages after which a conversation keeps its title. */
const MAX_MESSAGES = 100;
/** The number of messages at the start of a conversation that the model reads. */
const READ_MESSAGES = 6;
/** How much of a message the model reads, and how much it may reply. */
const MESSAGE_TOKENS = 150;
const TITLE_TOKENS = 60;
/** The maximum length of a title, in characters. */
const MAX_TITLE = 60;

/**
 * Asks the model of the role `summarizer` for a title, once no run is queued or running and after a run that used a model.
 * Only a title made of the first request is replaced, so a person's own title stays. Without a usable reply, the title
 * stays, too.
 */
export function createConversationTitles(options: ConversationTitleOptions): ConversationTitles {
  const { router, audit, username, logger, onTitled, idleMs = IDLE_MS } = options;
  const closing = new AbortController();
  const pending = createTaskTracker();
  const waiting = new Map<string, RunStore>();
  const tries = new Map<string, number>();
  let idle = new AbortController();

  async function whenIdle(signal: AbortSignal): Promise<void> {
    try {
      await delay(idleMs, undefined, { signal, ref: false });
    } catch (error) {
      // Another run has ended meanwhile, or the operator closes.
      if (signal.aborted) return;
      throw error;
    }
    for (const [conversationId, store] of waiting) {
      // The end of the active run calls again.
      if (signal.aborted || (await isBusy(store))) return;
      waiting.delete(conversationId);
      await generateTitle(conversationId, store);
    }
  }

  async function generateTitle(conversationId: string, store: RunStore): Promise<void> {
    try {
      const { title } = await store.conversation(conversationId);
      const messages = await store.messages(conversationId, { limit: MAX_MESSAGES + 1 });
      const first = messages.find(({ role }) => role === "person")?.text ?? "";
      if (messages.length > MAX_MESSAGES || title !== titleFromRequest(first)) return;
      if (oneLine(first).split(" ").length <= SHORT_REQUEST) return;
      const tried = (tries.get(conversationId) ?? 0) + 1;
      if (tried > MAX_TRIES) return;
      tries.set(conversationId, tried);
      const lines = messages
        .slice(0, READ_MESSAGES)
        .map(({ role, text }) => `${role}: ${clipToTokens(text, MESSAGE_TOKENS)}`);
      const generated = await askForTitle(lines.join("\n"));
      if (generated === undefined) return;
      if (await store.replaceTitle(conversationId, { from: title, to: generated })) onTitled();
    } catch (error) {
      if (closing.signal.aborted || isExpected(error)) return;
      logger.error({ err: error, conversationId }, "a conversation could not be named");
    }
  }

  async function askForTitle(material: string): Promise<string | undefined> {
    if ((await router.modelsFor("summarizer")).models.length === 0) return undefined;
    const reply = await ask(
      {
        messages: [
          { role: "system", content: prompt("conversation-title") },
          { role: "user", content: fenceData(material) },
        ],
        temperature: 0,
        maxTokens: TITLE_TOKENS,
        think: "off",
      },
      {
        router,
        role: "summarizer",
        purpose: "title",
        signal: closing.signal,
        onModelCall: (call) => void pending.track(record(call)),
      },
    );
    return extractTitle(reply.text);
  }

  async function record(call: ModelCall): Promise<void> {
    try {
      const details = callMetrics(call);
      await audit.append({ event: "llm_call", actor: username, surface: "agent", details });
    } catch (error) {
      logger.error({ err: error }, "the audit log could not be written");
    }
  }

  return {
    update({ conversationId, usage, outcome }, store) {
      if (closing.signal.aborted) return;
      if (outcome === "answered" && usage.modelCalls > 0) waiting.set(conversationId, store);
      if (waiting.size === 0) return;
      idle.abort();
      idle = new AbortController();
      void pending.track(whenIdle(AbortSignal.any([idle.signal, closing.signal])));
    },
    async close() {
      closing.abort();
      await pending.settled();
    },
  };
}

/** True for errors that are expected: the conversation was deleted or the model is gone. */
const isExpected = (error: unknown): boolean =>
  error instanceof NotFoundError || error instanceof ModelError || error instanceof ModelUnavailableError;

async function isBusy(store: RunStore): Promise<boolean> {
  const runs = await store.unfinishedRuns(20);
  return runs.some(({ status }) => status === "queued" || status === "running");
}

/**
 * The title in a reply: the value of `title` in JSON, else its first line without quotation marks and Markdown around it;
 * undefined if that is not a title.
 */
export function extractTitle(reply: string): string | undefined {
  const text = reply.trim().replace(/^```(?:json)?\s*/u, "");
  const named = /^\{\s*"title"\s*:\s*"([^"\\]+)"/u.exec(text)?.[1];
  if (named === undefined && /^[{[]/u.test(text)) return undefined;
  const line = oneLine(stripJoinedMarkdown(named ?? text.split("\n")[0] ?? ""));
  const bare = line
    .replace(/^[\s"'“„«*_#`-]*(?:title|titel|titre|título)[\s*_]*:\s*/iu, "")
    .replaceAll(/^[\s"'“”„«»*_#`-]+|[\s"'“”«»*_`.]+$/gu, "");
  return bare.length < 3 || bare.length > MAX_TITLE || !/\p{L}/u.test(bare) ? undefined : bare;
}
