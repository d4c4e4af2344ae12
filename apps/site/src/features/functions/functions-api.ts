import type { VerifyingEvent } from "@metahuman/core/contract/answers";
import type { CodeToInspect } from "@metahuman/core/contract/code-inspection";
import type { CurationRequest } from "@metahuman/core/contract/curation";
import type {
  FunctionEdit,
  FunctionKind,
  FunctionSort,
  FunctionStatus,
  FunctionTrust,
  NewFunction,
  ProposalDecision,
} from "@metahuman/core/contract/function";
import { path, type HttpClient, type ListQuery, lazySchemas } from "../../lib/api/http-client.ts";
import { parseEvents } from "../../lib/live/server-sent-events.ts";

const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));
const codeInspection = lazySchemas(() => import("@metahuman/core/contract/code-inspection"));
const functionExchange = lazySchemas(() => import("@metahuman/core/contract/function-exchange"));
const functionUpkeep = lazySchemas(() => import("@metahuman/core/contract/function-upkeep"));
const http = lazySchemas(() => import("@metahuman/core/contract/http"));

/** A person's decision about the status of a function. */
export type FunctionVerb = "demote" | "approve" | "reject" | "disable" | "enable" | "undelete";

/** The result of a run, or the run that is still in progress. */
async function ran() {
  const { FunctionRunAnswer } = await import("@metahuman/core/contract/curation");
  const { OperatorPending } = await import("@metahuman/core/contract/http");
  return FunctionRunAnswer.or(OperatorPending);
}

/** The functions on the server. Throws as `HttpClient` does. */
export class FunctionsApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Uses by day, of every function that was used. */
  analytics() {
    return this.#http.request(functionUpkeep("FunctionAnalytics"), "GET", "/api/functions/analytics");
  }

  list(
    query: ListQuery & {
      kind?: FunctionKind;
      trust?: FunctionTrust | undefined;
      status?: FunctionStatus | undefined;
      sort?: FunctionSort;
      tag?: string;
      agentId?: string;
      /** Ids, separated by commas. */
      skills?: string;
    },
  ) {
    return this.#http.request(answers("FunctionPage"), "GET", "/api/functions", { query: { ...query } });
  }

  get(id: string) {
    return this.#http.request(answers("FunctionDetail"), "GET", path`/api/functions/${id}`);
  }

  /** Throws an `ApiProblem` with the reason if nothing can be learned from the run. */
  learn(runId: string) {
    return this.#http.request(answers("FunctionLearned"), "POST", "/api/functions/learn", {
      body: { runId },
    });
  }

  /** The result of importing an exported file; with `preview`, the expected result. */
  import(file: unknown, preview: boolean) {
    return this.#http.request(functionExchange("FunctionImportReport"), "POST", "/api/functions/import", {
      body: file,
      query: { preview },
    });
  }

  create(body: NewFunction) {
    return this.#http.request(answers("FunctionUpdated"), "POST", "/api/functions", { body });
  }

  /** Saves changes to the version that `body` names; a newer version causes `STALE_VERSION`. */
  edit(id: string, body: FunctionEdit) {
    return this.#http.request(answers("FunctionUpdated"), "PUT", path`/api/functions/${id}`, { body });
  }

  /** Runs the code of a function; returns only `runId` if it waits for a person. */
  run(id: string, parameters: Record<string, unknown>) {
    const body = { parameters };
    return this.#http.request(ran, "POST", path`/api/functions/${id}/run`, { body });
  }

  /**
   * Starts a run that generates or improves a function, and returns at once; the events of the run report its stages.
   */
  curate(request: CurationRequest) {
    const body = { ...request, background: true };
    return this.#http.request(http("OperatorPending"), "POST", "/api/functions/curate", { body });
  }

  /** Checks code; nothing is run or stored. */
  inspect(body: CodeToInspect) {
    return this.#http.request(codeInspection("CodeInspection"), "POST", "/api/functions/inspect", { body });
  }

  versions(id: string) {
    return this.#http.request(answers("FunctionVersionPage"), "GET", path`/api/functions/${id}/versions`);
  }

  proposals(id: string) {
    const query = { status: "pending" };
    return this.#http.request(answers("FunctionProposalPage"), "GET", path`/api/functions/${id}/proposals`, {
      query,
    });
  }

  /** Streams its checks, if it must be verified first, then `function-promoted`; aborting cancels it. */
  async *promote(id: string, signal: AbortSignal, reason?: string): AsyncGenerator<VerifyingEvent> {
    const body = { ...(reason !== undefined && { reason }) };
    const stream = await this.#http.stream(path`/api/functions/${id}/promote`, body, signal);
    yield* parseEvents(answers("VerifyingEvent"), stream);
  }

  /** Streams the start and end of each check, then `function-verified`; aborting cancels it. */
  async *verify(id: string, signal: AbortSignal): AsyncGenerator<VerifyingEvent> {
    const stream = await this.#http.stream(path`/api/functions/${id}/verify`, {}, signal);
    yield* parseEvents(answers("VerifyingEvent"), stream);
  }

  decide(id: string, verb: FunctionVerb) {
    return this.#http.request(answers("FunctionAnswer"), "POST", path`/api/functions/${id}/${verb}`, {
      body: {},
    });
  }

  /** Removes a taught or refused wording. */
  forgetWording(id: string, wordingId: string) {
    return this.#http.request(
      answers("FunctionAnswer"),
      "DELETE",
      path`/api/functions/${id}/templates/${wordingId}`,
    );
  }

  decideProposal(id: string, decision: ProposalDecision) {
    const body = decision;
    return this.#http.request(answers("ProposalDecided"), "POST", path`/api/functions/${id}/proposals`, {
      body,
    });
  }

  restore(id: string, version: number) {
    return this.#http.request(answers("FunctionUpdated"), "POST", path`/api/functions/${id}/restore`, {
      body: { version },
    });
  }

  remove(id: string) {
    return this.#http.request(answers("ArchivedAnswer"), "DELETE", path`/api/functions/${id}`);
  }
}
