import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelsConfig, type ModelRef } from "@metahuman/core/contract/models";
import type { ModelSpec } from "../../../../tests/support/model-server/script.ts";
import { startModelServer, type ModelServer } from "../../../../tests/support/model-server/server.ts";
import { openProvider } from "../open-provider.ts";
import { createRouter } from "../router.ts";
import { followEmbedder, type EmbedderFollower } from "./follow-embedder.ts";

const embeds = (name: string, dimensions: number): ModelSpec => ({
  name,
  abilities: ["embedding"],
  dimensions,
});
const NOMIC = { ...embeds("nomic-embed-text:latest", 24), vectorLength: 3 };
const LIMITS = { firstByteMs: 20_000, silenceMs: 20_000, totalMs: 60_000 };

let server: ModelServer;
let now: number;
let assigned: ModelRef[] | undefined;
let follower: EmbedderFollower;
let warnings: string[];

beforeEach(async () => {
  server = await startModelServer({ models: [NOMIC, embeds("other:latest", 12)] });
  now = 0;
  assigned = undefined;
  warnings = [];
  const config = ModelsConfig.parse({ providers: { ollama: { kind: "ollama", baseUrl: server.url } } });
  follower = followEmbedder({
    router: createRouter({
      config: () => config,
      useSingleModel: () => false,
      open: (id, entry) => openProvider(id, entry, LIMITS, {}),
      now: () => now,
    }),
    assigned: () => assigned,
    onWarning: (message) => warnings.push(message),
  });
});
afterEach(async () => {
  follower.close();
  await server.close();
});

/** Polls again after a minute. */
async function look(): Promise<string | null | undefined> {
  now += 60_000;
  await follower.refresh();
  const current = follower.current();
  return current ? `${current.id} ${String(current.dimensions)}` : current;
}

describe("the embedder of a model server", () => {
  it("is nomic-embed-text if the server has it", async () => {
    expect(await look()).toBe("ollama/nomic-embed-text:latest 24");
    server.models = server.models.filter((model) => model !== NOMIC);
    expect(await look()).toBeNull();
  });

  it("is the first assigned model that its server has, with or without a tag", async () => {
    assigned = ["ollama/other"];
    expect(await look()).toBe("ollama/other:latest 12");
    assigned = ["ollama/gone", "ollama/other"];
    expect(await look()).toBe("ollama/other:latest 12");
    assigned = ["built-in/embedder"];
    expect(await look()).toBeNull();
  });

  it("is waited for while the server of an assigned model is unavailable", async () => {
    assigned = ["ollama/other", "built-in/embedder"];
    await server.stop();
    expect(await look()).toBeUndefined();
    await server.start();
    expect(await look()).toBe("ollama/other:latest 12");
  });

  it("is unknown while its server is unavailable, and notifies when it returns", async () => {
    await server.stop();
    expect(await look()).toBeUndefined();
    await server.start();
    expect(await look()).toBe("ollama/nomic-embed-text:latest 24");
    let changes = 0;
    follower.onChange(() => (changes += 1));
    await server.stop();
    // The found one stays, because its vectors are still valid.
    expect(await look()).toBe("ollama/nomic-embed-text:latest 24");
    expect(changes).toBe(0);
    await server.start();
    await look();
    expect(changes).toBe(1);
  });

  it("returns vectors of length 1 and adds the model's prefixes", async () => {
    await look();
    const embedder = follower.current();
    const [vector] = (await embedder?.embed(["walnut bread"], undefined, "query")) ?? [];
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
    await embedder?.embed(["walnut bread"]);
    const asked = server.requests
      .filter(({ path }) => path === "/api/embed")
      .map(({ body }) => body["input"]);
    expect(asked.slice(1)).toEqual([["search_query: walnut bread"], ["search_document: walnut bread"]]);
  });

  it("reports an unavailable server and rejects vectors of another length", async () => {
    await look();
    const embedder = follower.current();
    server.models = [embeds(NOMIC.name, 48)];
    await expect(embedder?.embed(["x"])).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
    await server.stop();
    await expect(embedder?.embed(["x"])).rejects.toMatchObject({ name: "ModelUnavailableError" });
  });

  it("limits the time to wait for a slow model", async () => {
    const open = Promise.withResolvers<undefined>();
    server.embeddingGate = open.promise;
    expect(await look()).toBeUndefined();
    open.resolve(undefined);
    await expect.poll(look).toBe("ollama/nomic-embed-text:latest 24");
    expect(warnings).toEqual([]);
  });
});
