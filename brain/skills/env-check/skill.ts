import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = [
  "is the (environment|env) (variable|var) [called|named] {name} (set|defined|there)",
  "(check|see|tell me) [whether|if|that] the (environment|env) (variable|var) [called|named] {name} [is] [set|defined|there]",
  "is {name} (set|defined) in [the|my] (environment|env)",
  "do I have an (environment|env) (variable|var) [called|named] {name}",
];

const slots: Record<string, SlotType | Slot> = { name: { type: "text", sample: "PATH" } };

export const envCheck = defineSkill({
  id: "env_check",
  summary: "Check whether an environment variable is set, without showing its value",
  category: "system",
  input: z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u)
      .describe("The variable's name, such as OPENAI_API_KEY"),
  }),
  output: z.strictObject({
    set: z.boolean().describe("True if it is set and not empty"),
    name: z.string(),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  narrate: ({ name, set }) => `${name} is ${set ? "set" : "not set"}.`,
  structure: ({ name, set }) => `- ${name}: ${set ? "set" : "not set"}`,
  run: async ({ name }, { ports }) => ({ set: ports.environment.has(name), name }),
});
