import type { ModelRef, PullRequest, RoleAssignment } from "@metahuman/core/contract/models";
import { type HttpClient, lazySchemas } from "../../lib/api/http-client.ts";

const models = lazySchemas(() => import("@metahuman/core/contract/models"));

/** What there is to think with, over HTTP. Throws as `HttpClient` does. */
export class ModelsApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Asks every server now. */
  look() {
    return this.#http.request(models("ModelSituation"), "GET", "/api/models", { query: { fresh: "1" } });
  }

  assign(assignment: RoleAssignment) {
    return this.#http.request(models("ModelSituation"), "PUT", "/api/models/roles", { body: assignment });
  }

  /** Events `text` and `thinking`, then `done` or `problem`; aborting ends it. */
  test(model: ModelRef, signal: AbortSignal) {
    return this.#http.stream("/api/models/test", { model }, signal);
  }

  /** Events `progress`, then `done` or `problem`; aborting cancels the download. */
  pull(request: PullRequest, signal: AbortSignal) {
    return this.#http.stream("/api/models/pull", request, signal);
  }
}
