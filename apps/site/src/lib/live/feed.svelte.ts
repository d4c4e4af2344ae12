import type { AgentCard } from "@metahuman/core/contract/agents";
import type { Approval } from "@metahuman/core/contract/approval";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { IndexStatus } from "@metahuman/core/contract/http";
import type { ChangeCounts, LiveNews, RunStanding } from "@metahuman/core/contract/live-news";
import type { RunSummary } from "@metahuman/core/contract/run";
import type { Api } from "../../features/shell/api.ts";
import { ApiProblem } from "../api/api-problem.ts";
import { isSignedOutError } from "../api/http-client.ts";
import { parseServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

/** What a watcher of a run says of itself: where it stands, and what to do with what comes. */
export interface RunWatcher {
  lastSeq: () => number;
  onEvent: (event: RunEvent) => void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 8_000;

/**
 * The tab's one stream from the server: events of the runs it watches, and news of approvals, active and latest runs, the
 * index, the agents, and of what else changed. It connects again by itself and misses nothing: each run goes on after the last event that was applied.
 */
export class Feed {
  connection = $state<"connecting" | "live" | "lost">("connecting");
  approvals = $state.raw<readonly Approval[]>([]);
  approvalCount = $state(0);
  /** Runs of this profile that have not ended; absent until the server said. */
  activeRuns = $state.raw<readonly RunSummary[]>();
  /** The runs that began last, newest first; absent until the server said. */
  latestRuns = $state.raw<readonly RunStanding[]>();
  /** How often each kind of data has changed, by any window or program; absent until the server sends it. */
  changes = $state.raw<ChangeCounts>();
  index = $state.raw<IndexStatus>();
  agents = $state.raw<readonly AgentCard[]>();

  readonly #api: Api;
  readonly #signInAgain: () => Promise<void>;
  readonly #watchers = new Map<string, RunWatcher>();
  /** Watched runs the stream is not asked for: one of them is gone, and the server does not say which. */
  readonly #doubted = new Set<string>();
  #current: AbortController | undefined;
  #stopped = true;
  #wake: (() => void) | undefined;

  constructor(api: Api, signInAgain: () => Promise<void>) {
    this.#api = api;
    this.#signInAgain = signInAgain;
  }

  /** Connects; returns what ends it. */
  start(): () => void {
    this.#stopped = false;
    void this.#stayConnected();
    return () => {
      this.#stopped = true;
      this.#current?.abort();
      this.tryNow();
    };
  }

  /** Ends the wait between two attempts: the network is said to be back. */
  tryNow(): void {
    this.#wake?.();
  }

  /** Sends a run's events, from where the watcher stands, until the returned function is called. */
  watch(runId: string, watcher: RunWatcher): () => void {
    this.#watchers.set(runId, watcher);
    this.#doubted.delete(runId);
    this.#reconnect();
    return () => {
      if (this.#watchers.get(runId) !== watcher) return;
      // The stream may go on carrying this run until it is next opened; nobody listens.
      this.#watchers.delete(runId);
    };
  }

  #reconnect(): void {
    this.#current?.abort();
    this.tryNow();
  }

  async #stayConnected(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    let failures = 0;
    while (!this.#stopped) {
      const current = new AbortController();
      this.#current = current;
      try {
        const stream = await this.#api.events(this.#positions(), current.signal);
        this.connection = "live";
        for await (const event of parseServerSentEvents(stream)) {
          await this.#take(event);
          wait = FIRST_WAIT_MS;
          failures = 0;
        }
      } catch (error) {
        if (current.signal.aborted) continue;
        if (isSignedOutError(error)) {
          await this.#signInAgain();
          continue;
        }
        // A watched run is gone with its conversation. News of active runs bring back those that are not.
        if (error instanceof ApiProblem && error.status === 404) {
          for (const runId of this.#watchers.keys()) this.#doubted.add(runId);
        }
      }
      if (current.signal.aborted) continue;
      // One try more before anybody is told: a stream may end for reasons that are over at once.
      failures += 1;
      if (failures > 1) this.connection = "lost";
      await this.#pause(wait);
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    }
  }

  #positions(): Map<string, number> {
    const asked = [...this.#watchers].filter(([runId]) => !this.#doubted.has(runId));
    return new Map(asked.map(([runId, { lastSeq }]) => [runId, lastSeq()]));
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Throws for what it cannot read, and for the server's last word on a stream that failed: both end the stream. */
  async #take({ event: type, data }: ServerSentEvent): Promise<void> {
    const value: unknown = JSON.parse(data);
    if (type === "problem") {
      const { Problem } = await import("@metahuman/core/contract/problem");
      throw new ApiProblem(500, Problem.parse(value).error);
    }
    const { LiveNews } = await import("@metahuman/core/contract/live-news");
    const news = LiveNews.safeParse(value);
    if (news.success) return this.#hear(news.data);
    const { RunEvent } = await import("@metahuman/core/contract/event");
    const event = RunEvent.parse(value);
    this.#watchers.get(event.runId)?.onEvent(event);
  }

  #hear(news: LiveNews): void {
    switch (news.type) {
      case "approvals":
        this.approvals = news.items;
        this.approvalCount = news.total;
        break;
      case "runs":
        this.activeRuns = news.items;
        if (news.items.filter(({ id }) => this.#doubted.delete(id)).length > 0) this.#reconnect();
        break;
      case "latest-runs":
        this.latestRuns = news.items;
        break;
      case "changes":
        this.changes = news.counts;
        break;
      case "index":
        this.index = news.status;
        break;
      case "agents":
        this.agents = news.items;
        break;
      default:
        news satisfies never;
    }
  }
}
