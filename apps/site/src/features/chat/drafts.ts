/** What is typed and not sent, kept per profile and conversation until it is sent or the person signs out. */
export class Drafts {
  readonly #storage: Storage | undefined;
  readonly #prefix: string;

  /** `storage` is absent while the page is drawn on the server. */
  constructor(storage: Storage | undefined, username: string) {
    this.#storage = storage;
    this.#prefix = `draft:${username}:`;
  }

  /** `conversationId` is absent for a conversation that has not begun. */
  read(conversationId: string | undefined): string {
    return this.#storage?.getItem(this.#key(conversationId)) ?? "";
  }

  /** An empty text forgets the draft. A full storage loses only the keeping, never the typing. */
  write(conversationId: string | undefined, text: string): void {
    const key = this.#key(conversationId);
    if (text === "") {
      this.#storage?.removeItem(key);
      return;
    }
    try {
      this.#storage?.setItem(key, text);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }

  forgetAll(): void {
    if (!this.#storage) return;
    const keys = Array.from({ length: this.#storage.length }, (_, index) => this.#storage?.key(index) ?? "");
    for (const key of keys) if (key.startsWith(this.#prefix)) this.#storage.removeItem(key);
  }

  #key(conversationId: string | undefined): string {
    return this.#prefix + (conversationId ?? "new");
  }
}
