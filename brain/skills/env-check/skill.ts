import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import * as speech from "./phrases.ts";

export const envCheck = defineSkill({
  id: "env_check",
  summary: "Say whether an environment variable is set, never what it holds",
  category: "system",
  input: z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u)
      .describe("The variable's name, such as OPENAI_API_KEY"),
  }),
  output: z.strictObject({
    set: z.boolean().describe("True when it is there and not empty"),
    name: z.string(),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  ...speech,
  narrate: ({ name, set }) => `${name} is ${set ? "set" : "not set"}.`,
  structure: ({ name, set }) => `- ${name}: ${set ? "set" : "not set"}`,
  run: async ({ name }, { ports }) => ({ set: ports.environment.has(name), name }),
});
