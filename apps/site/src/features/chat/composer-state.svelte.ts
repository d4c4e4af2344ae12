import { copy } from "./copy.ts";
import { attachedRequest, isAttachable, joinAttachments, splitAttachments } from "./attachments.ts";
import { describeError, ServerUnreachable, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { RunStatusSummary } from "@metahuman/core/contract/live-updates";
import type { ChatOptions, ChatState } from "./chat-state.svelte.ts";
import type { Drafts } from "./drafts.ts";
import { MAX_INBOX_BYTES } from "@metahuman/core/contract/limits";
import type { App } from "../shell/app.svelte.ts";
import { formatBytes } from "@metahuman/core/text/format";

/** A request to which the server gave no response: it may have been accepted. */
interface Unconfirmed {
  request: string;
  conversationId: string | undefined;
  /** The number of the opening of the conversation in which it was sent. */
  opened: number;
  /** The newest run that was known before it was sent. */
  newestRun: string;
  /** The update of the latest runs that was known when the sending failed; a later one proves that the server answers, not that the request was not sent. */
  knownRuns: readonly RunStatusSummary[];
  /** How its failure is shown. */
  problem: ErrorDescription;
  /** Whether the page shows that it may not have been sent. */
  isReported: boolean;
}

/** The text of the composer. It is not lost if sending fails or the page closes. */
export class ComposerState {
  text = $state("");
  /** The paths of attached files in `inbox/`. */
  files = $state.raw<readonly string[]>([]);
  /** Whether a request of the open conversation is being sent. */
  readonly sending = $derived.by(() => this.#sending === this.#opened);

  readonly #chat: ChatState;
  readonly #drafts: Drafts;
  readonly #onProblemElsewhere: ChatOptions["onProblemElsewhere"];
  /** The number of conversations opened so far; a request that is being sent belongs to one of them. */
  #opened = $state(0);
  #sending = $state<number>();
  #latest: readonly RunStatusSummary[] = [];
  #unconfirmed = $state.raw<Unconfirmed>();

  constructor(chat: ChatState, drafts: Drafts, onProblemElsewhere: ChatOptions["onProblemElsewhere"]) {
    this.#chat = chat;
    this.#drafts = drafts;
    this.#onProblemElsewhere = onProblemElsewhere;
  }

  /** Loads the draft of a conversation. What was typed before the first one opened stays, after its draft. */
  open(conversationId: string | undefined): void {
    const early = this.#opened === 0 ? this.text : "";
    this.#opened += 1;
    this.fill(this.#drafts.read(conversationId));
    this.text += early;
  }

  /** Leaves a deleted conversation and moves the text to the next one if that has no draft. */
  moveDraft(leave: () => void): void {
    const typed = this.#joined();
    leave();
    if (this.#joined() === "") this.fill(typed);
  }

  /** Saves the text as the draft of the open conversation. Before one is open, the stored draft is not read yet. */
  saveDraft(): void {
    if (this.#opened === 0) return;
    this.#drafts.write(this.#chat.conversationId, this.#joined());
  }

  /** Replaces the text and the attached files with those of a request. */
  fill(request: string): void {
    const { text, files } = splitAttachments(request);
    this.text = text;
    this.files = files;
  }

  /** Attaches uploaded files. A path that cannot be attached is appended to the text. */
  attach(paths: readonly string[]): void {
    this.files = [...new Set([...this.files, ...paths.filter(isAttachable)])];
    const others = paths.filter((path) => !isAttachable(path));
    if (others.length > 0) this.text = [this.text.trimEnd(), ...others].filter(Boolean).join(" ");
  }

  detach(path: string): void {
    this.files = this.files.filter((one) => one !== path);
  }

  /** The id of the newest run that is known; empty without one. */
  #newestRun(): string {
    const shown = this.#chat.turns.flatMap(({ run }) => run?.run.id ?? []);
    return [...shown, ...this.#latest.map(({ id }) => id)].toSorted().at(-1) ?? "";
  }

  #isText(sent: Unconfirmed | undefined): boolean {
    return sent !== undefined && this.#opened === sent.opened && this.#joined() === sent.request;
  }

  #joined(): string {
    return joinAttachments(this);
  }

  /** Removes and returns the typed request; undefined if there is none, or if one is being sent. */
  #take(): string | undefined {
    const typed = attachedRequest(this);
    if (typed.trim() === "" || this.sending) return undefined;
    this.fill("");
    return typed;
  }

  /** Sends the text: as the answer if the last turn asks a question, otherwise as a request. */
  async sendTyped(): Promise<void> {
    const typed = this.#take();
    if (typed !== undefined) await this.send(typed, (text) => this.#chat.sendTyped(text));
  }

  /** Sends the text as a request, and stops the run that asks a question. */
  async sendAsRequest(): Promise<void> {
    const typed = this.#take();
    if (typed === undefined) return;
    await this.#chat.leaveQuestion();
    await this.send(typed);
  }

  /** Whether the server gave no response to the last request, and it is not known yet whether it was accepted. */
  readonly isUnconfirmed = $derived.by(() => this.#unconfirmed !== undefined);
  /** Whether the text is a request that the server has not confirmed. */
  readonly isTextUnconfirmed = $derived.by(() => this.#isText(this.#unconfirmed));

  /**
   * Removes the text of a request to which the server gave no response if the open conversation shows it as a turn, so that it is not
   * there twice.
   */
  confirmShown(): void {
    const sent = this.#unconfirmed;
    if (sent?.conversationId === undefined || sent.conversationId !== this.#chat.conversationId) return;
    const isShown = this.#chat.turns.some(
      ({ run, request }) =>
        run !== undefined && run.run.id > sent.newestRun && request.trim() === sent.request.trim(),
    );
    if (isShown) this.#acceptSent(sent);
  }

  /**
   * Applies an update of the latest runs, newest first. If one of them carries out a request to which the server gave no
   * response, its text is removed, so that it is not sent twice. Resolves to the conversation of that run if the request
   * began a new one that is still open. If none does, the page no longer shows that the server cannot be reached, but that the request
   * may not have been sent: the server may still accept it. `latest` is undefined before the first update.
   */
  async confirm(
    latest: readonly RunStatusSummary[] | undefined,
    loadGoal: (runId: string) => Promise<string>,
  ): Promise<string | undefined> {
    if (latest === undefined) return undefined;
    this.#latest = latest;
    const sent = this.#unconfirmed;
    if (!sent) return undefined;
    for (const run of latest.filter(({ id }) => id > sent.newestRun)) {
      if (sent.conversationId !== undefined && sent.conversationId !== run.conversationId) continue;
      if ((await loadGoal(run.id)).trim() !== sent.request.trim()) continue;
      if (this.#unconfirmed !== sent) return undefined;
      this.#acceptSent(sent);
      return this.#opened === sent.opened && sent.conversationId === undefined
        ? run.conversationId
        : undefined;
    }
    if (latest !== sent.knownRuns && this.#unconfirmed === sent && !sent.isReported && this.#isText(sent)) {
      sent.isReported = true;
      sent.problem = { text: copy.maybeNotSent, suggestions: [] };
      this.#chat.problem = sent.problem;
    }
    return undefined;
  }

  /** Removes the text and the problem of a request that the server has accepted without a response. */
  #acceptSent(sent: Unconfirmed): void {
    this.#unconfirmed = undefined;
    if (this.#drafts.read(sent.conversationId) === sent.request) this.#drafts.write(sent.conversationId, "");
    if (this.#isText(sent)) this.fill("");
    if (this.#chat.problem === sent.problem) this.#chat.problem = undefined;
  }

  /**
   * Resolves to whether the server accepted the request. If not, the composer receives it, before what was typed since; if the person has opened
   * another conversation meanwhile, it becomes the draft of the one it was written in.
   */
  async send(request: string, deliver = async (text: string) => this.#chat.send(text)): Promise<boolean> {
    if (request.trim() === "" || this.sending) return false;
    const opened = this.#opened;
    this.#sending = opened;
    const began = this.#chat.conversationId;
    const newestRun = this.#newestRun();
    this.#unconfirmed = undefined;
    try {
      await deliver(request);
      // The draft of the new conversation was stored without an id.
      if (began === undefined && this.#opened === opened) this.#drafts.write(undefined, "");
      return true;
    } catch (error) {
      const problem = describeError(error);
      if (error instanceof ServerUnreachable)
        this.#unconfirmed = {
          request,
          conversationId: began,
          opened,
          newestRun,
          knownRuns: this.#latest,
          problem,
          isReported: false,
        };
      if (this.#opened === opened) {
        this.#chat.problem = problem;
        const typed = this.#joined();
        this.fill(typed === "" ? request : `${request}\n${typed}`);
      } else {
        if (this.#drafts.read(began) === "") this.#drafts.write(began, request);
        this.#onProblemElsewhere(problem, began);
      }
      return false;
    } finally {
      if (this.#sending === opened) this.#sending = undefined;
    }
  }
}

/** Uploads files to `inbox/` one by one and shows a toast for each failure. Resolves to the paths of those uploaded. */
export async function uploadFiles(
  app: Pick<App, "attempt" | "background" | "toasts">,
  files: Iterable<File>,
): Promise<string[]> {
  const paths: string[] = [];
  for (const file of files) {
    if (file.size > MAX_INBOX_BYTES) {
      app.toasts.show(copy.fileTooLarge(file.name, formatBytes(MAX_INBOX_BYTES)), {
        variant: "danger",
      });
      continue;
    }
    await app.attempt(async () => {
      const { path } = await app.background.sendFile(file);
      paths.push(path);
    });
  }
  if (paths.length > 0)
    app.toasts.show(copy.uploaded(paths.join(", ")), {
      variant: "success",
    });
  return paths;
}
