import { afterEach, describe, expect, it } from "vitest";
import { startModelServer, type ModelServer } from "../../../tests/support/model-server/server.ts";
import type { ChatFault } from "../../../tests/support/model-server/script.ts";
import type { ModelFailure } from "@metahuman/core/contract/models";
import { ModelError, type TimeLimits } from "./model-error.ts";
import { collectReply, type ChatRequest, type ModelProvider } from "./provider.ts";

const MODEL = "test-model:latest";
/** Longer than any machine needs; only a silent server exceeds it. */
const patient: TimeLimits = { firstByteMs: 20_000, silenceMs: 20_000, totalMs: 60_000 };
const impatient: TimeLimits = { firstByteMs: 300, silenceMs: 300, totalMs: 60_000 };
const ask = (text: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: MODEL,
  messages: [{ role: "user", content: text }],
  ...more,
});
const never = () => new AbortController().signal;

/** Tests the contract of `ModelProvider` against a real server of its protocol. */
export function describeModelProvider(
  protocol: string,
  open: (server: ModelServer, limits: TimeLimits) => ModelProvider,
  more: (open: () => Promise<{ server: ModelServer; provider: ModelProvider }>) => void,
): void {
  const servers: ModelServer[] = [];
  const start = async (limits = patient) => {
    const server = await startModelServer();
    servers.push(server);
    return { server, provider: open(server, limits) };
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  describe(`${protocol} provider`, () => {
    it("streams text in pieces and ends with the tokens the server counted", async () => {
      const { server, provider } = await start();
      server.script([{ say: "The list has three items.", pieces: 5, tokens: { prompt: 41, completion: 6 } }]);
      const seen: string[] = [];
      const reply = await collectReply(provider.chat(ask("how many?"), never()), (text) => seen.push(text));
      expect(reply.text).toBe("The list has three items.");
      expect(seen.length).toBeGreaterThan(2);
      expect(reply.usage).toMatchObject({ promptTokens: 41, completionTokens: 6 });
    });

    it("separates thinking from the answer", async () => {
      const { server, provider } = await start();
      server.script([{ say: "Four.", thinking: "Two and two." }]);
      expect(await collectReply(provider.chat(ask("2+2"), never()))).toMatchObject({
        text: "Four.",
        thinking: "Two and two.",
      });
    });

    it("reports that a reply reached its token limit", async () => {
      const { server, provider } = await start();
      server.script([{ say: "Once upon", finish: "length" }]);
      expect(await collectReply(provider.chat(ask("tell"), never()))).toMatchObject({ finish: "length" });
    });

    it("distinguishes an empty reply from one that reached its limit before the first word", async () => {
      const { server, provider } = await start();
      server.script([{ say: "", thinking: "Hmm", finish: "length" }]);
      expect(await collectReply(provider.chat(ask("tell"), never()))).toMatchObject({
        text: "",
        thinking: "Hmm",
        finish: "length",
      });
    });

    it("requests a reply that matches a schema", async () => {
      const { server, provider } = await start();
      server.script([{ json: { thought: "ok" } }]);
      const format = {
        type: "object",
        properties: { thought: { type: "string" } },
        required: ["thought"],
        additionalProperties: false,
      };
      const reply = await collectReply(provider.chat(ask("plan", { format }), never()));
      expect(JSON.parse(reply.text)).toEqual({ thought: "ok" });
      expect(server.chats()[0]?.format).toEqual(format);
    });

    it("offers tools and returns complete calls", async () => {
      const { server, provider } = await start();
      server.script([{ call: [{ name: "fs_read", args: { path: "notes/today.md" } }] }]);
      const tools = [
        {
          name: "fs_read",
          description: "Read a file",
          parameters: { type: "object", properties: { path: { type: "string" } } },
        },
      ];
      const reply = await collectReply(provider.chat(ask("read it", { tools }), never()));
      expect(reply.finish).toBe("tool-calls");
      expect(reply.toolCalls).toMatchObject([{ name: "fs_read", args: { path: "notes/today.md" } }]);
      expect(server.chats()[0]?.tools).toEqual(["fs_read"]);
    });

    it("embeds a batch in order", async () => {
      const { provider } = await start();
      const [milk, bread, again] = await provider.embed(
        MODEL,
        ["buy milk", "bake bread", "buy milk"],
        never(),
      );
      expect(milk).toHaveLength(768);
      expect(milk).toEqual(again);
      expect(milk).not.toEqual(bread);
    });

    it("lists the models with valid names", async () => {
      const { server, provider } = await start();
      server.models = [...server.models, { name: "with a gap:4b" }];
      expect((await provider.list(never())).map(({ name }) => name)).toEqual([MODEL]);
    });

    const faults: [ChatFault, ModelFailure][] = [
      ["server-error", "server-error"],
      ["model-missing", "model-missing"],
      ["key-refused", "key-refused"],
      ["rate-limited", "rate-limited"],
      ["reset", "unreachable"],
      ["reset-midway", "truncated"],
      ["error-midway", "broke-off"],
      ["truncated", "truncated"],
      ["empty", "empty"],
      ["garbage", "malformed"],
      ["web-page", "malformed"],
      ["silent", "timed-out"],
      ["silent-midway", "timed-out"],
    ];
    it("reports how long a server that limits requests asks to wait", async () => {
      const { server, provider } = await start();
      server.script([{ fault: "rate-limited", retryAfter: "20" }]);
      await expect(collectReply(provider.chat(ask("hello"), never()))).rejects.toMatchObject({
        reason: "rate-limited",
        retryAfterMs: 20_000,
      });
    });

    it.each(faults)("reports the answer %s as %s", async (fault, reason) => {
      const { server, provider } = await start(reason === "timed-out" ? impatient : patient);
      server.script([{ fault }]);
      const failed = await collectReply(provider.chat(ask("hello"), never())).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failed).toBeInstanceOf(ModelError);
      expect(failed).toMatchObject({ reason });
    });

    it("reports an unreachable server", async () => {
      const { server, provider } = await start();
      await server.stop();
      await expect(collectReply(provider.chat(ask("hello"), never()))).rejects.toMatchObject({
        reason: "unreachable",
      });
      await expect(provider.list(never())).rejects.toMatchObject({ reason: "unreachable" });
      await expect(provider.embed(MODEL, ["x"], never())).rejects.toMatchObject({ reason: "unreachable" });
    });

    it("stops with the caller's reason and closes the connection", async () => {
      const { server, provider } = await start();
      server.script([{ fault: "silent-midway" }]);
      const controller = new AbortController();
      const reason = new Error("the person pressed stop");
      const reply = collectReply(provider.chat(ask("a long story"), controller.signal), () => {
        controller.abort(reason);
      });
      await expect(reply).rejects.toBe(reason);
      await expect.poll(() => server.chats()[0]?.aborted).toBe(true);
    });

    it("never includes prompt, reply or key in an error", async () => {
      const { server, provider } = await start();
      server.script([{ fault: "error-midway" }]);
      const failed = await collectReply(provider.chat(ask("SECRET-PROMPT"), never())).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(JSON.stringify(failed instanceof ModelError ? failed.toDetail() : "")).not.toMatch(
        /SECRET-PROMPT|Half of|test-key/,
      );
    });

    more(start);
  });
}
