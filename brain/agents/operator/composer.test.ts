import { ModelsConfig } from "@metahuman/core/contract/models";
import { openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import { describe, expect, it } from "vitest";
import { startModelServer } from "../../../tests/support/model-server/server.ts";
import { createModelComposer } from "./composer.ts";

async function composed(reply: string): Promise<string> {
  const server = await startModelServer({ answer: [{ say: reply }] });
  const models = ModelsConfig.parse({ providers: { ollama: { kind: "ollama", baseUrl: server.url } } });
  const router = createRouter({
    config: () => models,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  try {
    return await createModelComposer(router, () => "persona").compose(
      { goal: "Sum it up", context: "Ben waits for the keys." },
      { onModelCall: () => undefined, signal: new AbortController().signal },
    );
  } finally {
    await server.close();
  }
}

describe("a text that a model composes for a step", () => {
  const text = "ben: the keys\ndina: the keys";

  it.each([
    ["as it is", text],
    ["in a fence", `\`\`\`\n${text}\n\`\`\``],
    ["in a fence behind an introduction", `Here is the content:\n\`\`\`markdown\n${text}\n\`\`\``],
    ["behind an introduction", `Sure! Here's a short list of who waits for what:\n\n${text}`],
    ["behind an introduction in German", `Hier ist die Zusammenfassung:\n\n${text}`],
  ])("is the text alone: %s", async (_, reply) => {
    expect(await composed(reply)).toBe(text);
  });

  it("keeps a first line that is a part of it", async () => {
    const list = "Here is what to bring:";
    expect(await composed(list)).toBe(list);
    expect(await composed(`Waiting for the keys:\n\n${text}`)).toBe(`Waiting for the keys:\n\n${text}`);
  });
});
