import { Problem } from "@metahuman/core/contract/problem";
import {
  PullEvent,
  type ModelRef,
  type ModelRole,
  type ModelTestAnswer,
  type PullProgress,
} from "@metahuman/core/contract/models";
import { ApiProblem, explain, isAbort, UnexpectedAnswer, type Explanation } from "./api-problem.ts";
import type { Api } from "./api.ts";
import { readServerSentEvents } from "./server-sent-events.ts";
import type { Session } from "./session.svelte.ts";

/** What a test of one model came to. */
export type ModelTrial =
  | { state: "asking" }
  | { state: "answered"; answer: ModelTestAnswer }
  | { state: "failed"; problem: Explanation };

/** A download that is under way. */
export interface Download {
  model: string;
  progress: PullProgress | undefined;
}

/** The models as the settings show and change them; the situation itself is the session's. */
export class ModelsState {
  problem = $state.raw<Explanation>();
  download = $state.raw<Download>();
  /** The reference of the model that was downloaded last. */
  arrived = $state<ModelRef>();
  trials = $state.raw<Readonly<Record<ModelRef, ModelTrial>>>({});
  looking = $state(false);

  readonly #api: Api;
  readonly #session: Session;
  #left: AbortController | undefined;

  constructor(api: Api, session: Session) {
    this.#api = api;
    this.#session = session;
  }

  /** Asks every server now. */
  async look(): Promise<void> {
    this.looking = true;
    await this.#attempt(async () => {
      this.#session.models = await this.#api.models({ fresh: true });
    });
    this.looking = false;
  }

  async assign(role: ModelRole, models: ModelRef[] | null): Promise<void> {
    await this.#attempt(async () => {
      this.#session.models = await this.#api.assignModels({ role, models });
    });
  }

  async test(model: ModelRef, signal: AbortSignal): Promise<void> {
    this.#try(model, { state: "asking" });
    try {
      this.#try(model, { state: "answered", answer: await this.#api.testModel(model, signal) });
    } catch (error) {
      if (!isAbort(error)) this.#try(model, { state: "failed", problem: explain(error) });
    }
  }

  /** Follows a download to its end; true when the model is there. */
  async pull(provider: string, model: string): Promise<boolean> {
    const left = new AbortController();
    this.#left = left;
    this.download = { model, progress: undefined };
    const done = await this.#attempt(async () => {
      this.arrived = undefined;
      const stream = await this.#api.pullModel({ provider, model }, left.signal);
      let arrived: ModelRef | undefined;
      for await (const { data } of readServerSentEvents(stream))
        arrived = this.#apply(model, JSON.parse(data));
      this.arrived = arrived;
      if (arrived === undefined && !left.signal.aborted)
        throw new UnexpectedAnswer("/api/models/pull", "a stream without an end");
    });
    this.download = undefined;
    if (done) await this.look();
    return done && !left.signal.aborted;
  }

  /** Ends the download, or what is left of it when the page is left. */
  cancel(): void {
    this.#left?.abort();
  }

  /** The reference of the model, once it is there. */
  #apply(model: string, data: unknown): ModelRef | undefined {
    const problem = Problem.safeParse(data);
    if (problem.success) throw new ApiProblem(200, problem.data.error);
    const event = PullEvent.parse(data);
    if (event.type === "done") return event.model;
    this.download = { model, progress: event.progress };
    return undefined;
  }

  #try(model: ModelRef, trial: ModelTrial): void {
    this.trials = { ...this.trials, [model]: trial };
  }

  async #attempt(act: () => Promise<void>): Promise<boolean> {
    this.problem = undefined;
    try {
      await act();
      return true;
    } catch (error) {
      if (!isAbort(error)) this.problem = explain(error);
      return false;
    }
  }
}
