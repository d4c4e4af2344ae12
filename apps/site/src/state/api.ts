import { z } from "zod";
import {
  ArchivedAnswer,
  RestoredAnswer,
  SettingsAnswer,
  SkillPage,
  TaskAnswer,
  TrustAnswer,
  type SettingsEdit,
} from "@metahuman/core/contract/answers";
import { Approval, type ApprovalDecision } from "@metahuman/core/contract/approval";
import { AuditPage } from "@metahuman/core/contract/audit";
import { Conversation } from "@metahuman/core/contract/conversation";
import {
  ApprovalPage,
  ArchivePage,
  ConversationAnswer,
  ConversationPage,
  GrantPage,
  IndexStatus,
  OperatorPending,
  RunPage,
  TaskPage,
  type Feedback,
  type SetupRequest,
  type TrustChange,
} from "@metahuman/core/contract/http";
import { Me } from "@metahuman/core/contract/profile";
import { Run } from "@metahuman/core/contract/run";
import type { TaskEdit } from "@metahuman/core/contract/task";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { UnexpectedAnswer } from "./api-problem.ts";
import { path, type HttpClient } from "./http-client.ts";
import { FunctionsApi } from "./functions-api.ts";
import { MemoryApi } from "./memory-api.ts";
import type { ListQuery } from "./list-query.ts";
import { ModelsApi } from "./models-api.ts";
import { PeopleApi } from "./people-api.ts";

const Nothing = z.unknown();

