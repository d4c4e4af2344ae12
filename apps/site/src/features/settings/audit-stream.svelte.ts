import { firstLine, truncate } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { outputsSummary, valueText } from "../runs/observation-text.ts";
import { copy } from "./copy.ts";
import { describeError, isAbort, type ErrorDescription } from "../../lib/api/api-problem.ts";
import { lazySchemas } from "../../lib/api/http-client.ts";
import { parseEvents } from "../../lib/live/server-sent-events.ts";

const audit = lazySchemas(() => import("@metahuman/core/contract/audit"));

/** Follows the audit log and calls back for new entries, until it is paused. */
export class AuditStream {
  isFollowing = $state(false);
  /** The reason why it stopped. */
  problem = $state.raw<ErrorDescription>();
  readonly #open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly #onEntry: () => void;
  #left: AbortController | undefined;

  constructor(open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>, onEntry: () => void) {
    this.#open = open;
    this.#onEntry = onEntry;
  }

  /** Follows until it is paused or the stream ends; never rejects. */
  async follow(): Promise<void> {
    this.pause();
    const left = new AbortController();
    this.#left = left;
    this.isFollowing = true;
    this.problem = undefined;
    try {
      const stream = await this.#open(left.signal);
      // The entries that were added while it was paused.
      this.#onEntry();
      for await (const _ of parseEvents(audit("AuditEntry"), stream)) this.#onEntry();
      if (!left.signal.aborted) this.problem = { text: copy.auditStreamEnded, suggestions: [] };
    } catch (error) {
      if (!isAbort(error)) this.problem = describeError(error);
    } finally {
      if (this.#left === left) this.isFollowing = false;
    }
  }

  pause(): void {
    this.#left?.abort();
    this.isFollowing = false;
  }
}

/** The words for events whose names are not plain words. */
const EVENT_WORDS: Readonly<Record<string, string>> = {
  context_package_built: "context prepared",
  function_auto_learned: "function learned alone",
  llm_call: "model called",
  react_scratchpad_snapshot: "run ended",
};

/** An event in words: "skill called" for `skill_called`. */
export const eventWords = (event: string): string => EVENT_WORDS[event] ?? event.replaceAll("_", " ");

/** A search for the words of an event, as a search for its name, which is what the log contains. */
export function auditQuery(query: string): string {
  const typed = query.trim().toLowerCase();
  const [event] = Object.entries(EVENT_WORDS).find(([, words]) => words === typed) ?? [];
  return event ?? query;
}

/** The details that distinguish entries of one kind, shown first because lines are short. */
const FIRST: readonly string[] = [
  "success",
  "decision",
  "outcome",
  "account",
  "address",
  "path",
  "reason",
  "title",
  "skill",
];
const LINE_LENGTH = 96;
const YES_OR_NO = { true: "yes", false: "no" };

/**
 * The details of an audit entry in one line: "decision denied · path notes/a.md · reason not yet · skill fs_delete". The
 * opened entry has all of them; the line leaves out ids, success, and what would show no value.
 */
export function auditSummary(details: Readonly<Record<string, unknown>>): string {
  const { args, ...rest } = details;
  const path = isRecord(args) ? args["path"] : undefined;
  const all = { ...rest, ...(typeof path === "string" && { path }) };
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const parts = Object.entries(all)
    .sort(([one], [other]) => rank(one) - rank(other))
    .map(([name, value]): [string, unknown] => [name, isChange(value) ? changeText(value) : value])
    .filter(([name, value]) => !name.endsWith("Id") && !isSuccess(name, value) && isShort(value))
    .map(([name, value]): [string, unknown] => [
      name,
      typeof value === "boolean" ? YES_OR_NO[`${value}`] : value,
    ]);
  return truncate(firstLine(outputsSummary(Object.fromEntries(parts))), LINE_LENGTH);
}

const isSuccess = (name: string, value: unknown): boolean => name === "success" && value === true;
const isShort = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : !isRecord(value));

interface Change {
  from: unknown;
  to: unknown;
}

function isChange(value: unknown): value is Change {
  return isRecord(value) && "from" in value && "to" in value;
}

const changeText = ({ from, to }: Change): string => `${valueText(from)} → ${valueText(to)}`;
