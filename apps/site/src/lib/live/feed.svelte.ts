import type { AgentCard } from "@metahuman/core/contract/agents";
import type { FunctionApproval } from "@metahuman/core/contract/function-approval";
import type { Approval } from "@metahuman/core/contract/approval";
import type { Notice } from "@metahuman/core/contract/notice";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { IndexStatus, Page } from "@metahuman/core/contract/http";
import type { ModelSituation } from "@metahuman/core/contract/models";
import type { ChangeCounts, LiveUpdate, RunStatusSummary } from "@metahuman/core/contract/live-updates";
import type { RunSummary } from "@metahuman/core/contract/run";
import type { Api } from "../../features/shell/api.ts";
import { ApiProblem } from "../api/api-problem.ts";
import { isSignedOutError, lazySchemas } from "../api/http-client.ts";
import { parseServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

const problem = lazySchemas(() => import("@metahuman/core/contract/problem"));
const liveUpdates = lazySchemas(() => import("@metahuman/core/contract/live-updates"));
const events = lazySchemas(() => import("@metahuman/core/contract/event"));

/** A subscriber to the events of a run. */
export interface RunWatcher {
  lastSeq: () => number;
  onEvent: (event: RunEvent) => void;
}

/** How long the server may take, in milliseconds. Where it takes longer, the connection counts as lost. */
interface Limits {
  /** To begin a stream. */
  beginMs: number;
  /** To begin a stream after a doubt. */
  doubtMs: number;
  /** Between two arrivals on a stream; the server sends a heartbeat every 15 s. */
  silenceMs: number;
}

const LIMITS: Limits = { beginMs: 15_000, doubtMs: 4_000, silenceMs: 40_000 };

/** Why a connection ends on which nothing arrives. */
const SILENT = new Error("Nothing arrives from the server.");

const MIN_PAUSE_MS = 300;
const MAX_PAUSE_MS = 8_000;

/**
 * The event stream of a tab: the events of watched runs, and updates of approvals, active and latest runs, the index,
 * agents, changed data and models. It reconnects automatically and resumes each run after the last applied event.
 */
export class Feed {
  connection = $state<"connecting" | "live" | "lost">("connecting");
  approvals = $state.raw<readonly Approval[]>([]);
  /** Functions that wait for approval. */
  functionApprovals = $state.raw<readonly FunctionApproval[]>([]);
  approvalCount = $state(0);
  /** Runs that have not ended; absent until the server sends them. */
  activeRuns = $state.raw<readonly RunSummary[]>();
  /** The latest runs, newest first; absent until the server sends them. */
  latestRuns = $state.raw<readonly RunStatusSummary[]>();
  /** How often each kind of data has changed, by any window or program; absent until the server sends it. */
  changes = $state.raw<ChangeCounts>();
  index = $state.raw<IndexStatus>();
  agents = $state.raw<readonly AgentCard[]>();
  /** The model servers and roles; absent until the server sends them. */
  models = $state.raw<ModelSituation>();
  /** The newest unread notices; absent until the server sends them. */
  notices = $state.raw<readonly Notice[]>();
  unreadNotices = $state(0);

  readonly #api: Api;
  readonly #signInAgain: () => Promise<void>;
  readonly #watchers = new Map<string, RunWatcher>();
  /** Watched runs that are excluded from the stream: one of them does not exist, and the server does not say which. */
  readonly #unconfirmed = new Set<string>();
  #current: AbortController | undefined;
  #stopped = true;
  #endPause: (() => void) | undefined;
  readonly #limits: Limits;
  /** Whether the connection is doubted and has not been opened again since. */
  #isDoubted = false;

  constructor(api: Api, signInAgain: () => Promise<void>, limits: Limits = LIMITS) {
    this.#limits = limits;
    this.#api = api;
    this.#signInAgain = signInAgain;
  }

  /** Starts with the approvals that the server rendered. */
  begin({ items, total }: Page<Approval>, functions: readonly FunctionApproval[]): void {
    this.approvals = items;
    this.functionApprovals = functions;
    this.approvalCount = total + functions.length;
  }

  /** Connects. Returns a function that disconnects. */
  start(): () => void {
    this.#stopped = false;
    void this.#stayConnected();
    return () => {
      this.#stopped = true;
      this.#current?.abort();
      this.reconnectNow();
    };
  }

  /** Ends the pause between two attempts, for example when the network is back. */
  reconnectNow(): void {
    this.#endPause?.();
  }

  /** Opens the stream again, because the server does not answer. It counts as lost if it does not begin soon. */
  doubt(): void {
    this.#isDoubted = true;
    this.#reconnect();
  }

  /** Delivers the events of a run after the last one that the watcher has. Returns a function that stops it. */
  watch(runId: string, watcher: RunWatcher): () => void {
    this.#watchers.set(runId, watcher);
    this.#unconfirmed.delete(runId);
    this.#reconnect();
    return () => {
      if (this.#watchers.get(runId) !== watcher) return;
      // The stream carries this run until it is opened again.
      this.#watchers.delete(runId);
    };
  }

  #reconnect(): void {
    this.#current?.abort();
    this.reconnectNow();
  }

  async #stayConnected(): Promise<void> {
    let wait = MIN_PAUSE_MS;
    let failures = 0;
    const recovered = (): void => {
      wait = MIN_PAUSE_MS;
      failures = 0;
    };
    while (!this.#stopped) {
      const ending = await this.#follow(recovered);
      if (ending === "replaced") continue;
      // The first failure is not shown: most streams reconnect at once. A server that is silent does not.
      failures += ending === "silent" ? 2 : 1;
      if (failures > 1) this.connection = "lost";
      await this.#pause(wait);
      wait = Math.min(MAX_PAUSE_MS, wait * 2);
    }
  }

  /** Opens one stream and resolves when it ends; calls `onEvent` after each event. */
  async #follow(onEvent: () => void): Promise<"replaced" | "silent" | "broken"> {
    const current = new AbortController();
    const { signal } = current;
    this.#current = current;
    let limit: ReturnType<typeof setTimeout> | undefined;
    const expectWithin = (milliseconds: number): void => {
      clearTimeout(limit);
      limit = setTimeout(() => current.abort(SILENT), milliseconds);
    };
    const { beginMs, doubtMs, silenceMs } = this.#limits;
    try {
      expectWithin(this.#isDoubted ? doubtMs : beginMs);
      this.#isDoubted = false;
      const stream = await this.#api.events(this.#positions(), signal);
      this.connection = "live";
      expectWithin(silenceMs);
      for await (const event of parseServerSentEvents(stream, () => expectWithin(silenceMs))) {
        await this.#handleEvent(event);
        onEvent();
      }
    } catch (error) {
      if (!signal.aborted && isSignedOutError(error)) {
        await this.#signInAgain();
        return "replaced";
      }
      // A watched run was deleted with its conversation. The update of active runs confirms the others.
      if (!signal.aborted && error instanceof ApiProblem && error.status === 404) {
        for (const runId of this.#watchers.keys()) this.#unconfirmed.add(runId);
      }
    } finally {
      clearTimeout(limit);
    }
    if (!signal.aborted) return "broken";
    return signal.reason === SILENT ? "silent" : "replaced";
  }

  #positions(): Map<string, number> {
    const asked = [...this.#watchers].filter(([runId]) => !this.#unconfirmed.has(runId));
    return new Map(asked.map(([runId, { lastSeq }]) => [runId, lastSeq()]));
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Throws if the event does not parse, or if it reports a problem; both end the stream. */
  async #handleEvent({ event: type, data }: ServerSentEvent): Promise<void> {
    const value: unknown = JSON.parse(data);
    if (type === "problem") {
      throw new ApiProblem(500, (await problem("Problem")()).parse(value).error);
    }
    const update = (await liveUpdates("LiveUpdate")()).safeParse(value);
    if (update.success) return this.#applyUpdate(update.data);
    const event = (await events("RunEvent")()).parse(value);
    this.#watchers.get(event.runId)?.onEvent(event);
  }

  #applyUpdate(update: LiveUpdate): void {
    switch (update.type) {
      case "approvals":
        this.approvals = update.items;
        this.functionApprovals = update.functions;
        this.approvalCount = update.total;
        break;
      case "runs":
        this.activeRuns = update.items;
        if (update.items.filter(({ id }) => this.#unconfirmed.delete(id)).length > 0) this.#reconnect();
        break;
      case "latest-runs":
        this.latestRuns = update.items;
        break;
      case "changes":
        this.changes = update.counts;
        break;
      case "index":
        this.index = update.status;
        break;
      case "agents":
        this.agents = update.items;
        break;
      case "models":
        this.models = update.situation;
        break;
      case "notices":
        this.notices = update.items;
        this.unreadNotices = update.unread;
        break;
      default:
        update satisfies never;
    }
  }
}
