import { parseJson } from "@metahuman/core/contract/parse-json";
import type { z } from "zod";
import { ApiProblem, isAbort, ServerUnreachable, UnexpectedResponse } from "./api-problem.ts";
import type { LazySchema } from "./lazy-schemas.ts";

/** What is asked for in an address; a missing value leaves its name out. */
export type Query = Record<string, string | number | boolean | undefined>;

export interface Ask {
  body?: unknown;
  /** A file that is sent as it is, in place of a body, under its media type. */
  upload?: Blob;
  query?: Query;
  signal?: AbortSignal;
  /** Asks for the answer as events while it is made. */
  events?: boolean;
}

export interface HttpClientOptions {
  fetch: typeof fetch;
  /**
   * Called when a session has ended. Resolves when the person signed in again: the request is then sent once more, so
   * that nothing they did is lost.
   */
  signInAgain: () => Promise<void>;
}

/**
 * Asks the server for JSON and parses what it answers. A refusal arrives as `ApiProblem`, silence as
 * `ServerUnreachable`, and what is not in the expected form as `UnexpectedResponse`; an abort stays an abort.
 */
export class HttpClient {
  readonly #fetch: typeof fetch;
  readonly #signInAgain: () => Promise<void>;

  constructor({ fetch, signInAgain }: HttpClientOptions) {
    this.#fetch = fetch;
    this.#signInAgain = signInAgain;
  }

  ask<Schema extends z.ZodType>(
    expected: LazySchema<Schema>,
    method: string,
    path: string,
    ask: Ask = {},
  ): Promise<z.output<Schema>> {
    return this.#signedIn(async () => {
      const answer = await json(await this.send(method, path, ask));
      const parsed = (await expected()).safeParse(answer);
      if (!parsed.success) throw new UnexpectedResponse(path, parsed.error);
      return parsed.data;
    });
  }

  /** Has something done; that it was done is all the answer says. */
  tell(method: string, path: string, ask: Ask = {}): Promise<void> {
    return this.#signedIn(() => this.tellOnce(method, path, ask));
  }

  /** For the doors themselves, where not being signed in is the answer. */
  async tellOnce(method: string, path: string, ask: Ask = {}): Promise<void> {
    await json(await this.send(method, path, ask));
  }

  /** Begins something that tells what it does while it goes on; its events as they come. Aborting ends it. */
  async follow(path: string, body: unknown, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#signedIn(() => this.send("POST", path, { body, signal, events: true }));
    if (!response.body) throw new UnexpectedResponse(path, "an answer without a body");
    return response.body;
  }

  /** Any answer that is a success, unread; everything else is thrown. */
  async send(
    method: string,
    path: string,
    { body, upload, query, signal, events = false }: Ask,
  ): Promise<Response> {
    const response = await this.#fetch(buildUrl(path, query), {
      method,
      credentials: "same-origin",
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(events && { Accept: "text/event-stream" }),
        ...(upload && { "Content-Type": upload.type }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(upload && { body: upload }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw isAbort(error) ? error : new ServerUnreachable(error);
    });
    if (response.ok) return response;
    const { Problem } = await import("@metahuman/core/contract/problem");
    const problem = Problem.safeParse(await json(response));
    if (!problem.success) throw new UnexpectedResponse(path, `status ${response.status}`);
    throw new ApiProblem(response.status, problem.data.error);
  }

  async #signedIn<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    try {
      return await act();
    } catch (error) {
      if (!isSignedOutError(error)) throw error;
      await this.#signInAgain();
      return act();
    }
  }
}

/** Whether a request was refused because nobody is signed in any more; a wrong password is something else. */
export function isSignedOutError(error: unknown): boolean {
  return error instanceof ApiProblem && (error.code === "NOT_SIGNED_IN" || error.code === "SESSION_EXPIRED");
}

/** The body as JSON; nothing where there is none or it cannot be read. */
async function json(response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw isAbort(error) ? error : new ServerUnreachable(error);
  });
  return parseJson(text);
}

/** A path with its query, letter for letter as it is asked for: a page may have its browser ask ahead. */
export function buildUrl(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** A path with its parts encoded. */
export function path(strings: TemplateStringsArray, ...parts: string[]): string {
  return String.raw({ raw: strings }, ...parts.map(encodeURIComponent));
}
