import { copy } from "./copy.ts";
import type { Message } from "@metahuman/core/contract/conversation";
import type { ConversationAnswer, AcceptedOffer } from "@metahuman/core/contract/http";
import type { RunStatusSummary } from "@metahuman/core/contract/live-updates";
import type { RunSummary } from "@metahuman/core/contract/run";
import type { Api } from "../shell/api.ts";
import { ApiProblem, describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { Feed } from "../../lib/live/feed.svelte.ts";
import { nextTask } from "../../lib/ui/next-task.ts";
import { RunState, type FirstRun } from "../runs/run-state.svelte.ts";
import { Turn, type SlowOptions } from "./turn.svelte.ts";

/** Turns that are drawn in one task: together, they would block a slow phone for longer. */
const DRAWN_AT_ONCE = 1;

/** A conversation that the server rendered. */
export interface FirstConversation extends ConversationAnswer {
  /** Its newest runs, with their steps. */
  complete: readonly FirstRun[];
}

export interface ChatOptions extends SlowOptions {
  api: Api;
  feed: Pick<Feed, "watch">;
  /** Resolves when the texts of answers and the runs can be rendered. Turns appear after that, so that they do not shift. */
  loadRenderer: (texts: readonly string[], runs: readonly RunSummary[]) => Promise<unknown>;
  /** Called with the id of a new conversation. */
  onCreated: (conversationId: string) => void;
  /** Called after the server has accepted a request. */
  onAccepted: () => void;
  /** Called when a watched run ends or starts to wait for the person. */
  onSettled: (run: RunState) => void;
  /** Called with a problem of a conversation that the person has left meanwhile; `undefined` was a new one. */
  onProblemElsewhere: (problem: ErrorDescription, conversationId: string | undefined) => void;
}

/** The reads and sends since a conversation was opened. */
interface Opened {
  /** The number of the last load. Its response replaces those of earlier loads. */
  reads: number;
  /** The number of requests sent. The response to an earlier load lacks them. */
  sends: number;
  /** The number of requests that the server has yet to accept. */
  pendingSends: number;
  /** Whether to read the conversation when no request is pending any more. */
  isOutdated: boolean;
  /** Resolves when the last read has ended. */
  reading?: Promise<void>;
}

function newlyOpened(): Opened {
  return { reads: 0, sends: 0, pendingSends: 0, isOutdated: false };
}

/** The open conversation, its turns, and the actions on them. */
export class ChatState {
  conversationId = $state<string>();
  title = $state("");
  turns = $state.raw<readonly Turn[]>([]);
  /** The turns to draw: all of them, unless a conversation is being opened. */
  readonly drawnTurns = $derived.by(() => this.turns.slice(0, this.#drawn));
  #drawn = $state(Number.POSITIVE_INFINITY);
  loading = $state(false);
  problem = $state.raw<ErrorDescription>();
  /** Whether the conversation does not exist, so that a retry would not help. */
  notFound = $state(false);

  /** The run of the last turn if it waits for the answer to a question. */
  readonly #asking = $derived.by(() => {
    const run = this.turns.at(-1)?.run?.run;
    return run?.pending?.kind === "question" ? run : undefined;
  });
  /** Whether a question waits for the person. */
  readonly asks = $derived.by(() => this.#asking !== undefined);
  readonly liveTurn = $derived.by(() => this.turns.findLast((turn) => turn.run?.live === true));

  readonly #options: ChatOptions;
  readonly #unwatch = new Map<string, () => void>();
  /** Replaced whenever a conversation is opened, so that late responses can be recognized. */
  #opened = newlyOpened();
  /** The problem of the last read, unless a later one has worked. */
  #readProblem: ErrorDescription | undefined;
  /** The id of the newest run in the last update. */
  #newestRun = "";

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  /** Shows that a conversation is about to be opened. */
  expect(conversationId: string): void {
    this.conversationId = conversationId;
    this.loading = true;
  }

  /** Starts with a conversation that the server rendered. */
  begin({ complete, ...answer }: FirstConversation): void {
    this.conversationId = answer.conversation.id;
    this.#show(answer, new Map(complete.map((first) => [first.run.id, RunState.rendered(first)])));
  }

  /** Shows that a conversation does not exist, as the server has found out. */
  miss(conversationId: string | undefined): void {
    this.conversationId = conversationId;
    this.problem = { text: copy.missingConversation, suggestions: [] };
    this.notFound = true;
  }

  /** Follows the runs that are in progress. Browser only. */
  follow(): void {
    for (const turn of this.turns) if (turn.run?.live) void this.#loadAndWatch(turn, turn.run);
  }

  /** Opens a conversation; `undefined` starts a new one. */
  async open(conversationId: string | undefined): Promise<void> {
    this.close();
    this.#opened = newlyOpened();
    this.loading = false;
    this.conversationId = conversationId;
    this.title = "";
    this.turns = [];
    this.#drawn = Number.POSITIVE_INFINITY;
    this.problem = undefined;
    this.notFound = false;
    if (conversationId !== undefined) await this.refresh();
  }

  /** Stops watching runs. */
  close(): void {
    for (const unwatch of this.#unwatch.values()) unwatch();
    this.#unwatch.clear();
  }

  /**
   * Loads the open conversation again and keeps the state objects of known runs. While a request is being sent, this waits for
   * the server to accept it.
   */
  refresh(): Promise<void> {
    const opened = this.#opened;
    const reading = this.#read();
    opened.reading = reading;
    return reading;
  }

  async #read(): Promise<void> {
    const id = this.conversationId;
    const opened = this.#opened;
    if (id === undefined) return;
    opened.isOutdated = opened.pendingSends > 0;
    if (opened.isOutdated) return;
    const { sends } = opened;
    const read = ++opened.reads;
    const isCurrent = () => opened === this.#opened && read === opened.reads;
    this.loading = this.turns.length === 0 || this.#drawn < this.turns.length;
    try {
      const { loadRenderer } = this.#options;
      const [answer] = await Promise.all([this.#options.api.conversation(id), loadRenderer([], [])]);
      const texts = answer.messages.map(({ text }) => text);
      await loadRenderer(texts, answer.runs);
      // A later read replaces this one, so callers wait for the later one.
      if (!isCurrent()) return opened === this.#opened ? await opened.reading : undefined;
      if (sends !== opened.sends) return await this.refresh();
      if (this.turns.length === 0) this.#drawn = 0;
      this.#show(answer);
      const shown = new Set(this.turns.map((turn) => turn.run?.run.id));
      for (const id of this.#unwatch.keys()) if (!shown.has(id)) this.#unwatchRun(id);
      this.follow();
      await this.#drawTurns(opened);
    } catch (error) {
      if (!isCurrent()) return;
      this.problem = this.#readProblem = describeError(error);
      this.notFound = error instanceof ApiProblem && error.status === 404;
    } finally {
      if (isCurrent()) this.loading = false;
    }
  }

  /** Draws the turns in several tasks, so that the page answers meanwhile. It shows them once all are drawn. */
  async #drawTurns(opened: Opened): Promise<void> {
    while (opened === this.#opened && this.#drawn < this.turns.length) {
      await nextTask();
      this.#drawn += DRAWN_AT_ONCE;
    }
    if (opened === this.#opened) this.#drawn = Number.POSITIVE_INFINITY;
  }

  /** The newest turn whose request or answer contains all words, in lower case. */
  turnWith(words: readonly string[]): Turn | undefined {
    return this.turns.findLast(({ request, run, answer }) => {
      const text = `${request}\n${run?.run.result ?? answer ?? ""}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  /** Clears the problem and loads the conversation again. */
  async retry(): Promise<void> {
    this.problem = undefined;
    await this.refresh();
  }

  /**
   * Sends a request, or accepts an offer that was made for it. Resolves when the server has accepted it; otherwise
   * removes the turn and rejects.
   */
  async send(request: string, offer?: AcceptedOffer): Promise<void> {
    const at = new Date().toISOString();
    const sending = { isSending: true, acceptsOffer: offer !== undefined };
    const turn = new Turn({ id: `sending-${at}`, request, at, ...sending });
    const opened = this.#opened;
    const openId = this.conversationId;
    this.problem = undefined;
    this.turns = [...this.turns, turn];
    opened.sends += 1;
    opened.pendingSends += 1;
    // Loads while the run works.
    void this.#options.loadRenderer([], []);
    try {
      const { runId, conversationId } = await turn.deliver(
        (signal) => this.#options.api.start(request, openId, offer, signal),
        this.#options,
      );
      if (opened !== this.#opened) {
        // The person has left the conversation, and may have returned.
        if (this.conversationId === conversationId) void this.refresh();
        return;
      }
      turn.run = RunState.create({
        id: runId,
        conversationId,
        agentId: "operator",
        goal: request,
        createdAt: at,
      });
      if (openId === undefined) {
        this.conversationId = conversationId;
        this.#options.onCreated(conversationId);
      }
      this.#watch(turn.run);
      this.#options.onAccepted();
    } catch (error) {
      this.turns = this.turns.filter((one) => one !== turn);
      throw error;
    } finally {
      opened.pendingSends -= 1;
      if (opened === this.#opened && opened.isOutdated) void this.refresh();
    }
  }

  /** Answers the question that the last turn asks, or sends a request if none is asked. Rejects as `send` does. */
  async sendTyped(text: string): Promise<void> {
    if (this.#asking) await this.#options.api.answer(this.#asking.id, text.trim());
    else await this.send(text);
  }

  /**
   * Whether a text is more likely a new request than the answer to the open question: it is longer than a choice, and
   * contains no word of the options.
   */
  isLikelyRequest(text: string): boolean {
    const pending = this.#asking?.pending;
    const options = pending?.kind === "question" ? pending.options : [];
    if (options.length === 0 || text.trim().split(/\s+/u).length <= MAX_CHOICE_WORDS) return false;
    const known = new Set(options.flatMap(distinctiveWords));
    return known.size > 0 && !distinctiveWords(text).some((word) => known.has(word));
  }

  /** Stops the run that waits for an answer, if there is one. */
  async leaveQuestion(): Promise<void> {
    const turn = this.turns.at(-1);
    if (this.#asking && turn) await this.stop(turn);
  }

  async stop(turn: Turn): Promise<void> {
    const { run } = turn;
    if (!run) return;
    turn.stopping = true;
    await this.#attempt(() => this.#options.api.cancel(run.run.id));
    turn.stopping = false;
  }

  async resume(turn: Turn): Promise<void> {
    if (!turn.run) return;
    const { run } = turn;
    await this.#attempt(async () => {
      await this.loadSteps(turn);
      await this.#options.api.resume(run.run.id);
      this.#watch(run);
    });
  }

  /** Continues an unfinished run in a new run with its own turn. */
  async continueRun({ run }: Turn): Promise<void> {
    if (!run) return;
    await this.#attempt(async () => {
      await this.#options.api.continueRun(run.run.id);
      await this.refresh();
    });
  }

  /** Executes an action of the open conversation, and shows its problem there unless the person has left it. */
  async #attempt(action: () => Promise<unknown>): Promise<void> {
    const opened = this.#opened;
    const id = this.conversationId;
    try {
      await action();
    } catch (error) {
      const problem = describeError(error);
      if (opened === this.#opened) this.problem = problem;
      else this.#options.onProblemElsewhere(problem, id);
    }
  }

  /** Loads the steps of a run before they are shown. */
  async loadSteps({ run }: Turn): Promise<void> {
    if (!run || run.complete) return;
    try {
      run.merge(await this.#options.api.run(run.run.id));
    } catch (error) {
      // The run can be deleted while its message is kept.
      if (!(error instanceof ApiProblem && error.status === 404)) throw error;
    }
  }

  /** Applies an update of active and latest runs: another tab may have started or resumed one in this conversation. */
  followRuns(active: readonly RunStatusSummary[], latest: readonly RunStatusSummary[]): void {
    const hasMissedEvents =
      this.#newestRun !== "" && latest.length > 0 && latest.every(({ id }) => id > this.#newestRun);
    this.#newestRun = latest[0]?.id ?? this.#newestRun;
    const here = [...latest, ...active].filter(
      ({ conversationId }) => conversationId === this.conversationId,
    );
    const known = new Set(this.turns.map((turn) => turn.run?.run.id));
    if (hasMissedEvents || here.some(({ id }) => !known.has(id))) void this.refresh();
    for (const turn of this.turns) {
      const lastSeq = Math.max(...here.filter(({ id }) => id === turn.run?.run.id).map((run) => run.lastSeq));
      // The update may be older than the events of the run.
      if (turn.run && lastSeq > turn.run.run.lastSeq) void this.#loadAndWatch(turn, turn.run, lastSeq);
    }
  }

  /** `complete` has the states of runs whose steps are known, by the id of the run. */
  #show(
    { conversation, messages, runs }: ConversationAnswer,
    complete: ReadonlyMap<string, RunState> = new Map(),
  ): void {
    const stateOf = (summary: RunSummary) => complete.get(summary.id) ?? RunState.fromSummary(summary);
    this.title = conversation.title;
    if (this.problem === this.#readProblem) this.problem = undefined;
    this.#readProblem = undefined;
    this.notFound = false;
    const kept = new Map(this.turns.flatMap((turn) => (turn.run ? [[turn.run.run.id, turn] as const] : [])));
    const summaries = new Map(runs.map((run) => [run.id, run]));
    const answers = new Map(
      messages.flatMap(({ role, runId, text }) =>
        role === "operator" && runId ? [[runId, text] as const] : [],
      ),
    );
    const turns: Turn[] = messages
      .map((message, index) => ({ ...message, next: messages[index + 1] }))
      .filter(({ role }) => role === "person")
      .map(({ id, text, createdAt, runId, next }) => {
        const summary = runId === undefined ? undefined : summaries.get(runId);
        if (runId !== undefined) summaries.delete(runId);
        return (
          kept.get(runId ?? "") ??
          new Turn({
            id,
            request: text,
            at: createdAt,
            run: summary && stateOf(summary),
            steps: summary?.steps,
            // A message that was restored without its run has an answer.
            answer: runId === undefined ? answerIn(next) : answers.get(runId),
          })
        );
      });
    // The server's order and clock decide: the browser's clock may differ.
    const times = messages.filter(({ role }) => role === "person").map(({ createdAt }) => createdAt);
    // In emulation mode no message is stored, only the run.
    for (const summary of summaries.values()) {
      const later = times.findIndex((time) => time > summary.createdAt);
      const place = later === -1 ? times.length : later;
      times.splice(place, 0, summary.createdAt);
      turns.splice(
        place,
        0,
        kept.get(summary.id) ??
          new Turn({
            id: summary.id,
            request: summary.goal,
            at: summary.createdAt,
            run: stateOf(summary),
            steps: summary.steps,
          }),
      );
    }
    this.turns = turns;
  }

  /** Loads the steps of a run and watches it if it is live or has events after those on the page. */
  async #loadAndWatch(turn: Turn, run: RunState, lastSeq = 0): Promise<void> {
    const opened = this.#opened;
    try {
      await this.loadSteps(turn);
      if (run.live || lastSeq > run.run.lastSeq) this.#watch(run);
    } catch (error) {
      // In a conversation that was left, nobody waits for the steps.
      if (opened === this.#opened) this.problem = describeError(error);
    }
  }

  #watch(run: RunState): void {
    const { id } = run.run;
    // The turn may have left the page while its steps were loaded.
    if (this.#unwatch.has(id) || !this.turns.some((turn) => turn.run === run)) return;
    const unwatch = this.#options.feed.watch(id, {
      lastSeq: () => run.run.lastSeq,
      onEvent: (event) => {
        const before = run.run;
        run.apply(event);
        if (run.run === before || run.run.status === before.status) return;
        if (run.run.status === "running" || run.run.status === "queued") return;
        this.#options.onSettled(run);
        if (!run.live) this.#unwatchRun(id);
      },
    });
    this.#unwatch.set(id, unwatch);
  }

  #unwatchRun(runId: string): void {
    this.#unwatch.get(runId)?.();
    this.#unwatch.delete(runId);
  }
}

/** The maximum number of other words around a choice: "the second one". */
const MAX_CHOICE_WORDS = 3;

/** The words that distinguish options: those of more than three letters, and numbers. */
function distinctiveWords(text: string): string[] {
  return text.toLowerCase().match(/\p{L}{4,}|\p{N}+/gu) ?? [];
}

function answerIn(message: Message | undefined): string | undefined {
  return message?.role === "operator" && message.runId === undefined ? message.text : undefined;
}
