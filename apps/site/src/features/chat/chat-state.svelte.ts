import type { ConversationAnswer } from "@metahuman/core/contract/http";
import type { RunStanding } from "@metahuman/core/contract/live-news";
import type { Api } from "../shell/api.ts";
import { ApiProblem, describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { Feed } from "../../lib/live/feed.svelte.ts";
import { RunState } from "../runs/run-state.svelte.ts";

/** One request with the run that carries it out. */
export class Turn {
  readonly id: string;
  readonly request: string;
  readonly at: string;
  /** Absent while the request is on its way, and when its run is no longer kept. */
  run = $state.raw<RunState>();
  /** What was answered, where no run is kept to say it. */
  readonly answer: string | undefined;
  /** How many steps the run took, known before they are read. */
  readonly steps: number;
  stopping = $state(false);

  constructor(turn: {
    id: string;
    request: string;
    at: string;
    run?: RunState | undefined;
    answer?: string | undefined;
    steps?: number | undefined;
  }) {
    this.id = turn.id;
    this.request = turn.request;
    this.at = turn.at;
    this.run = turn.run;
    this.answer = turn.answer;
    this.steps = turn.steps ?? 0;
  }
}

export interface ChatOptions {
  api: Api;
  feed: Pick<Feed, "watch">;
  /** Resolves when answers can be drawn: what was answered before is not shown sooner, so that it does not move. */
  toDraw: () => Promise<void>;
  /** A new conversation got its id. */
  onBegun: (conversationId: string) => void;
  /** A request was taken, which the list of conversations shows. */
  onTaken: () => void;
  /** A run came to its end, or to a question, while the page watched. */
  onSettled: (run: RunState) => void;
}

/** The open conversation: its turns, and what a person can do with them. */
export class ChatState {
  conversationId = $state<string>();
  title = $state("");
  turns = $state.raw<readonly Turn[]>([]);
  loading = $state(false);
  problem = $state.raw<ErrorDescription>();
  /** The problem is that the conversation is not there, or is no more: trying again would not help. */
  gone = $state(false);

  /** The last turn whose run goes on. */
  readonly liveTurn = $derived.by(() => this.turns.findLast((turn) => turn.run?.live === true));

  readonly #options: ChatOptions;
  readonly #unwatch = new Map<string, () => void>();
  /** Requests on their way: until they are taken, what the server says of the conversation is behind what is shown. */
  #sending = 0;
  /** The newest run that news told of. */
  #heard = "";

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  /** Opens a conversation, or an empty page for a new one. */
  async open(conversationId: string | undefined): Promise<void> {
    this.close();
    this.conversationId = conversationId;
    this.title = "";
    this.turns = [];
    this.problem = undefined;
    this.gone = false;
    if (conversationId !== undefined) await this.refresh();
  }

  /** Stops listening; runs go on. */
  close(): void {
    for (const unwatch of this.#unwatch.values()) unwatch();
    this.#unwatch.clear();
  }

  /** Reads the open conversation again; runs already on the page stay the same objects. */
  async refresh(): Promise<void> {
    const id = this.conversationId;
    if (id === undefined) return;
    this.loading = this.turns.length === 0;
    try {
      const [answer] = await Promise.all([this.#options.api.conversation(id), this.#options.toDraw()]);
      if (this.conversationId === id && this.#sending === 0) this.#take(answer);
    } catch (error) {
      if (this.conversationId !== id) return;
      this.problem = describeError(error);
      this.gone = error instanceof ApiProblem && error.status === 404;
    } finally {
      if (this.conversationId === id) this.loading = false;
    }
  }

  /** Reads the conversation again after something went wrong, which is not said any longer. */
  async retry(): Promise<void> {
    this.problem = undefined;
    await this.refresh();
  }

  /**
   * Sends a request. Resolves when the server has taken it; rejects, with the turn taken back, when it has not: the
   * text is still the caller's then.
   */
  async send(request: string): Promise<void> {
    const at = new Date().toISOString();
    const turn = new Turn({ id: `sending-${at}`, request, at });
    const opened = this.conversationId;
    this.problem = undefined;
    this.turns = [...this.turns, turn];
    this.#sending += 1;
    // Meanwhile: the answer takes its time.
    void this.#options.toDraw();
    try {
      const { runId, conversationId } = await this.#options.api.start(request, opened);
      // The person may have gone elsewhere meanwhile; the run goes on there without this page.
      if (this.conversationId !== opened) return;
      turn.run = RunState.begun({
        id: runId,
        conversationId,
        agentId: "operator",
        goal: request,
        createdAt: at,
      });
      if (opened === undefined) {
        this.conversationId = conversationId;
        this.#options.onBegun(conversationId);
      }
      this.#watch(turn.run);
      this.#options.onTaken();
    } catch (error) {
      this.turns = this.turns.filter((one) => one !== turn);
      throw error;
    } finally {
      this.#sending -= 1;
    }
  }

  async stop(turn: Turn): Promise<void> {
    if (!turn.run) return;
    turn.stopping = true;
    try {
      await this.#options.api.cancel(turn.run.run.id);
    } catch (error) {
      this.problem = describeError(error);
    } finally {
      turn.stopping = false;
    }
  }

  async resume(turn: Turn): Promise<void> {
    if (!turn.run) return;
    const { run } = turn;
    try {
      await this.complete(turn);
      await this.#options.api.resume(run.run.id);
      this.#watch(run);
    } catch (error) {
      this.problem = describeError(error);
    }
  }

  /** Goes on with a run that ended unfinished: a turn of its own shows the new run. */
  async continueRun({ run }: Turn): Promise<void> {
    if (!run) return;
    try {
      await this.#options.api.continueRun(run.run.id);
      await this.refresh();
    } catch (error) {
      this.problem = describeError(error);
    }
  }

  /** Reads a run's steps when somebody is about to see them. */
  async complete({ run }: Turn): Promise<void> {
    if (!run || run.complete) return;
    try {
      run.complement(await this.#options.api.run(run.run.id));
    } catch (error) {
      // A run may be gone while its message is kept: what is known of it stays on the page.
      if (!(error instanceof ApiProblem && error.status === 404)) throw error;
    }
  }

  /**
   * News of the runs that go on somewhere and of those that began last: another tab may have started or resumed one in this
   * conversation, and it may be over already.
   */
  hear(active: readonly RunStanding[], latest: readonly RunStanding[]): void {
    if (this.#sending > 0) return;
    const missed = this.#heard !== "" && latest.length > 0 && latest.every(({ id }) => id > this.#heard);
    this.#heard = latest[0]?.id ?? this.#heard;
    const here = [...latest, ...active].filter(
      ({ conversationId }) => conversationId === this.conversationId,
    );
    const known = new Set(this.turns.map((turn) => turn.run?.run.id));
    if (missed || here.some(({ id }) => !known.has(id))) void this.refresh();
    for (const turn of this.turns) {
      const told = Math.max(
        ...here.filter(({ id }) => id === turn.run?.run.id).map(({ lastSeq }) => lastSeq),
      );
      // News may be older than what the run's own events said: nothing more would come of one that has ended since.
      if (turn.run && told > turn.run.run.lastSeq) void this.#follow(turn, turn.run, told);
    }
  }

  #take({ conversation, messages, runs }: ConversationAnswer): void {
    this.title = conversation.title;
    const kept = new Map(this.turns.flatMap((turn) => (turn.run ? [[turn.run.run.id, turn] as const] : [])));
    const summaries = new Map(runs.map((run) => [run.id, run]));
    const answers = new Map(
      messages.flatMap(({ role, runId, text }) =>
        role === "operator" && runId ? [[runId, text] as const] : [],
      ),
    );
    const turns: Turn[] = messages
      .filter(({ role }) => role === "person")
      .map(({ id, text, createdAt, runId }) => {
        const summary = runId === undefined ? undefined : summaries.get(runId);
        if (runId !== undefined) summaries.delete(runId);
        return (
          kept.get(runId ?? "") ??
          new Turn({
            id,
            request: text,
            at: createdAt,
            run: summary && RunState.summarised(summary),
            steps: summary?.steps,
            answer: runId === undefined ? undefined : answers.get(runId),
          })
        );
      });
    // In emulation nothing is stored: such a run has no message, only itself.
    for (const summary of summaries.values()) {
      turns.push(
        kept.get(summary.id) ??
          new Turn({
            id: summary.id,
            request: summary.goal,
            at: summary.createdAt,
            run: RunState.summarised(summary),
            steps: summary.steps,
          }),
      );
    }
    this.turns = turns.sort((one, other) => one.at.localeCompare(other.at));
    for (const turn of turns) if (turn.run?.live) void this.#follow(turn, turn.run);
  }

  /** Shows how a run goes on that is known to have come as far as `told`. */
  async #follow(turn: Turn, run: RunState, told = 0): Promise<void> {
    try {
      await this.complete(turn);
      if (run.live || told > run.run.lastSeq) this.#watch(run);
    } catch (error) {
      this.problem = describeError(error);
    }
  }

  #watch(run: RunState): void {
    const { id } = run.run;
    if (this.#unwatch.has(id) || run.run.conversationId !== this.conversationId) return;
    const unwatch = this.#options.feed.watch(id, {
      lastSeq: () => run.run.lastSeq,
      onEvent: (event) => {
        const before = run.run;
        run.apply(event);
        if (run.run === before || run.run.status === before.status) return;
        if (run.run.status === "running" || run.run.status === "queued") return;
        this.#options.onSettled(run);
        if (!run.live) this.#forget(id);
      },
    });
    this.#unwatch.set(id, unwatch);
  }

  #forget(runId: string): void {
    this.#unwatch.get(runId)?.();
    this.#unwatch.delete(runId);
  }
}
