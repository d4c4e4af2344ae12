import type { ErrorCode, Problem } from "@metahuman/core/contract/problem";

/** The server answered, and the answer is a refusal or a failure it can name. */
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

/** No answer came: the server is away, or the connection is. */
export class ServerUnreachable extends Error {
  constructor(cause: unknown) {
    super("The server cannot be reached.", { cause });
    this.name = "ServerUnreachable";
  }
}

/** An answer came that this page cannot read: most likely the server is of another version. */
export class UnexpectedResponse extends Error {
  constructor(path: string, cause: unknown) {
    super(`The server's answer for ${path} is not in the form this page knows.`, { cause });
    this.name = "UnexpectedResponse";
  }
}

/** A failure in the words a person gets to read. */
export interface ErrorDescription {
  text: string;
  suggestions: readonly string[];
}

export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ApiProblem) return { text: error.message, suggestions: error.suggestions };
  if (error instanceof ServerUnreachable) {
    return {
      text: error.message,
      suggestions: ["See whether it still runs where you started it; this page connects again by itself."],
    };
  }
  if (error instanceof UnexpectedResponse) return { text: error.message, suggestions: ["Reload the page."] };
  return {
    text: "Something went wrong on this page.",
    suggestions: ["Reload the page; what was done so far is kept."],
  };
}

/** True for the abort a page itself asked for, which nobody needs to hear about. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
