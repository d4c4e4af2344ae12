import { once } from "node:events";
import { createServer } from "node:http";
import { z } from "zod";
import { afterEach, describe, expect, it } from "vitest";
import { ModelsConfig } from "@metahuman/core/contract/models";
import { startModelServer, type ModelServer } from "../../../tests/support/model-server/server.ts";
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

function route(config: unknown, options: { single?: boolean; now?: () => number } = {}) {
  const parsed = ModelsConfig.parse(config);
  return createRouter({
    config: () => parsed,
    useSingleModel: () => options.single ?? false,
    open: (id, entry) =>
      openProvider(id, entry, { firstByteMs: 20_000, silenceMs: 20_000, totalMs: 60_000 }, {}),
    ...(options.now && { now: options.now }),
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

  it("uses the planner's model for every chatting role when one model is wanted", async () => {
    const server = await serve("plans:4b", "speaks:4b");
    const config = {
      providers: { ollama: { kind: "ollama", baseUrl: server.url } },
      roles: { planner: ["ollama/plans:4b"], persona: ["ollama/speaks:4b"] },
    };
    await read(route(config, { single: true }).chat("persona", request, never()));
    expect(server.chats()[0]?.model).toBe("plans:4b");
  });

  it("falls back to the next model when a server cannot serve, and says so", async () => {
    const [first, second] = [await serve("a:4b"), await serve("b:4b")];
    first.script([{ fault: "server-error" }]);
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
      ["two/b:4b", "server-error"],
    ]);
    expect(parts.at(-1)).toMatchObject({ type: "done" });
  });

  it("does not ask another model because an answer was bad", async () => {
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

  it("notices a server that appears later, without being told", async () => {
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

  it("leaves a server that just refused out until it has been asked again", async () => {
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

  it("reserves no more context than the model has", async () => {
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

  it("waits for no server once it is closed", async () => {
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
      problem: "It is not asked any more.",
    });
    silent.closeAllConnections();
    silent.close();
  });

  it("says that no model is connected when there is none", async () => {
    await expect(read(route({ providers: {} }).chat("planner", request, never()))).rejects.toMatchObject({
      code: "MODEL_UNAVAILABLE",
    });
  });
});