/** The server as the page knows it: every path, body and answer here and in its parts. Throws as `HttpClient` does. */
export class Api {
  readonly functions: FunctionsApi;
  readonly memory: MemoryApi;
  readonly models: ModelsApi;
  readonly people: PeopleApi;
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
    this.functions = new FunctionsApi(http);
    this.memory = new MemoryApi(http);
    this.models = new ModelsApi(http);
    this.people = new PeopleApi(http);
  }

  // — Accounts —

  setup(request: SetupRequest): Promise<unknown> {
    return this.#http.askOnce(Nothing, "POST", "/api/auth/setup", { body: request });
  }

  signIn(username: string, password: string): Promise<unknown> {
    return this.#http.askOnce(Nothing, "POST", "/api/auth/login", { body: { username, password } });
  }

  signOut(): Promise<unknown> {
    return this.#http.ask(Nothing, "POST", "/api/auth/logout", { body: {} });
  }

  me(): Promise<Me> {
    return this.#http.ask(Me, "GET", "/api/auth/me");
  }

  changePassword(current: string, next: string): Promise<unknown> {
    return this.#http.ask(Nothing, "POST", "/api/auth/password", { body: { current, next } });
  }

  // — Requests and runs —

  /** Starts a run and returns at once; its events come through the feed. */
  start(goal: string, conversationId: string | undefined): Promise<OperatorPending> {
    const body = { goal, background: true, ...(conversationId !== undefined && { conversationId }) };
    return this.#http.ask(OperatorPending, "POST", "/api/operator", { body });
  }

  run(id: string, signal?: AbortSignal): Promise<Run> {
    return this.#http.ask(Run, "GET", path`/api/runs/${id}`, { ...(signal && { signal }) });
  }

  runs(query: ListQuery & { status?: string | undefined }) {
    return this.#http.ask(RunPage, "GET", "/api/runs", { query: { ...query } });
  }

  cancel(runId: string): Promise<unknown> {
    return this.#http.ask(Nothing, "POST", path`/api/runs/${runId}/cancel`, { body: {} });
  }

  resume(runId: string): Promise<unknown> {
    return this.#http.ask(Nothing, "POST", path`/api/runs/${runId}/resume`, { body: {} });
  }

  answer(runId: string, text: string): Promise<unknown> {
    return this.#http.ask(Nothing, "POST", path`/api/runs/${runId}/answer`, { body: { text } });
  }

  giveFeedback(runId: string, feedback: Feedback): Promise<Run> {
    return this.#http.ask(Run, "POST", path`/api/runs/${runId}/feedback`, { body: feedback });
  }

  // — Approvals and standing permissions —

  approvals(query: ListQuery & { status?: string | undefined }) {
    return this.#http.ask(ApprovalPage, "GET", "/api/approvals", { query: { ...query } });
  }

  approval(id: string): Promise<Approval> {
    return this.#http.ask(Approval, "GET", path`/api/approvals/${id}`);
  }

  decide(approvalId: string, decision: ApprovalDecision, reason?: string): Promise<unknown> {
    const body = { decision, ...(reason !== undefined && reason !== "" && { reason }) };
    return this.#http.ask(Nothing, "POST", path`/api/approvals/${approvalId}`, { body });
  }

  grants() {
    return this.#http.ask(GrantPage, "GET", "/api/grants");
  }

  revokeGrant(id: string): Promise<unknown> {
    return this.#http.ask(Nothing, "DELETE", path`/api/grants/${id}`);
  }

  // — Conversations —

  conversations(query: ListQuery) {
    return this.#http.ask(ConversationPage, "GET", "/api/conversations", { query: { ...query } });
  }

  conversation(id: string): Promise<ConversationAnswer> {
    return this.#http.ask(ConversationAnswer, "GET", path`/api/conversations/${id}`);
  }

  renameConversation(id: string, title: string) {
    return this.#http.ask(Conversation, "PATCH", path`/api/conversations/${id}`, { body: { title } });
  }

  deleteConversation(id: string): Promise<unknown> {
    return this.#http.ask(Nothing, "DELETE", path`/api/conversations/${id}`);
  }

  // — Tasks, archive —

  tasks(query: ListQuery & { includeDone?: boolean }) {
    return this.#http.ask(TaskPage, "GET", "/api/tasks", { query: { ...query } });
  }

  editTask(id: string, edit: TaskEdit) {
    return this.#http.ask(TaskAnswer, "PATCH", path`/api/tasks/${id}`, { body: edit });
  }

  deleteTask(id: string) {
    return this.#http.ask(ArchivedAnswer, "DELETE", path`/api/tasks/${id}`);
  }

  archive(query: ListQuery) {
    return this.#http.ask(ArchivePage, "GET", "/api/archive", { query: { ...query } });
  }

  restore(archiveId: string) {
    return this.#http.ask(RestoredAnswer, "POST", path`/api/archive/${archiveId}/restore`, { body: {} });
  }

  // — Settings —

  setMode(mode: CognitiveMode): Promise<unknown> {
    return this.#http.ask(Nothing, "PUT", "/api/mode", { body: { mode } });
  }

  trust() {
    return this.#http.ask(TrustAnswer, "GET", "/api/trust");
  }

  setTrust(change: TrustChange) {
    return this.#http.ask(TrustAnswer, "PUT", "/api/trust", { body: change });
  }

  settings() {
    return this.#http.ask(SettingsAnswer, "GET", "/api/settings");
  }

  editSettings(edit: SettingsEdit) {
    return this.#http.ask(SettingsAnswer, "PUT", "/api/settings", { body: edit });
  }

  skills() {
    return this.#http.ask(SkillPage, "GET", "/api/skills");
  }

  index() {
    return this.#http.ask(IndexStatus, "GET", "/api/index");
  }

  rebuildIndex() {
    return this.#http.ask(IndexStatus, "POST", "/api/index", { body: {} });
  }

  audit(query: ListQuery) {
    return this.#http.ask(AuditPage, "GET", "/api/audit", { query: { ...query } });
  }

  /** What is noted from now on, as events; aborting ends it. */
  async auditStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#http.send("GET", "/api/audit/stream", { signal, events: true });
    if (!response.body) throw new UnexpectedAnswer("/api/audit/stream", "an answer without a body");
    return response.body;
  }

  /** The tab's one stream of events. `watched` are runs, each with the last seq that is known of it. */
  async events(
    watched: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const runs = [...watched].map(([runId, seq]) => `${runId}:${seq}`).join(",");
    const query = { runs: runs || undefined };
    const response = await this.#http.send("GET", "/api/events", { query, signal });
    if (!response.body) throw new UnexpectedAnswer("/api/events", "an answer without a body");
    return response.body;
  }
}
