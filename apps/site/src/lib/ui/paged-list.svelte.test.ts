import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PagedList, type PageQuery } from "./paged-list.svelte.ts";

function numbered(from: number, to: number): { id: string }[] {
  return Array.from({ length: to - from }, (_, index) => ({ id: String(from + index) }));
}

describe("PagedList", () => {
  it("appends pages until there are no more", async () => {
    const list = new PagedList(async ({ cursor }: PageQuery) => ({
      items: cursor === undefined ? numbered(0, 2) : numbered(2, 3),
      nextCursor: cursor === undefined ? "2" : null,
      total: 3,
    }));
    await list.load();
    expect(list.hasMore).toBe(true);
    await list.loadMore();
    expect(list.items.map(({ id }) => id)).toEqual(["0", "1", "2"]);
    expect(list.hasMore).toBe(false);
    await list.loadMore();
    expect(list.items).toHaveLength(3);
  });

  it("is not loaded while a later request for the first page is pending", async () => {
    type Numbers = { items: { id: string }[]; nextCursor: null; total: number };
    const replies: ((page: Numbers) => void)[] = [];
    const list = new PagedList(() => new Promise<Numbers>((resolve) => replies.push(resolve)));
    const [first, second] = [list.refresh(), list.refresh()];
    const settled: string[] = [];
    const noted = first.then(() => settled.push("first"));
    replies[0]?.({ items: numbered(0, 1), nextCursor: null, total: 1 });
    await setImmediate();
    expect([list.loaded, settled]).toEqual([false, []]);
    replies[1]?.({ items: numbered(0, 2), nextCursor: null, total: 2 });
    await Promise.all([second, noted]);
    expect([list.loaded, list.items.length]).toEqual([true, 2]);
  });

  it("keeps the later pages when the beginning is loaded again, with new, removed and moved items", async () => {
    let all = numbered(0, 450);
    const list = new PagedList(async ({ cursor, limit }: PageQuery) => {
      const from = Number(cursor ?? 0);
      const items = all.slice(from, from + limit);
      return {
        items,
        nextCursor: from + limit < all.length ? String(from + limit) : null,
        total: all.length,
      };
    });
    await list.load();
    while (list.items.length < 350) await list.loadMore();
    const deep = list.items.slice(250);
    all = [{ id: "new" }, { id: "300" }, ...all.filter(({ id }) => id !== "7" && id !== "300")];
    await list.refresh();
    expect(list.items.slice(0, 3).map(({ id }) => id)).toEqual(["new", "300", "0"]);
    expect(list.items).not.toContainEqual({ id: "7" });
    expect(list.items.slice(-100 + 1)).toEqual(deep.filter(({ id }) => id !== "300"));
    expect(new Set(list.items.map(({ id }) => id)).size).toBe(list.items.length);
    expect(list.hasMore).toBe(true);
  });

  it("shows the response to the newest request, in whatever order responses arrive", async () => {
    const answers = new Map<string | undefined, PromiseWithResolvers<string>>();
    const list = new PagedList(async ({ query }: PageQuery) => {
      const answer = Promise.withResolvers<string>();
      answers.set(query, answer);
      return { items: [{ id: await answer.promise }], nextCursor: null, total: 1 };
    });
    const slow = list.search("first");
    const quick = list.search("second");
    answers.get("second")?.resolve("right");
    answers.get("first")?.resolve("overtaken");
    await Promise.all([slow, quick]);
    expect(list.items).toEqual([{ id: "right" }]);
  });

  it("keeps its items when loading fails, and shows the problem", async () => {
    let works = true;
    const list = new PagedList(async () => {
      if (!works) throw new Error("away");
      return { items: numbered(0, 1), nextCursor: null, total: 1 };
    });
    await list.load();
    works = false;
    await list.load();
    expect(list.items).toHaveLength(1);
    expect(list.problem?.suggestions).not.toHaveLength(0);
    works = true;
    await list.load();
    expect(list.problem).toBeUndefined();
  });
});
