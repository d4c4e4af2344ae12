import type { Page } from "../contract/http.ts";
import type { Occurrence } from "../contract/schedule.ts";
import type { DueRow } from "./due-moments.ts";

/** The next moment of a schedule, as stored. */
export interface StoredMoment {
  scheduleId: string;
  /** The data that the moment was computed from; another value means that the schedule was changed since. */
  timing: string;
  /** ISO 8601; null when nothing is due any more. */
  next: string | null;
  /** How daylight saving time moved the next moment. */
  note: string | null;
  /** Failed occurrences in a row. */
  failures: number;
  /** The conversation of its runs. */
  conversationId: string | null;
}

/** New rows of a schedule with its next moment, valid while the stored moment is the expected one. */
export interface ScheduleAdvance {
  scheduleId: string;
  expected: { timing: string; next: string };
  rows: readonly DueRow[];
  next: string | null;
  note: string | null;
  /** Due rows start no earlier than this many milliseconds after they are due. */
  jitterMs?: number;
}

/** One attempt of an occurrence that this process executes. */
export interface AttemptClaim {
  scheduleId: string;
  dueAt: string;
  attempt: number;
}

/** How an attempt ended: with a final state, or with another attempt that starts no earlier than `retryAt`. */
export interface AttemptEnd {
  state: "succeeded" | "failed" | "skipped" | "retry";
  retryAt?: string;
  outcome?: string;
  reason?: string;
  modelCalls?: number;
  tokens?: number;
}

export type OccurrenceKey = Pick<Occurrence, "scheduleId" | "dueAt">;

/**
 * The due moments of a profile's schedules and their outcomes. There is exactly one row for each moment, written in
 * the transaction that advances the next moment; a final state never changes. A running occurrence belongs to the
 * process that claimed it for as long as that process renews its lease.
 */
export interface OccurrenceLedger {
  moment(scheduleId: string): Promise<StoredMoment | undefined>;
  moments(): Promise<StoredMoment[]>;
  /** Stores the next moment of a new or changed schedule. It is never at or before a moment that has a row. */
  setMoment(moment: Pick<StoredMoment, "scheduleId" | "timing" | "next" | "note">): Promise<void>;
  /** The last moment of a schedule that has a row. */
  lastDue(scheduleId: string): Promise<string | undefined>;
  setConversation(scheduleId: string, conversationId: string): Promise<void>;
  /** Sets the number of failures in a row to zero. */
  resetFailures(scheduleId: string): Promise<void>;
  /** Removes the next moment. Rows stay; those that have not started become skipped for `reason`. */
  forget(scheduleId: string, reason: string): Promise<void>;

  /** Ends the due occurrences of a schedule as skipped. */
  skipDue(scheduleId: string, reason: string): Promise<void>;

  /** Schedules whose next moment is at or before `now`, the earliest first. */
  dueSchedules(now: Date): Promise<StoredMoment[]>;
  /**
   * Writes rows and next moments in one transaction. Resolves to the schedules that were advanced; the others were advanced
   * or changed by another process meanwhile.
   */
  advance(advances: readonly ScheduleAdvance[]): Promise<string[]>;
  /** Adds a row that is due now, at a person's request. Throws `ConflictError` for a moment that has one. */
  add(key: OccurrenceKey, reason: string): Promise<Occurrence>;
  /** Occurrences that may start, in the order in which they are due. */
  due(now: Date): Promise<Occurrence[]>;
  running(): Promise<Occurrence[]>;
  /** Starts an attempt of a due occurrence. Resolves to undefined when another process was quicker. */
  claim(key: OccurrenceKey): Promise<AttemptClaim | undefined>;
  /** Claims the running occurrences of processes that have ended, with the attempt that was under way. */
  takeOver(): Promise<Occurrence[]>;
  /** Stores the end of an attempt; false if it belongs to another process by now. */
  end(claim: AttemptClaim, end: AttemptEnd): Promise<boolean>;
  /** Ends due occurrences of reminders as succeeded, in one transaction. */
  complete(keys: readonly OccurrenceKey[], outcome: string): Promise<void>;
  /** Ends a due occurrence that is not started. */
  drop(key: OccurrenceKey, end: { state: "skipped" | "missed"; reason: string }): Promise<void>;
  /** Renews this process's lease if it executes occurrences. */
  renewLease(): Promise<void>;

  occurrence(key: OccurrenceKey): Promise<Occurrence | undefined>;
  /** Newest first. */
  occurrences(
    scheduleId: string,
    query: { query?: string; limit: number; cursor?: string },
  ): Promise<Page<Occurrence>>;
  /** The latest ended or running occurrence of each schedule. */
  latest(): Promise<Map<string, Occurrence>>;
  /** Those of schedules, without agents; oldest first, at most 10 000. */
  between(from: string, to: string): Promise<Occurrence[]>;
  /** The usage of the attempts that started since then. */
  usage(scheduleId: string, since: string): Promise<{ modelCalls: number; tokens: number }>;
  /** The earliest moment at which something starts; undefined when nothing is scheduled. */
  nextAt(options?: { onlySchedules?: boolean }): Promise<string | undefined>;
  /** Deletes ended occurrences that were due before then: of schedules, and of agents. */
  prune(before: { schedules: string; agents: string }): Promise<void>;
  /** Ends this process's lease. */
  close(): Promise<void>;
}

/** The methods of `OccurrenceLedger` about the next moments of schedules. */
export type NextMoments = Pick<
  OccurrenceLedger,
  | "moment"
  | "moments"
  | "setMoment"
  | "setConversation"
  | "resetFailures"
  | "forget"
  | "skipDue"
  | "dueSchedules"
  | "advance"
>;
