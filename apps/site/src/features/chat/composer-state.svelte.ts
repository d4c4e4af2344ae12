import { describeError } from "../../lib/api/api-problem.ts";
import type { ChatState } from "./chat-state.svelte.ts";
import type { Drafts } from "./drafts.ts";

/** What is being typed, and its way to the server: nothing typed is lost when sending fails or the page goes away. */
export class ComposerState {
  text = $state("");
  sending = $state(false);

  readonly #chat: ChatState;
  readonly #drafts: Drafts;

  constructor(chat: ChatState, drafts: Drafts) {
    this.#chat = chat;
    this.#drafts = drafts;
  }

  /** Shows the draft of the conversation that is opened. */
  turnTo(conversationId: string | undefined): void {
    this.text = this.#drafts.read(conversationId);
  }

  /** Leaves a conversation in which nothing can be sent any more: what is typed goes along where nothing is typed yet. */
  takeAlong(leave: () => void): void {
    const typed = this.text;
    leave();
    if (this.text === "") this.text = typed;
  }

  /** Keeps what is typed with the open conversation. */
  keep(): void {
    this.#drafts.write(this.#chat.conversationId, this.text);
  }

  /** Names files after what is typed, to be asked about. */
  point(paths: readonly string[]): void {
    if (paths.length > 0) this.text = [this.text.trimEnd(), ...paths].filter(Boolean).join(" ");
  }

  /** Sends what is typed; it comes back when the server does not take it. */
  async sendTyped(): Promise<void> {
    const typed = this.text;
    if (typed.trim() === "" || this.sending) return;
    this.text = "";
    if (!(await this.send(typed)) && this.text === "") this.text = typed;
  }

  /** True when the server has taken it. */
  async send(request: string): Promise<boolean> {
    if (request.trim() === "" || this.sending) return false;
    this.sending = true;
    const began = this.#chat.conversationId;
    try {
      await this.#chat.send(request);
      // A conversation that got its id by this request leaves no draft behind under "new".
      if (began === undefined) this.#drafts.write(undefined, "");
      return true;
    } catch (error) {
      this.#chat.problem = describeError(error);
      return false;
    } finally {
      this.sending = false;
    }
  }
}
