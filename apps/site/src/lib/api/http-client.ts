import { parseJson } from "@metahuman/core/contract/parse-json";
import type { z } from "zod";
import { nextTask } from "../ui/next-task.ts";
import { ApiProblem, isAbort, ServerUnreachable, UnexpectedResponse } from "./api-problem.ts";

/** Query parameters; `undefined` values are left out. */
export type Query = Record<string, string | number | boolean | undefined>;

export interface RequestOptions {
  body?: unknown;
  /** A file sent as the body under its own media type. */
  upload?: Blob;
  query?: Query;
  signal?: AbortSignal;
  /** Whether the request continues after the page closes. */
  keepalive?: boolean;
  /** Accepts server-sent events. */
  events?: boolean;
  /** Sends this request instead of the `fetch` of the client. */
  fetch?: typeof fetch;
}

export interface HttpClientOptions {
  fetch: typeof fetch;
  /** Called when the session has expired. Resolves when the person has signed in again; the request is then repeated. */
  signInAgain: () => Promise<void>;
}

/**
 * A client for JSON APIs that validates every response. Throws `ApiProblem` for a problem response, `ServerUnreachable` without
 * a response, and `UnexpectedResponse` for one that does not match the schema. Abort errors pass through.
 */
export class HttpClient {
  readonly #fetch: typeof fetch;
  readonly #signInAgain: () => Promise<void>;

  constructor({ fetch, signInAgain }: HttpClientOptions) {
    this.#fetch = fetch;
    this.#signInAgain = signInAgain;
  }

  request<Schema extends z.ZodType>(
    schema: LazySchema<Schema>,
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<z.output<Schema>> {
    return this.#withSession(async () => {
      const body = await readJson(await this.send(method, path, options));
      const parsed = (await schema()).safeParse(body);
      if (!parsed.success) throw new UnexpectedResponse(path, parsed.error);
      return parsed.data;
    });
  }

  /** Sends a request and ignores the body of the response. */
  requestVoid(method: string, path: string, options: RequestOptions = {}): Promise<void> {
    return this.#withSession(() => this.requestWithoutSession(method, path, options));
  }

  /** Like `requestVoid`, for endpoints that create a session: never asks to sign in again. */
  async requestWithoutSession(method: string, path: string, options: RequestOptions = {}): Promise<void> {
    await readJson(await this.send(method, path, options));
  }

  /** Posts a request and returns the stream of server-sent events. */
  async stream(path: string, body: unknown, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#withSession(() => this.send("POST", path, { body, signal, events: true }));
    if (!response.body) throw new UnexpectedResponse(path, "a response without a body");
    return response.body;
  }

  /** Sends a request and returns the successful response unread. */
  async send(
    method: string,
    path: string,
    { body, upload, query, signal, keepalive = false, events = false, fetch = this.#fetch }: RequestOptions,
  ): Promise<Response> {
    const response = await fetch(buildUrl(path, query), {
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
      ...(keepalive && { keepalive }),
    }).catch((error: unknown) => {
      throw isAbort(error) ? error : new ServerUnreachable(error);
    });
    if (response.ok) return response;
    const { Problem } = await import("@metahuman/core/contract/problem");
    const problem = Problem.safeParse(await readJson(response));
    if (!problem.success) throw new UnexpectedResponse(path, `status ${response.status}`);
    throw new ApiProblem(response.status, problem.data.error);
  }

  async #withSession<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action();
    } catch (error) {
      if (!isSignedOutError(error)) throw error;
      await this.#signInAgain();
      return action();
    }
  }
}

/** Whether the error says that the session has ended. A wrong password is a different error. */
export function isSignedOutError(error: unknown): boolean {
  return error instanceof ApiProblem && (error.code === "NOT_SIGNED_IN" || error.code === "SESSION_EXPIRED");
}

/** The body as JSON; `undefined` if it is empty or not JSON. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw isAbort(error) ? error : new ServerUnreachable(error);
  });
  return parseJson(text);
}

/** A path with its query. Pages also use it for preload links, which must match the request exactly. */
export function buildUrl(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** Template tag that URL-encodes the values of a path. */
export function path(strings: TemplateStringsArray, ...parts: string[]): string {
  return String.raw({ raw: strings }, ...parts.map(encodeURIComponent));
}

/** The query parameters of every list. */
export interface ListQuery {
  query?: string | undefined;
  cursor?: string | undefined;
  limit?: number;
}

/** A schema that is loaded with the first response it validates, so that no page loads all schemas at start. */
export type LazySchema<Schema extends z.ZodType> = () => Promise<Schema>;

/** The schemas of a contract module by their export names. */
export function lazySchemas<Part extends object>(load: () => Promise<Part>) {
  let loading: Promise<Part> | undefined;
  async function loadOnce(): Promise<Part> {
    try {
      const part = await load();
      // Parses in another task than the one that has run the code of the schemas.
      await nextTask();
      return part;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }
  return <Name extends keyof Part>(name: Name) =>
    async (): Promise<Part[Name]> =>
      (await (loading ??= loadOnce()))[name];
}
