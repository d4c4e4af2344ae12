import type { ErrorCode, ErrorDetail } from "../contract/problem.ts";

/** What an error says besides its message. */
export interface ErrorFacts {
  /** What the reader, a planner or a person, can do next; each a short sentence or a value that would work. */
  suggestions?: readonly string[];
  /** Facts about the failure, JSON only and without secrets. */
  context?: Record<string, unknown>;
  cause?: unknown;
}

/**
 * The base of every error this system throws on purpose. Told apart by class or `code`, never by message text;
 * `message` is a whole sentence that may be shown to anybody.
 */
export abstract class MetahumanError extends Error {
  abstract readonly code: ErrorCode;
  readonly suggestions: readonly string[];
  readonly context: Record<string, unknown>;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.suggestions = facts.suggestions ?? [];
    this.context = facts.context ?? {};
  }

  /** The form in which it leaves this process: no stack, no cause. */
  toDetail(): ErrorDetail {
    return {
      code: this.code,
      message: this.message,
      ...(Object.keys(this.context).length > 0 && { context: this.context }),
      ...(this.suggestions.length > 0 && { suggestions: [...this.suggestions] }),
    };
  }
}
