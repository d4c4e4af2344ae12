import { ModelsConfig } from "@metahuman/core/contract/models";
import { onTestFinished } from "vitest";
import { startModelServer } from "../../../../tests/support/model-server/server.ts";
import type { Answer, ChatScript } from "../../../../tests/support/model-server/script.ts";
import type { AskOptions, ModelCall } from "../ask.ts";
import { openProvider } from "../open-provider.ts";
import { createRouter } from "../router.ts";
import type { TimeLimits } from "../model-error.ts";

/** Starts one server per script, asked in this order. All but the last are OpenAI-compatible. */
export const openAskFixture = (...scripts: (Answer | ChatScript[])[]) => openAskFixtureWith({}, ...scripts);

/** As `openAskFixture`, with other time limits. */
export async function openAskFixtureWith(
  otherLimits: Partial<TimeLimits>,
  ...scripts: (Answer | ChatScript[])[]
) {
  const started = await Promise.all(scripts.map((answer) => startModelServer({ answer })));
  onTestFinished(async () => {
    await Promise.all(started.map((server) => server.close()));
  });
  const config = ModelsConfig.parse({
    providers: Object.fromEntries(
      started.map(({ url, openAiUrl }, index) => [
        `server-${index}`,
        index < started.length - 1
          ? { kind: "openai-compatible", baseUrl: openAiUrl }
          : { kind: "ollama", baseUrl: url },
      ]),
    ),
    roles: { planner: started.map((_, index) => `server-${index}/test-model:latest`) },
  });
  const router = createRouter({
    config: () => config,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, { ...limits, ...otherLimits }, {}),
  });
  const calls: ModelCall[] = [];
  const warnings: string[] = [];
  const streamed: [string, number][] = [];
  const options: AskOptions = {
    router,
    role: "planner",
    purpose: "plan",
    signal: new AbortController().signal,
    onModelCall: (call) => calls.push(call),
    onWarning: (message) => warnings.push(message),
    onText: (text, offset) => streamed.push([text, offset]),
  };
  /** The text that a reader of the stream sees. */
  const seen = () => streamed.reduce((text, [piece, offset]) => text.slice(0, offset) + piece, "");
  return { servers: started, options, calls, warnings, streamed, seen };
}
