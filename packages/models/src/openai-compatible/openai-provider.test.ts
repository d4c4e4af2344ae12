import { expect, it } from "vitest";
import { collectReply } from "../provider.ts";
import { describeModelProvider } from "../provider-suite.ts";
import { createOpenAiProvider } from "./openai-provider.ts";

const open: Parameters<typeof describeModelProvider>[1] = (server, limits) =>
  createOpenAiProvider({ id: "lab", baseUrl: server.openAiUrl, apiKey: "test-key", limits });

describeModelProvider("openai-compatible", open, (start) => {
  it("sends the key of its options, never one of the environment", async () => {
    const { server, provider } = await start();
    await collectReply(
      provider.chat({ model: "test-model:latest", messages: [] }, new AbortController().signal),
    );
    expect(server.chats()[0]?.headers["authorization"]).toBe("Bearer test-key");
  });

  it("reports a missing model if the server does not list it", async () => {
    const { provider } = await start();
    await expect(provider.show("other", new AbortController().signal)).rejects.toMatchObject({
      reason: "model-missing",
    });
  });

  it.each([
    ["malformed", undefined],
    ["cut-off", "length"],
  ] as const)("reports that a call's arguments are %s, and returns the other calls", async (kind, finish) => {
    const { server, provider } = await start();
    server.script([
      {
        call: [
          { name: "fs_read", args: { path: "a.md" } },
          { name: "fs_write", args: {}, rawArgs: '{"path": "a.md", "content": "Onc' },
        ],
        ...(finish && { finish }),
      },
    ]);
    const { toolCalls } = await collectReply(
      provider.chat({ model: "test-model:latest", messages: [] }, new AbortController().signal),
    );
    expect(toolCalls).toMatchObject([
      { name: "fs_read", args: { path: "a.md" } },
      { name: "fs_write", args: {}, problem: { kind } },
    ]);
    expect(toolCalls[0]).not.toHaveProperty("problem");
  });

  it("links the result of a tool to its call", async () => {
    const { server, provider } = await start();
    const call = { id: "call_7", name: "fs_read", args: { path: "a.md" } };
    await collectReply(
      provider.chat(
        {
          model: "test-model:latest",
          messages: [
            { role: "assistant", content: "", toolCalls: [call] },
            { role: "tool", content: "text", callId: "call_7", name: "fs_read" },
          ],
        },
        new AbortController().signal,
      ),
    );
    expect(server.chats()[0]?.body["messages"]).toMatchObject([
      { tool_calls: [{ id: "call_7", function: { arguments: '{"path":"a.md"}' } }] },
      { role: "tool", tool_call_id: "call_7" },
    ]);
  });
});
