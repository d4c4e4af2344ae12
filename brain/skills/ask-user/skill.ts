import { z } from "zod";
import { defineSkill, WaitForPerson } from "../define-skill.ts";
import { endSentence } from "../support/phrasing.ts";

export const askUser = defineSkill({
  id: "ask_user",
  summary: "Ask the person a question and wait for the answer",
  category: "agent",
  input: z.strictObject({
    question: z.string().trim().min(1).max(2_000),
    options: z
      .array(z.string().trim().min(1).max(200))
      .max(12)
      .default([])
      .describe("Answers to choose from"),
  }),
  output: z.strictObject({ answer: z.string() }),
  effects: "agent",
  risk: "low",
  idempotent: true,
  notes: "Only if no other skill can find the answer.",
  // Only the operator calls this skill, so it has no phrases.
  phrases: [],
  narrate: ({ answer }) => `The person answered: ${endSentence(answer)}`,
  structure: ({ answer }) => `- answer: ${answer}`,
  run: async ({ question, options }) => {
    throw new WaitForPerson(question, options);
  },
});
