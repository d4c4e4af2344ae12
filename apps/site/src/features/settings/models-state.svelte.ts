import type {
  ConfiguredServer,
  ModelServerEdit,
  ModelServerTest,
  ModelServerTestResult,
} from "@metahuman/core/contract/model-servers";
import type {
  ModelRef,
  ModelRole,
  ModelTestResult,
  PullEvent,
  PullProgress,
} from "@metahuman/core/contract/models";
import {
  describeError,
  isAbort,
  UnexpectedResponse,
  type ErrorDescription,
} from "../../lib/api/api-problem.ts";
import { lazySchemas } from "../../lib/api/http-client.ts";
import { parseEvents } from "../../lib/live/server-sent-events.ts";
import type { ModelsApi } from "./models-api.ts";
import type { Session } from "../shell/session.svelte.ts";

const models = lazySchemas(() => import("@metahuman/core/contract/models"));

/** A test of one model: its reply so far, and the outcome. */
export interface ModelTrial {
  state: "asking" | "answered" | "failed";
  text: string;
  /** Whether it thinks before it answers. */
  thinking: boolean;
  result?: ModelTestResult;
  problem?: ErrorDescription;
}

/** A download in progress. */
export interface Download {
  model: string;
  progress: PullProgress | undefined;
  /** The speed over the last seconds; absent until it can be measured. */
  bytesPerSecond?: number;
}

/** The period over which the speed of a download is averaged, in milliseconds. */
const SPEED_WINDOW_MS = 5_000;

/** The models in the settings; their current situation is in the session. */
export class ModelsState {
  problem = $state.raw<ErrorDescription>();
  /** Why the last download failed. */
  pullProblem = $state.raw<ErrorDescription>();
  download = $state.raw<Download>();
  /** The reference of the model that was downloaded last. */
  arrived = $state<ModelRef>();
  trials = $state.raw<Readonly<Record<ModelRef, ModelTrial>>>({});
  refreshing = $state(false);
  /** The configured OpenAI-compatible servers. */
  configured = $state.raw<readonly ConfiguredServer[]>([]);

  readonly #api: ModelsApi;
  readonly #session: Session;
  #left: AbortController | undefined;
  /** The bytes of the current layer, with their arrival times. */
  #samples: { at: number; bytes: number }[] = [];

  constructor(api: ModelsApi, session: Session) {
    this.#api = api;
    this.#session = session;
  }

  /** Queries every server now. */
  async refresh(): Promise<void> {
    this.refreshing = true;
    await this.#attempt(async () => {
      this.#session.models = await this.#api.refresh();
    });
    this.refreshing = false;
  }

  /** Saves a server and shows its models. Throws as the API does. */
  async saveServer(server: ModelServerEdit): Promise<void> {
    this.#session.models = await this.#api.saveServer(server);
    await this.readServers();
  }

  testServer(server: ModelServerTest, signal: AbortSignal): Promise<ModelServerTestResult> {
    return this.#api.testServer(server, signal);
  }

  /** Resolves to whether that succeeded. */
  async removeServer(id: string): Promise<boolean> {
    return await this.#attempt(async () => {
      this.#session.models = await this.#api.removeServer(id);
      await this.readServers();
    });
  }

  /** Resolves to whether that succeeded. */
  async removeModel(model: ModelRef): Promise<boolean> {
    return await this.#attempt(async () => {
      this.#session.models = await this.#api.removeModel(model);
    });
  }

  /** Loads the configuration of the OpenAI-compatible servers; for the owner. */
  async readServers(): Promise<void> {
    await this.#attempt(async () => {
      this.configured = (await this.#api.servers()).servers;
    });
  }

  async assign(role: ModelRole, models: ModelRef[] | null): Promise<void> {
    await this.#attempt(async () => {
      this.#session.models = await this.#api.assign({ role, models });
    });
  }

  async test(model: ModelRef, signal: AbortSignal): Promise<void> {
    let trial: ModelTrial = { state: "asking", text: "", thinking: false };
    const become = (next: Partial<ModelTrial>): void => {
      trial = { ...trial, ...next };
      this.trials = { ...this.trials, [model]: trial };
    };
    become({});
    try {
      for await (const part of parseEvents(models("ModelTestPart"), await this.#api.test(model, signal))) {
        if (part.type === "done") become({ state: "answered", thinking: false, result: part.result });
        else if (part.type === "thinking") become({ thinking: true });
        else become({ thinking: false, text: trial.text + part.text });
      }
      if (trial.state === "asking")
        throw new UnexpectedResponse("/api/models/test", "a stream without an end");
    } catch (error) {
      if (!isAbort(error)) become({ state: "failed", problem: describeError(error) });
    }
  }

  /** Follows a download to its end. Resolves to whether the model is available. */
  async pull(provider: string, model: string): Promise<boolean> {
    const left = new AbortController();
    this.#left = left;
    this.#samples = [];
    this.download = { model, progress: undefined };
    const done = await this.#attempt(async () => {
      this.arrived = undefined;
      const stream = await this.#api.pull({ provider, model }, left.signal);
      let arrived: ModelRef | undefined;
      for await (const event of parseEvents(models("PullEvent"), stream)) arrived = this.#apply(model, event);
      this.arrived = arrived;
      if (arrived === undefined && !left.signal.aborted)
        throw new UnexpectedResponse("/api/models/pull", "a stream without an end");
    }, "pullProblem");
    this.download = undefined;
    if (done) await this.refresh();
    return done && !left.signal.aborted;
  }

  /** Cancels the download; also called when the person leaves the page. */
  cancel(): void {
    this.#left?.abort();
  }

  /** The reference of the model, once it is available. */
  #apply(model: string, event: PullEvent): ModelRef | undefined {
    if (event.type === "done") return event.model;
    const bytesPerSecond = this.#speed(event.progress, performance.now());
    this.download = {
      model,
      progress: event.progress,
      ...(bytesPerSecond !== undefined && { bytesPerSecond }),
    };
    return undefined;
  }

  /** The average speed in bytes per second; undefined until it is known. It is reset for each layer. */
  #speed({ completedBytes: bytes }: PullProgress, index: number): number | undefined {
    const last = this.#samples.at(-1);
    if (bytes === undefined || (last && bytes < last.bytes)) this.#samples = [];
    if (bytes === undefined) return undefined;
    this.#samples = [...this.#samples, { at: index, bytes }].filter(
      (sample) => index - sample.at <= SPEED_WINDOW_MS,
    );
    const [first] = this.#samples;
    return first && index - first.at >= 500
      ? ((bytes - first.bytes) / (index - first.at)) * 1_000
      : undefined;
  }

  async #attempt(act: () => Promise<void>, shownIn: "problem" | "pullProblem" = "problem"): Promise<boolean> {
    this[shownIn] = undefined;
    try {
      await act();
      return true;
    } catch (error) {
      if (!isAbort(error)) this[shownIn] = describeError(error);
      return false;
    }
  }
}
