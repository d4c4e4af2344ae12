import BetterSqlite3 from "better-sqlite3";
import { getLoadablePath } from "sqlite-vec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelUnavailableError } from "../../errors/service-errors.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import { createQueryEmbedding } from "./embeddings.ts";
import {
  createTestProfile,
  found,
  observe,
  type TestProfile,
  USER_ORIGIN,
} from "../testing/open-test-memory.ts";
import { createTestChoice, createTestEmbedder } from "../testing/test-embedder.ts";

let profile: TestProfile;
beforeEach(async () => {
  profile = await createTestProfile();
});
afterEach(() => profile.remove());

/** The embedders with vectors on disk. */
function embeddersKept(): unknown[] {
  const database = new BetterSqlite3(profile.paths.memory.index, { readonly: true });
  database.loadExtension(getLoadablePath());
  try {
    return database.prepare("SELECT id FROM embedders ORDER BY id").pluck().all();
  } finally {
    database.close();
  }
}

async function withWalnuts(count: number, embedder: Embedder | null | undefined) {
  const embedderChoice = createTestChoice(embedder);
  // A reconciliation for the new folder would delay the moment at which the embedder is complete.
  const opened = await profile.open({ embedderChoice, watch: false });
  await opened.memory.addMany(
    Array.from({ length: count }, (_, number) => ({
      type: "observation" as const,
      content: `walnut number ${number}`,
    })),
    USER_ORIGIN,
  );
  return { opened, choice: embedderChoice };
}

describe("a chosen embedder", () => {
  it("answers once it has embedded every memory; the built-in one answers until then", async () => {
    const open = Promise.withResolvers<undefined>();
    const model = Object.assign(createTestEmbedder({ id: "model", dimensions: 48 }), { gate: open.promise });
    const { opened, choice } = await withWalnuts(100, undefined);
    await opened.ready;
    choice.choose(model);
    expect(await opened.index.status()).toMatchObject({
      embedder: "model",
      searchedWith: "test-1",
      rebuilding: true,
      progress: 0,
      pending: 100,
    });
    expect(await found(opened, "walnut 42")).toContain("walnut number 42");
    expect(model.queries).toEqual([]);

    open.resolve(undefined);
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({
      searchedWith: "model",
      rebuilding: false,
      progress: 1,
      embedded: 100,
      pending: 0,
    });
    expect(await found(opened, "walnut 42")).toContain("walnut number 42");
    expect(model.queries).toEqual(["walnut 42"]);
  });

  it("replaces the previous one, whose vectors are then deleted", async () => {
    const { opened, choice } = await withWalnuts(10, createTestEmbedder({ id: "first", dimensions: 32 }));
    await opened.embedded();
    await expect.poll(embeddersKept).toEqual(["first", "test-1"]);
    choice.choose(createTestEmbedder({ id: "second", dimensions: 96 }));
    await expect
      .poll(() => opened.index.status())
      .toMatchObject({ searchedWith: "second", embedded: 10, pending: 0 });
    await expect.poll(embeddersKept).toEqual(["second", "test-1"]);
  });

  it("with other dimensions under the same id starts over", async () => {
    const { opened, choice } = await withWalnuts(10, createTestEmbedder({ id: "model", dimensions: 32 }));
    await opened.embedded();
    choice.choose(createTestEmbedder({ id: "model", dimensions: 64 }));
    await expect.poll(() => opened.index.status()).toMatchObject({ searchedWith: "model", embedded: 10 });
    expect(await found(opened, "walnut 3")).toContain("walnut number 3");
  });

  it("that is not available yet costs nothing: its earlier vectors stay, and new texts wait for it", async () => {
    const model = createTestEmbedder({ id: "model", dimensions: 32 });
    const first = await withWalnuts(3, model);
    await first.opened.embedded();
    await first.opened.close();

    const { opened, choice } = await withWalnuts(2, undefined);
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ embedder: "test-1", embedded: 5 });
    const asked = model.asked;
    choice.choose(model);
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ searchedWith: "model", embedded: 5, pending: 0 });
    expect(model.asked - asked).toBe(2);
  });

  it("that becomes unreachable blocks no search, and catches up when it returns", async () => {
    const model = createTestEmbedder({ id: "model", dimensions: 32 });
    const { opened, choice } = await withWalnuts(3, model);
    await opened.embedded();
    model.away = true;
    await observe(opened, "pears in the attic");
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ pending: 1, rebuilding: false });
    expect(await found(opened, "pears")).toEqual(["pears in the attic"]);
    model.away = false;
    choice.choose(model);
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ pending: 0, embedded: 4 });
  });

  it("that is back while an attempt still fails is asked again at once", async () => {
    const reachable = createTestEmbedder({ id: "model", dimensions: 32 });
    const failing = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    let isAway = false;
    const model: Embedder = {
      ...reachable,
      async embed(...asked) {
        if (!isAway) return reachable.embed(...asked);
        isAway = false;
        begun.resolve(undefined);
        await failing.promise;
        throw new ModelUnavailableError("The embedder is away.");
      },
    };
    const { opened, choice } = await withWalnuts(3, model);
    await opened.embedded();
    isAway = true;
    await observe(opened, "pears in the attic");
    await begun.promise;
    choice.choose(model);
    failing.resolve(undefined);
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ pending: 0, embedded: 4 });
  });

  it("embeds each request once", async () => {
    const model = createTestEmbedder({ id: "model" });
    const { opened } = await withWalnuts(3, model);
    await opened.embedded();
    await Promise.all([found(opened, "walnut 1"), opened.memory.recall({ query: "walnut 1", limit: 2 })]);
    expect(model.queries).toEqual(["walnut 1"]);
  });
});

describe("the vector of a request", () => {
  const slow = () => {
    const open = Promise.withResolvers<undefined>();
    const embedder = Object.assign(createTestEmbedder(), { gate: open.promise });
    const warnings: string[] = [];
    const queries = createQueryEmbedding({
      embedder,
      timeoutMs: 20,
      onWarning: (text) => warnings.push(text),
    });
    return { embedder, queries, warnings, release: () => open.resolve(undefined) };
  };

  it("is skipped if the embedder is slow, and is cached for the next search", async () => {
    const { queries, embedder, warnings, release } = slow();
    expect(await queries.of("walnut")).toBeUndefined();
    expect(await queries.of("another")).toBeUndefined();
    expect(embedder.queries).toEqual(["walnut"]);
    release();
    await expect.poll(() => queries.of("walnut")).toHaveLength(256);
    expect(await queries.of("another")).toHaveLength(256);
    expect(warnings).toEqual(["The embedder test-1 is slow; a request continued without it."]);
  });

  it("is undefined if the embedder fails, and is requested again", async () => {
    const embedder = createTestEmbedder();
    embedder.away = true;
    const queries = createQueryEmbedding({ embedder, onWarning: () => undefined });
    expect(await queries.of("walnut")).toBeUndefined();
    embedder.away = false;
    expect(await queries.of("walnut")).toHaveLength(256);
  });

  it("is aborted with the request", async () => {
    const { queries } = slow();
    const stop = new AbortController();
    const asked = queries.of("walnut", stop.signal);
    stop.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
  });
});
