import { AgentRunAnswer, AgentStopAnswer, type AgentName } from "@metahuman/core/contract/agents";
import {
  AgentLogPage,
  FunctionAnswer,
  MemoryAnswer,
  ProposalAnswer,
  type ProposalDecision,
} from "@metahuman/core/contract/answers";
import { InboxAnswer } from "@metahuman/core/contract/inbox";
import { ImportReport } from "@metahuman/core/contract/transfer";
import { path, type HttpClient } from "./http-client.ts";

/** The part of the server that works beside the conversation: agents, and backups. Throws as `HttpClient` does. */
export class BackgroundApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  runAgent(name: AgentName) {
    return this.#http.ask(AgentRunAnswer, "POST", path`/api/agents/${name}/run`, { body: {} });
  }

  stopAgent(name: AgentName) {
    return this.#http.ask(AgentStopAnswer, "POST", path`/api/agents/${name}/stop`, { body: {} });
  }

  agentLog(name: AgentName) {
    return this.#http.ask(AgentLogPage, "GET", path`/api/agents/${name}/log`, { query: { limit: 50 } });
  }

  answerQuestion(id: string, text: string) {
    return this.#http.ask(MemoryAnswer, "POST", path`/api/memories/${id}/answer`, { body: { text } });
  }

  makeFunction(patternId: string) {
    return this.#http.ask(FunctionAnswer, "POST", path`/api/memories/${patternId}/function`, { body: {} });
  }

  decideFact(id: string, decision: ProposalDecision["decision"]) {
    return this.#http.ask(ProposalAnswer, "POST", path`/api/memories/${id}/proposal`, { body: { decision } });
  }

  /** What restoring a backup did; with `preview`, what it would do. */
  importProfile(zip: Blob, { preview, replace }: { preview: boolean; replace: boolean }) {
    // Browsers go by a file's name, and some know no zips.
    const upload = new Blob([zip], { type: "application/zip" });
    return this.#http.ask(ImportReport, "POST", "/api/import", { upload, query: { preview, replace } });
  }

  /** Puts a file into `inbox/`; tells where it lies now. */
  sendFile(file: File) {
    const upload = new Blob([file], { type: "application/octet-stream" });
    return this.#http.ask(InboxAnswer, "POST", "/api/inbox", { upload, query: { name: file.name } });
  }
}
