import { expect, it } from "vitest";
import { collectReply } from "../provider.ts";
import { describeModelProvider } from "../provider-suite.ts";
import { createOllamaProvider } from "./ollama-provider.ts";

const open: Parameters<typeof describeModelProvider>[1] = (server, limits) =>
  createOllamaProvider({ id: "ollama", baseUrl: server.url, keepAlive: "5m", limits });

describeModelProvider("ollama", open, (start) => {
  it("reads context length and abilities of a model", async () => {
    const { provider } = await start();
    expect(await provider.show("test-model:latest", new AbortController().signal)).toMatchObject({
      contextTokens: 8_192,
      abilities: ["chat", "tools"],
    });
  });

  it("sends context size, keep-alive, temperature and thinking", async () => {
    const { server, provider } = await start();
    const request = {
      model: "test-model:latest",
      messages: [],
      contextTokens: 4_096,
      temperature: 0.3,
      think: false,
    };
    await collectReply(provider.chat(request, new AbortController().signal));
    expect(server.chats()[0]?.body).toMatchObject({
      keep_alive: "5m",
      think: false,
      options: { num_ctx: 4_096, temperature: 0.3 },
    });
  });

  it.each([
    ["30m", "30m"],
    ["-1", -1],
    ["300", 300],
  ])(
    "sends the keep-alive %j as %j, because Ollama accepts seconds only as a number",
    async (keepAlive, sent) => {
      const { server } = await start();
      const limits = { firstByteMs: 20_000, silenceMs: 20_000, totalMs: 60_000 };
      const provider = createOllamaProvider({ id: "ollama", baseUrl: server.url, keepAlive, limits });
      const request = { model: "test-model:latest", messages: [] };
      await collectReply(provider.chat(request, new AbortController().signal));
      expect(server.chats()[0]?.body["keep_alive"]).toBe(sent);
    },
  );

  it("reports the progress of a download until it is complete", async () => {
    const { server, provider } = await start();
    const fractions: number[] = [];
    for await (const step of provider.pull?.("qwen3:4b", new AbortController().signal) ?? []) {
      if (step.fraction !== undefined) fractions.push(step.fraction);
      server.advancePull();
    }
    expect(fractions).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect((await provider.list(new AbortController().signal)).map(({ name }) => name)).toContain("qwen3:4b");
  });

  it("stops an aborted download, and reports an unknown model", async () => {
    const { server, provider } = await start();
    const controller = new AbortController();
    const steps = async (model: string) => {
      for await (const step of provider.pull?.(model, controller.signal) ?? []) {
        if (step.fraction !== undefined) controller.abort(new Error("enough"));
        server.advancePull();
      }
    };
    await expect(steps("missing-model")).rejects.toMatchObject({ reason: "broke-off" });
    await expect(steps("qwen3:4b")).rejects.toThrow("enough");
    await expect.poll(() => server.requests.at(-1)?.aborted).toBe(true);
  });
});
