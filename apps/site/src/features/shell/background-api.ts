import type { AgentName } from "@metahuman/core/contract/agents";
import type { ProposalDecision } from "@metahuman/core/contract/answers";
import { path, type HttpClient, lazySchemas } from "../../lib/api/http-client.ts";

const agents = lazySchemas(() => import("@metahuman/core/contract/agents"));
const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));
const inbox = lazySchemas(() => import("@metahuman/core/contract/inbox"));
const state = lazySchemas(() => import("@metahuman/core/contract/state-database"));
const transfer = lazySchemas(() => import("@metahuman/core/contract/transfer"));

/** The part of the server that works beside the conversation: agents, and backups. Throws as `HttpClient` does. */
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

  /** What restoring a backup did; with `preview`, what it would do. */
  importProfile(zip: Blob, { preview, replace }: { preview: boolean; replace: boolean }) {
    // Browsers go by a file's name, and some know no zips.
    const upload = new Blob([zip], { type: "application/zip" });
    return this.#http.request(transfer("ImportReport"), "POST", "/api/import", {
      upload,
      query: { preview, replace },
    });
  }

  /** The notice that an import was cut off is no longer wanted. */
  dismissCutOff() {
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

  /** Puts a file into `inbox/`; tells where it lies now. */
  sendFile(file: File) {
    const upload = new Blob([file], { type: "application/octet-stream" });
    return this.#http.request(inbox("InboxAnswer"), "POST", "/api/inbox", {
      upload,
      query: { name: file.name },
    });
  }
}
