import { once } from "node:events";
import { createServer } from "node:http";
import { z } from "zod";
import { afterEach, describe, expect, it } from "vitest";
import { ModelsConfig, type ThinkSetting } from "@metahuman/core/contract/models";
import type { ModelSpec } from "../../../tests/support/model-server/script.ts";
import { startModelServer, type ModelServer } from "../../../tests/support/model-server/server.ts";
import { createModelError } from "./model-error.ts";
import { openProvider } from "./open-provider.ts";
import { createRouter, type RoutedPart } from "./router.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(...names: string[]): Promise<ModelServer> {
  const server = await startModelServer({
    models: names.map((name) => ({ name, abilities: ["completion", "tools"], contextTokens: 4_096 })),
  });
  servers.push(server);
  return server;
}

function route(
  config: unknown,
  options: { single?: boolean; now?: () => number; think?: ThinkSetting } = {},
) {
  const parsed = ModelsConfig.parse(config);
  return createRouter({
    config: () => parsed,
    useSingleModel: () => options.single ?? false,
    open: (id, entry) =>
      openProvider(id, entry, { firstByteMs: 20_000, silenceMs: 20_000, totalMs: 60_000 }, {}),
    ...(options.now && { now: options.now }),
    think: () => options.think ?? "off",
  });
}

const request = { messages: [{ role: "user" as const, content: "hello" }] };
async function read(parts: AsyncIterable<RoutedPart>): Promise<RoutedPart[]> {
  const all: RoutedPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}
const never = () => new AbortController().signal;

