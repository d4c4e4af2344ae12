import { readFileSync } from "node:fs";
import { z } from "zod";
import type { AnswerEvidence } from "../evidence.ts";

const LabelledAnswer = z.strictObject({
  id: z.string(),
  request: z.string(),
  conversation: z.array(z.strictObject({ role: z.enum(["person", "operator"]), text: z.string() })),
  memories: z.array(z.string()),
  observations: z.array(
    z.strictObject({
      tool: z.string(),
      args: z.record(z.string(), z.unknown()),
      success: z.boolean(),
      outputs: z.record(z.string(), z.unknown()),
    }),
  ),
  answer: z.string(),
  sentences: z.array(
    z.strictObject({
      text: z.string(),
      label: z.enum(["supported", "invented", "general"]),
      why: z.string(),
    }),
  ),
});
export type LabelledAnswer = z.infer<typeof LabelledAnswer>;

const FOLDER = new URL("../../../../../tests/fixtures/answers/", import.meta.url);

/** The answers of one file of `tests/fixtures/answers`. */
export function labelledAnswers(
  file: "own.jsonl" | "blind.jsonl" | "blind2.jsonl" | "blind3.jsonl" | "blind4.jsonl" | "blind5.jsonl",
): LabelledAnswer[] {
  return readFileSync(new URL(file, FOLDER), "utf8")
    .trim()
    .split("\n")
    .map((line) => LabelledAnswer.parse(JSON.parse(line)));
}

type Given = Partial<Pick<LabelledAnswer, "request" | "conversation" | "memories" | "observations">>;

/** Evidence on Sunday, 22 November 2026, at eleven in Berlin. */
export function evidenceOf({
  request = "",
  conversation = [],
  memories = [],
  observations = [],
}: Given): AnswerEvidence {
  const at = "2026-11-22T10:00:00.000Z";
  return {
    request,
    conversation,
    memories,
    scratchpad: observations.map(({ tool, args, success, outputs }, index) => ({
      step: index + 1,
      thought: "",
      action: { tool, args },
      observation: { mode: "structured", content: "", success, outputs },
      timestamp: at,
    })),
    now: new Date(at),
    timeZone: "Europe/Berlin",
  };
}
