import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IndexStatus } from "@metahuman/core/contract/http";
import { RecalledMemory } from "@metahuman/core/contract/memory";
import { z } from "zod";
import { mh } from "../support/cli.ts";
import type { ModelSpec } from "../support/model-server/script.ts";
import { chatModel, openModelHarness, PLANS, type ModelHarness } from "../support/model-harness.ts";

// Semantic search moves to a model and then to another, over thousands of memories, while it is used.

const MEMORIES = 2_000;
const NOMIC: ModelSpec = { name: "nomic-embed-text:latest", abilities: ["embedding"], dimensions: 32 };
const OTHER: ModelSpec = { name: "other-embed:latest", abilities: ["embedding"], dimensions: 16 };
const NOMIC_REF = "ollama/nomic-embed-text:latest";
const OTHER_REF = "ollama/other-embed:latest";

const Recalled = z.strictObject({ items: z.array(RecalledMemory) });

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
  for (let next = 0; next < MEMORIES; next += 1_000) {
    const some = Array.from({ length: 1_000 }, (_, index) => ({
      type: "observation",
      content: `walnut harvest ${String(next + index)} in orchard ${String((next + index) % 7)}`,
    }));
    expect((await harness.owner.post("/api/memories", some)).status).toBe(201);
  }
});
afterAll(() => harness.close());

const status = async (): Promise<IndexStatus> =>
  IndexStatus.parse((await harness.owner.get("/api/index")).body);
const recalled = async (query: string): Promise<string[]> =>
  Recalled.parse((await harness.owner.get(`/api/recall?query=${encodeURIComponent(query)}`)).body).items.map(
    ({ memory }) => memory.content,
  );
const untilSearchedWith = (embedder: string) =>
  expect
    .poll(status, { timeout: 120_000, interval: 100 })
    .toMatchObject({ searchedWith: embedder, pending: 0, rebuilding: false, progress: 1 });

/** Blocks the model until the returned function is called, so that the state meanwhile can be tested. */
function hold(): () => void {
  const open = Promise.withResolvers<undefined>();
  harness.models.embeddingGate = open.promise;
  return () => {
    harness.models.embeddingGate = undefined;
    open.resolve(undefined);
  };
}

/** The state in which a model has embedded everything. */
async function settledWithNomic(): Promise<void> {
  await harness.set({ models: [chatModel(PLANS), NOMIC, OTHER] });
  await untilSearchedWith(NOMIC_REF);
}

describe("two thousand memories", () => {
  it("are embedded by a model that becomes available, while searches use the built-in embedder", async () => {
    await harness.set();
    await untilSearchedWith("built-in-2");
    expect((await status()).embedded).toBe(MEMORIES);
    expect(await recalled("walnut harvest 1321")).toContain("walnut harvest 1321 in orchard 5");

    harness.models.models = [chatModel(PLANS), NOMIC];
    expect((await harness.situation()).embedder).toBe(NOMIC_REF);
    let release = hold();
    const seen: number[] = [];
    await expect
      .poll(
        async () => {
          const now = await status();
          if (now.searchedWith === NOMIC_REF) return "done";
          expect(now).toMatchObject({ embedder: NOMIC_REF, searchedWith: "built-in-2", items: MEMORIES });
          seen.push(now.progress);
          // One batch per check at first, so that progress is visible on a fast machine, too.
          release();
          if (seen.length < 4) release = hold();
          expect(await recalled("walnut harvest 1321")).toContain("walnut harvest 1321 in orchard 5");
          return "under way";
        },
        { timeout: 120_000, interval: 20 },
      )
      .toBe("done");
    await untilSearchedWith(NOMIC_REF);
    expect(seen.filter((share) => share > 0 && share < 1).length).toBeGreaterThan(0);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect((await status()).embedded).toBe(MEMORIES);
    expect(await recalled("walnut harvest 1321")).toContain("walnut harvest 1321 in orchard 5");
  });

  it("stay searchable when the embedding model changes: nothing waits, and the old vectors are deleted at the end", async () => {
    await settledWithNomic();
    const { items } = await status();
    const release = hold();
    const assigned = harness.owner.send("PUT", "/api/models/roles", {
      role: "embedder",
      models: [OTHER_REF],
    });
    expect((await assigned).status).toBe(200);
    // Written and found by its words while no model answers.
    expect(
      (await harness.owner.post("/api/memories", { type: "observation", content: "a quince tree" })).status,
    ).toBe(201);
    expect(await recalled("quince")).toEqual(["a quince tree"]);
    release();
    await harness.situation();
    await untilSearchedWith(OTHER_REF);
    expect(await status()).toMatchObject({ items: items + 1, embedded: items + 1 });
    expect(await recalled("quince tree")).toContain("a quince tree");

    const asked = (model: string) =>
      harness.models.requests.filter((request) => request.path === "/api/embed" && request.model === model)
        .length;
    const before = asked(NOMIC.name);
    await harness.owner.send("PUT", "/api/models/roles", { role: "embedder", models: [NOMIC_REF] });
    await untilSearchedWith(NOMIC_REF);
    // Its vectors were removed when the other took over, so all are computed again.
    expect(asked(NOMIC.name) - before).toBeGreaterThan(MEMORIES / 100);
  });

  it("return to the built-in embedder at once when their owner selects it", async () => {
    await settledWithNomic();
    const models = ["built-in/embedder"];
    const { status: code } = await harness.owner.send("PUT", "/api/models/roles", {
      role: "embedder",
      models,
    });
    expect(code).toBe(200);
    expect(await harness.situation()).toMatchObject({ embedder: "built-in-2" });
    expect(await status()).toMatchObject({ embedder: "built-in-2", searchedWith: "built-in-2", pending: 0 });
    expect((await harness.owner.send("PUT", "/api/models/roles", { role: "planner", models })).status).toBe(
      422,
    );
  });

  it("are reported by mh index status, which searches with the same vectors", async () => {
    await settledWithNomic();
    const { items } = await status();
    const { out } = await mh(harness.home, ["index", "status"]);
    expect(out).toContain(`${String(items)} records, ${String(items)} embedded, 0 pending (${NOMIC_REF})`);
    const found = await mh(harness.home, ["recall", "walnut harvest 1321"]);
    expect(found.out).toContain("walnut harvest 1321");
  });

  it("are found while the model's server is unavailable, and embedded when it is back", async () => {
    await settledWithNomic();
    const { items } = await status();
    await harness.models.stop();
    await harness.owner.post("/api/memories", { type: "observation", content: "a medlar hedge" });
    expect(await recalled("medlar")).toEqual(["a medlar hedge"]);
    await expect.poll(status, { timeout: 30_000 }).toMatchObject({ pending: 1, rebuilding: false });
    await harness.models.start();
    await expect
      .poll(
        async () => {
          await harness.situation();
          return status();
        },
        { timeout: 60_000, interval: 250 },
      )
      .toMatchObject({ pending: 0, embedded: items + 1 });
  });
});