describe("the model router", () => {
  it("sends each role to its own model", async () => {
    const server = await serve("plans:4b", "speaks:4b");
    const router = route({
      providers: { ollama: { kind: "ollama", baseUrl: server.url } },
      roles: { planner: ["ollama/plans:4b"], persona: ["ollama/speaks:4b"] },
    });
    await read(router.chat("planner", request, never()));
    await read(router.chat("persona", request, never()));
    expect(server.chats().map(({ model }) => model)).toEqual(["plans:4b", "speaks:4b"]);
  });

  it("uses the planner's model for every chat role with useSingleModel", async () => {
    const server = await serve("plans:4b", "speaks:4b");
    const config = {
      providers: { ollama: { kind: "ollama", baseUrl: server.url } },
      roles: { planner: ["ollama/plans:4b"], persona: ["ollama/speaks:4b"] },
    };
    await read(route(config, { single: true }).chat("persona", request, never()));
    expect(server.chats()[0]?.model).toBe("plans:4b");
  });

  it("falls back to the next model when a server fails, and reports it", async () => {
    const [first, second] = [await serve("a:4b"), await serve("b:4b")];
    first.script([{ fault: "key-refused" }]);
    const router = route({
      providers: {
        one: { kind: "ollama", baseUrl: first.url },
        two: { kind: "openai-compatible", baseUrl: second.openAiUrl },
      },
      roles: { planner: ["one/a:4b", "two/b:4b"] },
    });
    const parts = await read(router.chat("planner", request, never()));
    expect(
      parts.filter((part) => part.type === "model").map(({ ref, after }) => [ref, after?.reason]),
    ).toEqual([
      ["one/a:4b", undefined],
      ["two/b:4b", "key-refused"],
    ]);
    expect(parts.at(-1)).toMatchObject({ type: "done" });
  });

  it("does not fall back because of a bad answer", async () => {
    const [first, second] = [await serve("a:4b"), await serve("b:4b")];
    first.script([{ fault: "empty" }]);
    const router = route({
      providers: {
        one: { kind: "ollama", baseUrl: first.url },
        two: { kind: "ollama", baseUrl: second.url },
      },
      roles: { planner: ["one/a:4b", "two/b:4b"] },
    });
    await expect(read(router.chat("planner", request, never()))).rejects.toMatchObject({ reason: "empty" });
    expect(second.chats()).toHaveLength(0);
  });

  it("detects a server that appears later", async () => {
    const server = await serve("late:4b");
    await server.stop();
    let clock = 0;
    const router = route(
      { providers: { ollama: { kind: "ollama", baseUrl: server.url } } },
      { now: () => clock },
    );
    expect((await router.modelsFor("planner")).models).toEqual([]);
    await server.start();
    clock = 60_000;
    expect((await router.modelsFor("planner")).models).toEqual(["ollama/late:4b"]);
  });

  it("detects within 8 seconds that an unused server stopped", async () => {
    const server = await serve("gone:4b");
    let clock = 0;
    const router = route(
      { providers: { ollama: { kind: "ollama", baseUrl: server.url } } },
      { now: () => clock },
    );
    expect((await router.modelsFor("planner")).models).toEqual(["ollama/gone:4b"]);
    await server.stop();
    clock = 8_000;
    expect((await router.modelsFor("planner")).models).toEqual([]);
  });

  it("skips a server that just failed until its next health check", async () => {
    const server = await serve("a:4b");
    const router = route(
      { providers: { ollama: { kind: "ollama", baseUrl: server.url } } },
      { now: () => 0 },
    );
    expect((await router.modelsFor("planner")).models).toEqual(["ollama/a:4b"]);
    await server.stop();
    await expect(read(router.chat("planner", request, never()))).rejects.toMatchObject({
      reason: "unreachable",
    });
    expect((await router.servers())[0]?.health).toMatchObject({ reachable: false });
  });

  it("requests at most the context of the model", async () => {
    const server = await serve("a:4b");
    await read(
      route({ providers: { ollama: { kind: "ollama", baseUrl: server.url } } }).chat(
        "planner",
        request,
        never(),
      ),
    );
    expect(server.chats()[0]?.body).toMatchObject({ options: { num_ctx: 4_096 } });
  });

  it("limits a reply to the part of the context that the prompt does not use", async () => {
    const server = await serve("a:4b");
    const router = route({ providers: { ollama: { kind: "ollama", baseUrl: server.url } } });
    const content = "x".repeat(7_000);
    await read(router.chat("planner", { messages: [{ role: "user", content }] }, never()));
    // 7,000 characters count as 2,000 tokens, and 4 more for the message itself.
    expect(server.chats()[0]?.body).toMatchObject({ options: { num_predict: 4_096 - 2_004 } });
  });

  it("never exceeds that limit, whatever the request sets", async () => {
    const server = await serve("a:4b");
    const router = route({ providers: { ollama: { kind: "ollama", baseUrl: server.url } } });
    await read(router.chat("planner", { ...request, maxTokens: 100_000 }, never()));
    expect(server.chats()[0]?.body).toMatchObject({ options: { num_predict: 4_096 - 6 } });
  });

  it("sets no limit for a server that manages its context", async () => {
    const server = await serve("a:4b");
    const lab = { kind: "openai-compatible", baseUrl: server.openAiUrl };
    await read(route({ providers: { lab } }).chat("planner", request, never()));
    expect(server.chats()[0]?.body).not.toHaveProperty("max_tokens");
  });

  describe("a reasoning model", () => {
    const thinker = async (think: ThinkSetting | undefined, abilities: ModelSpec["abilities"]) => {
      const server = await serve();
      server.models = [{ name: "a:4b", abilities: abilities ?? [], contextTokens: 16_384 }];
      const config = { providers: { ollama: { kind: "ollama", baseUrl: server.url } } };
      return { server, router: route(config, think ? { think } : {}) };
    };
    const THINKS: ModelSpec["abilities"] = ["completion", "thinking"];

    it.each([
      ["off", false],
      ["on", true],
      ["auto", undefined],
    ] as const)("receives the thinking setting %s", async (setting, sent) => {
      const { server, router } = await thinker(setting, THINKS);
      await read(router.chat("planner", request, never()));
      expect(server.chats()[0]?.body["think"]).toBe(sent);
    });

    it("prefers the request's setting", async () => {
      const { server, router } = await thinker("off", THINKS);
      await read(router.chat("planner", { ...request, think: "on" }, never()));
      expect(server.chats()[0]?.body["think"]).toBe(true);
    });

    it("gets tokens for thinking in addition to the limit", async () => {
      const { server, router } = await thinker("on", THINKS);
      await read(router.chat("planner", { ...request, maxTokens: 100 }, never()));
      await read(router.chat("planner", { ...request, maxTokens: 100, think: "off" }, never()));
      expect(server.chats().map(({ body }) => body["options"])).toMatchObject([
        { num_predict: 4_196 },
        { num_predict: 100 },
      ]);
    });

    it("gets these tokens after it was seen thinking, if its server does not report it", async () => {
      const { server, router } = await thinker("auto", ["completion"]);
      server.script([{ say: "Four.", thinking: "Two and two." }]);
      for (let time = 0; time < 2; time += 1)
        await read(router.chat("planner", { ...request, maxTokens: 100 }, never()));
      expect(server.chats().map(({ body }) => body["options"])).toMatchObject([
        { num_predict: 100 },
        { num_predict: 4_196 },
      ]);
    });
  });

  it.each(["off", "on"] as const)("sends no thinking flag %s to a model without support", async (think) => {
    const server = await serve("a:4b");
    const router = route({ providers: { ollama: { kind: "ollama", baseUrl: server.url } } }, { think });
    await read(router.chat("planner", request, never()));
    expect(server.chats()[0]?.body).not.toHaveProperty("think");
  });

  it("does not wait for servers after it is closed", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = z.object({ port: z.int() }).parse(silent.address());
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    const router = route({ providers: { ollama: { kind: "ollama", baseUrl } } });
    const asked = router.servers();
    await once(silent, "request");
    router.close();
    expect((await asked)[0]?.health).toMatchObject({
      reachable: false,
      problem: "The server is no longer checked.",
    });
    silent.closeAllConnections();
    silent.close();
  });

  it("reports that no model is connected", async () => {
    await expect(read(route({ providers: {} }).chat("planner", request, never()))).rejects.toMatchObject({
      code: "MODEL_UNAVAILABLE",
    });
  });
});

it.each([
  ["ECONNRESET", true],
  ["EPIPE", true],
  ["ECONNREFUSED", false],
])("a call that ends with %s before an answer is made again: %s", (code, isMomentary) => {
  const cause = new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
  const subject = { provider: "ollama", address: "http://localhost:11434" };
  expect(createModelError("unreachable", subject, { cause }).isMomentary).toBe(isMomentary);
});
