import { ModelsConfig } from "@metahuman/core/contract/models";
import type { ModelCall } from "@metahuman/models/ask";
import { openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { startModelServer, type ModelServer } from "../../../tests/support/model-server/server.ts";
import type { ChatScript } from "../../../tests/support/model-server/script.ts";
import { askCurator } from "./ask-curator.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function askTwo(first: ChatScript[], second: ChatScript[]) {
  const [one, two] = await Promise.all([first, second].map((answer) => startModelServer({ answer })));
  if (!one || !two) throw new Error("two model servers were to start");
  servers.push(one, two);
  const config = ModelsConfig.parse({
    providers: {
      one: { kind: "openai-compatible", baseUrl: one.openAiUrl },
      two: { kind: "ollama", baseUrl: two.url },
    },
    roles: { curator: ["one/test-model:latest", "two/test-model:latest"] },
  });
  const router = createRouter({
    config: () => config,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  const calls: ModelCall[] = [];
  const answer = await askCurator(
    z.object({ title: z.string() }),
    { prompt: "word-draft", user: "A list was made." },
    { router, signal: new AbortController().signal, onModelCall: (call) => calls.push(call) },
  );
  return { answer, calls };
}

it("reads the second model's words alone when the first breaks off", async () => {
  const { answer } = await askTwo(
    [{ fault: "error-midway", half: '{"title": "Half a' }],
    [{ json: { title: "Make a list" } }],
  );
  expect(answer).toEqual({ title: "Make a list" });
});

it("counts every call, the failed one included", async () => {
  const { calls } = await askTwo(
    [{ fault: "key-refused" }],
    [{ json: { title: "Make a list" }, tokens: { prompt: 50, completion: 9 } }],
  );
  expect(calls).toMatchObject([
    { role: "curator", model: "one/test-model:latest", error: { code: "MODEL_UNAVAILABLE" } },
    { role: "curator", model: "two/test-model:latest", promptTokens: 50, completionTokens: 9 },
  ]);
});
