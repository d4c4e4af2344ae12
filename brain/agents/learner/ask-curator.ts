import { parseJson } from "@metahuman/core/contract/parse-json";
import { addPart, emptyReply } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { z } from "zod";

export interface Curating {
  router: ModelRouter;
  signal: AbortSignal;
}

/** Some freedom in the wording, none in the facts (design 5.4). */
const TEMPERATURE = 0.3;
const REPLY_TOKENS = 800;

/** Asks the curator role for JSON of a shape. `undefined` when there is no model, or its reply is not of that shape. */
export async function askCurator<Shape extends z.ZodType>(
  shape: Shape,
  prompt: { system: string; user: string },
  { router, signal }: Curating,
): Promise<z.output<Shape> | undefined> {
  if ((await router.modelsFor("curator")).models.length === 0) return undefined;
  const messages = [
    { role: "system" as const, content: prompt.system },
    { role: "user" as const, content: prompt.user },
  ];
  const reply = emptyReply();
  const request = {
    messages,
    format: z.toJSONSchema(shape, { io: "input" }),
    temperature: TEMPERATURE,
    maxTokens: REPLY_TOKENS,
  };
  for await (const part of router.chat("curator", request, signal))
    if (part.type !== "model") addPart(reply, part);
  const json = /\{[\s\S]*\}/.exec(reply.text)?.[0] ?? "";
  return shape.safeParse(parseJson(json)).data;
}
