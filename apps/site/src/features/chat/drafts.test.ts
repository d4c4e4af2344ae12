import { describe, expect, it } from "vitest";
import { Drafts } from "./drafts.ts";

/** The Web Storage of a browser, in memory, for at most `room` characters. */
class MemoryStorage implements Storage {
  [name: string]: unknown;
  readonly #items = new Map<string, string>();
  readonly #room: number;

  constructor(room = Infinity) {
    this.#room = room;
  }

  get length(): number {
    return this.#items.size;
  }
  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    if (value.length > this.#room) throw new DOMException("full", "QuotaExceededError");
    this.#items.set(key, value);
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
  clear(): void {
    this.#items.clear();
  }
}

describe("Drafts", () => {
  it("stores one text per conversation and one for a new one, separately for each profile", () => {
    const storage = new MemoryStorage();
    const drafts = new Drafts(storage, "ada");
    drafts.write(undefined, "new");
    drafts.write("conv-1", "first");
    expect([drafts.read(undefined), drafts.read("conv-1"), drafts.read("conv-2")]).toEqual([
      "new",
      "first",
      "",
    ]);
    expect(new Drafts(storage, "bob").read("conv-1")).toBe("");
  });

  it("deletes a sent draft, and all drafts of a person at sign-out", () => {
    const storage = new MemoryStorage();
    storage.setItem("observation-mode", "verbatim");
    const drafts = new Drafts(storage, "ada");
    drafts.write("conv-1", "x");
    drafts.write("conv-1", "");
    expect(storage.length).toBe(1);
    drafts.write("conv-2", "y");
    drafts.clear();
    expect([drafts.read("conv-2"), storage.getItem("observation-mode")]).toEqual(["", "verbatim"]);
  });

  it("works when the browser's storage is full", () => {
    const drafts = new Drafts(new MemoryStorage(3), "ada");
    expect(() => drafts.write("conv-1", "too long")).not.toThrow();
  });
});
