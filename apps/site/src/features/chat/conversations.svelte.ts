import type { Conversation } from "@metahuman/core/contract/conversation";
import type { Api } from "../shell/api.ts";
import { PagedList } from "../../lib/ui/paged-list.svelte.ts";

/** The list of conversations, newest first. */
export class Conversations extends PagedList<Conversation> {
  /** What is asked about one of them, until it is answered. */
  asked = $state.raw<{ about: "name" | "removal"; one: Conversation }>();
  readonly #api: Api;

  constructor(api: Api) {
    super((query) => api.conversations(query));
    this.#api = api;
  }

  async rename(id: string, title: string): Promise<void> {
    this.replace(await this.#api.renameConversation(id, title));
  }

  async remove(id: string): Promise<void> {
    await this.#api.deleteConversation(id);
    this.drop(id);
  }
}
