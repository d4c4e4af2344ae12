import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { returnedBlocks, returnedWords } from "../support/code-outcome.ts";
import * as speech from "./phrases.ts";

export const executeCode = defineSkill({
  id: "execute_code",
  summary: "Compute something with one-off TypeScript",
  category: "functions",
  input: z.strictObject({
    code: z
      .string()
      .min(1)
      .max(100_000)
      .describe(
        "Statements, the last expression or a return being the result; or a module that exports main",
      ),
    parameters: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("Values that the code finds under this name"),
  }),
  output: z.strictObject({
    result: z.unknown().describe("JSON; null when the code returned nothing"),
    logs: z.array(z.string()).describe("What it said with console"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  timeoutMs: 60_000,
  notes: "Computes only: no files, network, skills or imports; seconds, 64 MB.",
  ...speech,
  narrate: (outcome) => returnedWords("The code", outcome),
  structure: returnedBlocks,
  run: async ({ code, parameters }, { ports, signal }) => ports.code.execute(code, parameters, signal),
});
