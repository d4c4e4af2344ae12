import type { ApprovalDecision, Approval } from "@metahuman/core/contract/approval";
import type {
  ConversationAnswer,
  ConversationEdit,
  Feedback,
  AcceptedOffer,
  OperatorPending,
  SetupRequest,
  TimeSort,
  TrustChange,
} from "@metahuman/core/contract/http";
import type { Me } from "@metahuman/core/contract/profile";
import type { Run } from "@metahuman/core/contract/run";
import type { SettingsEdit } from "@metahuman/core/contract/settings";
import type { TaskEdit, TaskSort } from "@metahuman/core/contract/task";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { UnexpectedResponse } from "../../lib/api/api-problem.ts";
import { path, type HttpClient, type ListQuery, lazySchemas } from "../../lib/api/http-client.ts";
import { FunctionsApi } from "../functions/functions-api.ts";
import { MemoryApi } from "../memory/memory-api.ts";

const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));
const approval = lazySchemas(() => import("@metahuman/core/contract/approval"));
const audit = lazySchemas(() => import("@metahuman/core/contract/audit"));
const conversation = lazySchemas(() => import("@metahuman/core/contract/conversation"));
const http = lazySchemas(() => import("@metahuman/core/contract/http"));
const profile = lazySchemas(() => import("@metahuman/core/contract/profile"));
const run = lazySchemas(() => import("@metahuman/core/contract/run"));
const settings = lazySchemas(() => import("@metahuman/core/contract/settings"));

