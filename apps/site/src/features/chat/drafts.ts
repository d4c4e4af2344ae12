/** Unsent text by profile and conversation. It is kept until it is sent or the person signs out. */
export class Drafts {
  readonly #storage: Storage | undefined;
  readonly #prefix: string;

  /** `storage` is absent during server rendering. */
  constructor(storage: Storage | undefined, username: string) {
    this.#storage = storage;
    this.#prefix = `draft:${username}:`;
  }

  /** `conversationId` is absent for a new conversation. */
  read(conversationId: string | undefined): string {
    return this.#storage?.getItem(this.#key(conversationId)) ?? "";
  }

  /** An empty text deletes the draft. If the storage is full, the draft is not saved. */
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

  clear(): void {
    if (!this.#storage) return;
    const keys = Array.from({ length: this.#storage.length }, (_, index) => this.#storage?.key(index) ?? "");
    for (const key of keys) if (key.startsWith(this.#prefix)) this.#storage.removeItem(key);
  }

  #key(conversationId: string | undefined): string {
    return this.#prefix + (conversationId ?? "new");
  }
}
