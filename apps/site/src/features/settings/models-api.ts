import type { ModelServerEdit, ModelServerTest } from "@metahuman/core/contract/model-servers";
import type { ModelRef, PullRequest, RoleAssignment } from "@metahuman/core/contract/models";
import { type HttpClient, lazySchemas } from "../../lib/api/http-client.ts";

const servers = lazySchemas(() => import("@metahuman/core/contract/model-servers"));
const models = lazySchemas(() => import("@metahuman/core/contract/models"));

/** The endpoints of models. Throws as `HttpClient` does. */
export class ModelsApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Queries every server now. */
  refresh() {
    return this.#http.request(models("ModelSituation"), "GET", "/api/models", { query: { fresh: "1" } });
  }

  assign(assignment: RoleAssignment) {
    return this.#http.request(models("ModelSituation"), "PUT", "/api/models/roles", { body: assignment });
  }

  /** The configured OpenAI-compatible servers. */
  servers() {
    return this.#http.request(servers("ConfiguredServers"), "GET", "/api/models/servers");
  }

  saveServer(server: ModelServerEdit) {
    return this.#http.request(models("ModelSituation"), "PUT", "/api/models/servers", { body: server });
  }

  removeServer(id: string) {
    return this.#http.request(models("ModelSituation"), "DELETE", "/api/models/servers", { query: { id } });
  }

  testServer(server: ModelServerTest, signal: AbortSignal) {
    return this.#http.request(servers("ModelServerTestResult"), "POST", "/api/models/servers/test", {
      body: server,
      signal,
    });
  }

  removeModel(model: ModelRef) {
    return this.#http.request(models("ModelSituation"), "DELETE", "/api/models", { query: { model } });
  }

  /** Streams the events `text` and `thinking`, then `done` or `problem`; aborting cancels it. */
  test(model: ModelRef, signal: AbortSignal) {
    return this.#http.stream("/api/models/test", { model }, signal);
  }

  /** Streams `progress`, then `done` or `problem`; aborting cancels the download. */
  pull(request: PullRequest, signal: AbortSignal) {
    return this.#http.stream("/api/models/pull", request, signal);
  }
}
