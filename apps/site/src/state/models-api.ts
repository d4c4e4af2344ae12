import {
  ModelSituation,
  type ModelRef,
  type PullRequest,
  type RoleAssignment,
} from "@metahuman/core/contract/models";
import { UnexpectedAnswer } from "./api-problem.ts";
import type { HttpClient } from "./http-client.ts";

/** What there is to think with, over HTTP. Throws as `HttpClient` does. */
export class ModelsApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Asks every server now. */
  look() {
    return this.#http.ask(ModelSituation, "GET", "/api/models", { query: { fresh: "1" } });
  }

  assign(assignment: RoleAssignment) {
    return this.#http.ask(ModelSituation, "PUT", "/api/models/roles", { body: assignment });
  }

  /** Events `text` and `thinking`, then `done` or `problem`; aborting ends it. */
  test(model: ModelRef, signal: AbortSignal) {
    return this.#stream("/api/models/test", { model }, signal);
  }

  /** Events `progress`, then `done` or `problem`; aborting cancels the download. */
  pull(request: PullRequest, signal: AbortSignal) {
    return this.#stream("/api/models/pull", request, signal);
  }

  async #stream(path: string, body: unknown, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#http.send("POST", path, { body, signal, events: true });
    if (!response.body) throw new UnexpectedAnswer(path, "an answer without a body");
    return response.body;
  }
}
