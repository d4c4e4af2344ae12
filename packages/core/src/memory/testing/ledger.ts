import { z } from "zod";
import type { OpenedMemory } from "../open-memory.ts";

/** A change of one memory, begun or acknowledged. */
export const Change = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("written"), id: z.string(), content: z.string(), done: z.boolean() }),
  z.strictObject({ kind: z.literal("archived"), id: z.string(), done: z.boolean() }),
  z.strictObject({ kind: z.literal("restored"), id: z.string(), done: z.boolean() }),
]);
export type Change = z.infer<typeof Change>;

interface Account {
  content: string;
  isArchived: boolean;
}

/**
 * What must be true after a process was killed: every acknowledged change is complete, and a change that was begun is
 * complete or undone.
 */
export class Ledger {
  readonly #certain = new Map<string, Account>();
  readonly #begun = new Map<string, Account>();

  /** Lines of `change-memories.ts`. */
  note(lines: readonly string[]): void {
    // A change that the last process began without reporting its end is complete or undone by now.
    for (const line of lines) {
      const change = Change.parse(JSON.parse(line));
      const before = this.#certain.get(change.id) ?? { content: "", isArchived: false };
      const after: Account = {
        content: change.kind === "written" ? change.content : before.content,
        isArchived: change.kind === "archived",
      };
      if (!change.done) {
        this.#begun.set(change.id, after);
        continue;
      }
      this.#begun.delete(change.id);
      this.#certain.set(change.id, after);
    }
  }

  get size(): number {
    return this.#certain.size;
  }

  /** Every violation as a sentence; a change that was begun counts as what is found. */
  async check({ memory, index }: OpenedMemory): Promise<string[]> {
    const problems: string[] = [];
    const archived = new Set((await memory.archived()).map(({ id }) => id));
    for (const [id, certain] of this.#certain) {
      const found: Account | undefined = archived.has(id)
        ? { content: certain.content, isArchived: true }
        : await memory.get(id).then(
            ({ content }) => ({ content, isArchived: false }),
            () => undefined,
          );
      const possible = [certain, ...(this.#begun.has(id) ? [this.#begun.get(id)] : [])];
      const fits = possible.find(
        (one) => found && one?.isArchived === found.isArchived && one.content === found.content,
      );
      if (fits) this.#certain.set(id, fits);
      else problems.push(`${id} is ${JSON.stringify(found)}, not ${JSON.stringify(possible)}`);
    }
    this.#begun.clear();
    const { quarantined, items } = await index.status();
    problems.push(...quarantined.map(({ path, reason }) => `${path}: ${reason}`));
    const { total } = await memory.list({ limit: 1 });
    if (total !== items) problems.push(`the index lists ${total} of ${items}`);
    return problems;
  }
}
