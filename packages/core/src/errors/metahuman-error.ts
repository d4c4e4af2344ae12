import type { ErrorCode, ErrorDetail } from "../contract/problem.ts";

/** Optional details of an error. */
export interface ErrorFacts {
  /** What a planner or a person can do next; each is a short sentence or a valid value. */
  suggestions?: readonly string[];
  /** JSON facts about the failure, without secrets. */
  context?: Record<string, unknown>;
  cause?: unknown;
}

/**
 * The base class of every error that this system throws on purpose. Callers distinguish errors by class or `code`,
 * never by message; `message` is a complete sentence that anybody may see.
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

  /** Returns the form in which the error leaves this process: no stack, no cause. */
  toDetail(): ErrorDetail {
    return {
      code: this.code,
      message: this.message,
      ...(Object.keys(this.context).length > 0 && { context: this.context }),
      ...(this.suggestions.length > 0 && { suggestions: [...this.suggestions] }),
    };
  }
}
