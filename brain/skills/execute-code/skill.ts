import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { count, glimpse } from "../support/wording.ts";
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
  notes: "Computes only: no files, network, skills or imports; 5 s, 64 MB.",
  ...speech,
  narrate: ({ result, logs }) => {
    const said = logs.length > 0 ? `, and said ${count(logs.length, "line")}` : "";
    return `The code returned ${glimpse(JSON.stringify(result))}${said}.`;
  },
  structure: ({ result, logs }) =>
    [
      "```json",
      JSON.stringify(result, undefined, 2),
      "```",
      ...(logs.length > 0 ? ["", "```text", ...logs, "```"] : []),
    ].join("\n"),
  run: async ({ code, parameters }, { ports, signal }) => ports.code.execute(code, parameters, signal),
});
