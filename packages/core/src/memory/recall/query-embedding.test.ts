import { describe, expect, it } from "vitest";
import { createQueryEmbedding } from "./query-embedding.ts";
import { createTestEmbedder } from "../testing/test-embedder.ts";

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
