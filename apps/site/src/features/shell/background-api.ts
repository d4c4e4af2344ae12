import type { AgentName } from "@metahuman/core/contract/agents";
import type { ProposalDecision } from "@metahuman/core/contract/answers";
import { path, type HttpClient, lazySchemas } from "../../lib/api/http-client.ts";

const agents = lazySchemas(() => import("@metahuman/core/contract/agents"));
const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));
const inbox = lazySchemas(() => import("@metahuman/core/contract/inbox"));
const state = lazySchemas(() => import("@metahuman/core/contract/state-database"));
const transfer = lazySchemas(() => import("@metahuman/core/contract/transfer"));

/** The endpoints of background agents and backups. Throws as `HttpClient` does. */
export class BackgroundApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  runAgent(name: AgentName) {
    return this.#http.request(agents("AgentRunAnswer"), "POST", path`/api/agents/${name}/run`, { body: {} });
  }

  stopAgent(name: AgentName) {
    return this.#http.request(agents("AgentStopAnswer"), "POST", path`/api/agents/${name}/stop`, {
      body: {},
    });
  }

  setAgentPaused(name: AgentName, paused: boolean) {
    const action = paused ? "pause" : "resume";
    return this.#http.request(agents("AgentAnswer"), "POST", path`/api/agents/${name}/${action}`, {
      body: {},
    });
  }

  agentLog(name: AgentName) {
    return this.#http.request(answers("AgentLogPage"), "GET", path`/api/agents/${name}/log`, {
      query: { limit: 50 },
    });
  }

  answerQuestion(id: string, text: string) {
    return this.#http.request(answers("MemoryAnswer"), "POST", path`/api/memories/${id}/answer`, {
      body: { text },
    });
  }

  makeFunction(patternId: string) {
    return this.#http.request(answers("FunctionAnswer"), "POST", path`/api/memories/${patternId}/function`, {
      body: {},
    });
  }

  decideFact(id: string, decision: ProposalDecision["decision"]) {
    return this.#http.request(answers("ProposalAnswer"), "POST", path`/api/memories/${id}/proposal`, {
      body: { decision },
    });
  }

  /** The result of a restore; with `preview`, the expected result. */
  importProfile(zip: Blob, { preview, replace }: { preview: boolean; replace: boolean }) {
    // Browsers choose the media type by the name, and some do not know zip.
    const upload = new Blob([zip], { type: "application/zip" });
    return this.#http.request(transfer("ImportReport"), "POST", "/api/import", {
      upload,
      query: { preview, replace },
    });
  }

  /** Dismisses the notice of an unfinished import. */
  dismissInterruptedImport() {
    return this.#http.request(transfer("ImportStatus"), "DELETE", "/api/import");
  }

  /** Replaces an unusable database of runs and conversations with this backup. */
  restoreState(backup: string) {
    return this.#http.request(state("StateRecovery"), "POST", "/api/state/restore", { body: { backup } });
  }

  /** Replaces it with an empty one. */
  startStateAnew() {
    return this.#http.request(state("StateRecovery"), "POST", "/api/state/start-anew", { body: {} });
  }

  /** Uploads a file to `inbox/`; resolves to its path. */
  sendFile(file: File) {
    const upload = new Blob([file], { type: "application/octet-stream" });
    return this.#http.request(inbox("InboxAnswer"), "POST", "/api/inbox", {
      upload,
      query: { name: file.name },
    });
  }
}
