import type { AskOptions } from "@metahuman/models/ask";
import { openPrompts } from "@metahuman/models/prompts";
import { askForJson } from "@metahuman/models/structured-reply";
import type { ModelRouter } from "@metahuman/models/router";
import type { z } from "zod";

export interface CuratorCallOptions extends Pick<AskOptions, "signal" | "onModelCall"> {
  router: ModelRouter;
}

const prompt = openPrompts(new URL("./prompts/", import.meta.url), [
  "word-draft",
  "repair-function",
  "correct-function",
]);

/** Some freedom in the wording, none in the facts. */
const TEMPERATURE = 0.3;
const REPLY_TOKENS = 800;

/**
 * Asks the model of role `curator` for JSON of a shape. `undefined` without a model, or for a reply of another shape.
 */
export async function askCurator<Shape extends z.ZodType>(
  shape: Shape,
  { prompt: name, user }: { prompt: Parameters<typeof prompt>[0]; user: string },
  { router, ...options }: CuratorCallOptions,
): Promise<z.output<Shape> | undefined> {
  if ((await router.modelsFor("curator")).models.length === 0) return undefined;
  const reply = await askForJson(
    shape,
    {
      messages: [
        { role: "system", content: prompt(name) },
        { role: "user", content: user },
      ],
      temperature: TEMPERATURE,
      maxTokens: REPLY_TOKENS,
    },
    { ...options, router, role: "curator", purpose: "learn" },
  );
  return reply.ok ? reply.value : undefined;
}
