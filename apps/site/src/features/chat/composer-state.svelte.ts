import { describeError } from "../../lib/api/api-problem.ts";
import type { ChatState } from "./chat-state.svelte.ts";
import type { Drafts } from "./drafts.ts";
import { MAX_INBOX_BYTES } from "@metahuman/core/contract/limits";
import type { App } from "../shell/app.svelte.ts";
import { formatBytes } from "@metahuman/core/text/format";

/** The text of the composer. It is not lost if sending fails or the page closes. */
export class ComposerState {
  text = $state("");
  sending = $state(false);

  readonly #chat: ChatState;
  readonly #drafts: Drafts;

  constructor(chat: ChatState, drafts: Drafts) {
    this.#chat = chat;
    this.#drafts = drafts;
  }

  /** Loads the draft of a conversation. */
  open(conversationId: string | undefined): void {
    this.text = this.#drafts.read(conversationId);
  }

  /** Leaves a deleted conversation and moves the text to the next one if that has no draft. */
  moveDraft(leave: () => void): void {
    const typed = this.text;
    leave();
    if (this.text === "") this.text = typed;
  }

  /** Saves the text as the draft of the open conversation. */
  saveDraft(): void {
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

  /** Resolves to whether the server accepted the request. If not, an empty composer receives it. */
  async send(request: string, deliver = async (text: string) => this.#chat.send(text)): Promise<boolean> {
    if (request.trim() === "" || this.sending) return false;
    this.sending = true;
    const began = this.#chat.conversationId;
    try {
      await deliver(request);
      // The draft of the new conversation was stored without an id.
      if (began === undefined) this.#drafts.write(undefined, "");
      return true;
    } catch (error) {
      this.#chat.problem = describeError(error);
      if (this.text === "") this.text = request;
      return false;
    } finally {
      this.sending = false;
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
      app.notices.show(`${file.name} is larger than ${formatBytes(MAX_INBOX_BYTES)} and was not uploaded.`, {
        tone: "risk",
      });
      continue;
    }
    await app.attempt(async () => {
      const { path } = await app.background.sendFile(file);
      paths.push(path);
    });
  }
  if (paths.length > 0)
    app.notices.show(`Uploaded ${paths.join(", ")}. When memory has read it, it moves to inbox/processed/.`, {
      tone: "good",
    });
  return paths;
}
