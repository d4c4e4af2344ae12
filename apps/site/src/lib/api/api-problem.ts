import { copy } from "../copy.ts";
import type { ErrorCode, Problem } from "@metahuman/core/contract/problem";

/** A problem response of the server. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly suggestions: readonly string[];

  constructor(status: number, problem: Problem["error"]) {
    super(problem.message);
    this.name = "ApiProblem";
    this.status = status;
    this.code = problem.code;
    this.details = problem.details;
    this.suggestions = problem.suggestions ?? [];
  }
}

/** The server did not respond: it is down, or the network is. */
export class ServerUnreachable extends Error {
  constructor(cause: unknown) {
    super(copy.unreachable, { cause });
    this.name = "ServerUnreachable";
  }
}

/** A response that does not match its schema, probably from another version of the server. */
export class UnexpectedResponse extends Error {
  constructor(path: string, cause: unknown) {
    super(copy.unexpected(path), { cause });
    this.name = "UnexpectedResponse";
  }
}

/** An error as shown to a person. */
export interface ErrorDescription {
  text: string;
  suggestions: readonly string[];
}

export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ApiProblem) return { text: error.message, suggestions: error.suggestions };
  if (error instanceof ServerUnreachable) {
    return {
      text: error.message,
      suggestions: [copy.unreachableHint],
    };
  }
  if (error instanceof UnexpectedResponse) return { text: error.message, suggestions: [copy.reload] };
  return {
    text: copy.pageError,
    suggestions: [copy.reloadSafely],
  };
}

/** Whether the error comes from an abort signal. Such errors are not shown. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
