import { copy } from "./copy.ts";
import { describeError, ServerUnreachable } from "../../lib/api/api-problem.ts";
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
}

/** The text of the composer. It is not lost if sending fails or the page closes. */
export class ComposerState {
  text = $state("");
  /** Whether a request of the open conversation is being sent. */
  readonly sending = $derived.by(() => this.#sending === this.#opened);

  readonly #chat: ChatState;
  readonly #drafts: Drafts;
  readonly #onProblemElsewhere: ChatOptions["onProblemElsewhere"];
  /** The number of conversations opened so far; a request that is being sent belongs to one of them. */
  #opened = $state(0);
  #sending = $state<number>();
  #newestRun = "";
  #unconfirmed: Unconfirmed | undefined;

  constructor(chat: ChatState, drafts: Drafts, onProblemElsewhere: ChatOptions["onProblemElsewhere"]) {
    this.#chat = chat;
    this.#drafts = drafts;
    this.#onProblemElsewhere = onProblemElsewhere;
  }

  /** Loads the draft of a conversation. What was typed before the first one opened stays, after its draft. */
  open(conversationId: string | undefined): void {
    const early = this.#opened === 0 ? this.text : "";
    this.#opened += 1;
    this.text = this.#drafts.read(conversationId) + early;
  }

  /** Leaves a deleted conversation and moves the text to the next one if that has no draft. */
  moveDraft(leave: () => void): void {
    const typed = this.text;
    leave();
    if (this.text === "") this.text = typed;
  }

  /** Saves the text as the draft of the open conversation. Before one is open, the stored draft is not read yet. */
  saveDraft(): void {
    if (this.#opened === 0) return;
    this.#drafts.write(this.#chat.conversationId, this.text);
  }

  /** Appends file paths to the text. */
  appendPaths(paths: readonly string[]): void {
    if (paths.length > 0) this.text = [this.text.trimEnd(), ...paths].filter(Boolean).join(" ");
  }

  /** Sends the text: as the answer if the last turn asks a question, otherwise as a request. */
  async sendTyped(): Promise<void> {
    const typed = this.text;
    if (typed.trim() === "" || this.sending) return;
    this.text = "";
    await this.send(typed, (text) => this.#chat.sendTyped(text));
  }

  /** Sends the text as a request, and stops the run that asks a question. */
  async sendAsRequest(): Promise<void> {
    const typed = this.text;
    if (typed.trim() === "" || this.sending) return;
    this.text = "";
    await this.#chat.leaveQuestion();
    await this.send(typed);
  }

  /**
   * Applies an update of the latest runs, newest first. If one of them carries out a request to which the server gave no
   * response, its text is removed, so that it is not sent twice. Resolves to the conversation of that run if the request
   * began a new one that is still open.
   */
  async confirm(
    latest: readonly RunStatusSummary[],
    loadGoal: (runId: string) => Promise<string>,
  ): Promise<string | undefined> {
    this.#newestRun = latest[0]?.id ?? this.#newestRun;
    const sent = this.#unconfirmed;
    if (!sent) return undefined;
    for (const run of latest.filter(({ id }) => id > sent.newestRun)) {
      if (sent.conversationId !== undefined && sent.conversationId !== run.conversationId) continue;
      if ((await loadGoal(run.id)).trim() !== sent.request.trim()) continue;
      if (this.#unconfirmed !== sent) return undefined;
      this.#unconfirmed = undefined;
      if (this.#drafts.read(sent.conversationId) === sent.request)
        this.#drafts.write(sent.conversationId, "");
      if (this.#opened !== sent.opened) return undefined;
      if (this.text === sent.request) this.text = "";
      return sent.conversationId === undefined ? run.conversationId : undefined;
    }
    return undefined;
  }

  /**
   * Resolves to whether the server accepted the request. If not, an empty composer receives it; if the person has opened
   * another conversation meanwhile, it becomes the draft of the one it was written in.
   */
  async send(request: string, deliver = async (text: string) => this.#chat.send(text)): Promise<boolean> {
    if (request.trim() === "" || this.sending) return false;
    const opened = this.#opened;
    this.#sending = opened;
    const began = this.#chat.conversationId;
    const newestRun = this.#newestRun;
    this.#unconfirmed = undefined;
    try {
      await deliver(request);
      // The draft of the new conversation was stored without an id.
      if (began === undefined && this.#opened === opened) this.#drafts.write(undefined, "");
      return true;
    } catch (error) {
      const problem = describeError(error);
      if (error instanceof ServerUnreachable)
        this.#unconfirmed = { request, conversationId: began, opened, newestRun };
      if (this.#opened === opened) {
        this.#chat.problem = problem;
        if (this.text === "") this.text = request;
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

/** Uploads files to `inbox/` one by one and shows a notice for each failure. Resolves to the paths of those uploaded. */
export async function uploadFiles(
  app: Pick<App, "attempt" | "background" | "notices">,
  files: Iterable<File>,
): Promise<string[]> {
  const paths: string[] = [];
  for (const file of files) {
    if (file.size > MAX_INBOX_BYTES) {
      app.notices.show(copy.fileTooLarge(file.name, formatBytes(MAX_INBOX_BYTES)), {
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
    app.notices.show(copy.uploaded(paths.join(", ")), {
      variant: "success",
    });
  return paths;
}