/** The client of the API, with its parts. It validates every response. Throws as `HttpClient` does. */
export class Api {
  readonly functions: FunctionsApi;
  readonly memory: MemoryApi;
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
    this.functions = new FunctionsApi(http);
    this.memory = new MemoryApi(http);
  }

  // — Accounts —

  setup(request: SetupRequest): Promise<unknown> {
    return this.#http.requestWithoutSession("POST", "/api/auth/setup", { body: request });
  }

  signIn(username: string, password: string): Promise<unknown> {
    return this.#http.requestWithoutSession("POST", "/api/auth/login", { body: { username, password } });
  }

  signInAsGuest(guestOf: string): Promise<unknown> {
    return this.#http.requestWithoutSession("POST", "/api/auth/login", { body: { guestOf } });
  }

  /** The persona's reply to a guest. */
  askAsGuest(goal: string, conversationId: string | undefined) {
    return this.#http.request(http("OperatorAnswer"), "POST", "/api/operator", {
      body: { goal, conversationId },
    });
  }

  signOut(): Promise<unknown> {
    return this.#http.requestVoid("POST", "/api/auth/logout", { body: {} });
  }

  me(): Promise<Me> {
    return this.#http.request(profile("Me"), "GET", "/api/auth/me");
  }

  changePassword(current: string, next: string): Promise<unknown> {
    return this.#http.requestVoid("POST", "/api/auth/password", { body: { current, next } });
  }

  // — Requests and runs —

  /** Starts a run and returns at once; its events arrive through the feed. */
  start(
    goal: string,
    conversationId: string | undefined,
    follow?: AcceptedOffer,
    signal?: AbortSignal,
  ): Promise<OperatorPending> {
    const { timeZone, locale } = Intl.DateTimeFormat(navigator.language).resolvedOptions();
    const body = {
      goal,
      background: true,
      timeZone,
      locale,
      ...(conversationId !== undefined && { conversationId }),
      ...(follow && { follow }),
    };
    return this.#http.request(http("OperatorPending"), "POST", "/api/operator", {
      body,
      ...(signal && { signal }),
    });
  }

  run(id: string, signal?: AbortSignal): Promise<Run> {
    return this.#http.request(run("Run"), "GET", path`/api/runs/${id}`, { ...(signal && { signal }) });
  }

  runs(query: ListQuery & { status?: string | undefined; sort?: TimeSort }) {
    return this.#http.request(http("RunPage"), "GET", "/api/runs", { query: { ...query } });
  }

  cancel(runId: string): Promise<unknown> {
    return this.#http.requestVoid("POST", path`/api/runs/${runId}/cancel`, { body: {} });
  }

  resume(runId: string): Promise<unknown> {
    return this.#http.requestVoid("POST", path`/api/runs/${runId}/resume`, { body: {} });
  }

  /** Starts a new run from the steps of one that ended unfinished, and returns at once. */
  continueRun(runId: string): Promise<OperatorPending> {
    return this.#http.request(http("OperatorPending"), "POST", path`/api/runs/${runId}/continue`, {
      query: { background: "true" },
      body: {},
    });
  }

  answer(runId: string, text: string): Promise<unknown> {
    return this.#http.requestVoid("POST", path`/api/runs/${runId}/answer`, { body: { text } });
  }

  giveFeedback(runId: string, feedback: Feedback): Promise<Run> {
    return this.#http.request(run("Run"), "POST", path`/api/runs/${runId}/feedback`, { body: feedback });
  }

  // — Approvals and standing permissions —

  approvals(query: ListQuery & { status?: string | undefined }) {
    return this.#http.request(http("ApprovalPage"), "GET", "/api/approvals", { query: { ...query } });
  }

  approval(id: string): Promise<Approval> {
    return this.#http.request(approval("Approval"), "GET", path`/api/approvals/${id}`);
  }

  decide(approvalId: string, decision: ApprovalDecision, reason?: string): Promise<unknown> {
    const body = { decision, ...(reason !== undefined && reason !== "" && { reason }) };
    return this.#http.requestVoid("POST", path`/api/approvals/${approvalId}`, { body });
  }

  grants() {
    return this.#http.request(http("GrantPage"), "GET", "/api/grants");
  }

  revokeGrant(id: string): Promise<unknown> {
    return this.#http.requestVoid("DELETE", path`/api/grants/${id}`);
  }

  // — Conversations —

  conversations(query: ListQuery) {
    return this.#http.request(http("ConversationPage"), "GET", "/api/conversations", { query: { ...query } });
  }

  conversation(id: string): Promise<ConversationAnswer> {
    return this.#http.request(http("ConversationAnswer"), "GET", path`/api/conversations/${id}`);
  }

  editConversation(id: string, edit: ConversationEdit) {
    return this.#http.request(conversation("Conversation"), "PATCH", path`/api/conversations/${id}`, {
      body: edit,
    });
  }

  deleteConversation(id: string, options: { keepalive?: boolean } = {}): Promise<unknown> {
    return this.#http.requestVoid("DELETE", path`/api/conversations/${id}`, options);
  }

  // — Tasks, archive —

  tasks(query: ListQuery & { includeDone?: boolean; sort?: TaskSort }) {
    return this.#http.request(http("TaskPage"), "GET", "/api/tasks", { query: { ...query } });
  }

  task(id: string) {
    return this.#http.request(answers("TaskAnswer"), "GET", path`/api/tasks/${id}`);
  }

  /** Adds a task in the person's words: "call Bob tomorrow at 5". */
  addTask(title: string) {
    return this.#http.request(answers("TaskAnswer"), "POST", "/api/tasks", { body: { title, asSaid: true } });
  }

  editTask(id: string, edit: TaskEdit) {
    return this.#http.request(answers("TaskAnswer"), "PATCH", path`/api/tasks/${id}`, { body: edit });
  }

  deleteTask(id: string) {
    return this.#http.request(answers("ArchivedAnswer"), "DELETE", path`/api/tasks/${id}`);
  }

  /** With `ids`, separated by commas, only those that are still in the archive. */
  archive(query: ListQuery & { ids?: string }) {
    return this.#http.request(http("ArchivePage"), "GET", "/api/archive", { query: { ...query } });
  }

  /** With `replace`, a file that is at the path now is archived first. */
  restore(archiveId: string, { replace = false } = {}) {
    return this.#http.request(answers("RestoredAnswer"), "POST", path`/api/archive/${archiveId}/restore`, {
      ...(replace && { query: { replace: "true" } }),
      body: {},
    });
  }

  // — Settings —

  setMode(mode: CognitiveMode): Promise<unknown> {
    return this.#http.requestVoid("PUT", "/api/mode", { body: { mode } });
  }

  trust() {
    return this.#http.request(answers("TrustAnswer"), "GET", "/api/trust");
  }

  setTrust(change: TrustChange) {
    return this.#http.request(answers("TrustAnswer"), "PUT", "/api/trust", { body: change });
  }

  settings() {
    return this.#http.request(settings("SettingsAnswer"), "GET", "/api/settings");
  }

  editSettings(edit: SettingsEdit) {
    return this.#http.request(settings("SettingsAnswer"), "PUT", "/api/settings", { body: edit });
  }

  skills() {
    return this.#http.request(answers("SkillPage"), "GET", "/api/skills");
  }

  index() {
    return this.#http.request(http("IndexStatus"), "GET", "/api/index");
  }

  storage() {
    return this.#http.request(http("StorageUsage"), "GET", "/api/storage");
  }

  rebuildIndex() {
    return this.#http.request(http("IndexStatus"), "POST", "/api/index", { body: {} });
  }

  audit(query: ListQuery) {
    return this.#http.request(audit("AuditPage"), "GET", "/api/audit", { query: { ...query } });
  }

  /** Streams new audit entries; aborting ends it. */
  async auditStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#http.send("GET", "/api/audit/stream", { signal, events: true });
    if (!response.body) throw new UnexpectedResponse("/api/audit/stream", "an answer without a body");
    return response.body;
  }

  /** The event stream of the tab. `watched` are run ids, each with its last known seq. */
  async events(
    watched: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const runs = [...watched].map(([runId, seq]) => `${runId}:${seq}`).join(",");
    const query = { runs: runs || undefined };
    const response = await this.#http.send("GET", "/api/events", { query, signal });
    if (!response.body) throw new UnexpectedResponse("/api/events", "an answer without a body");
    return response.body;
  }
}
