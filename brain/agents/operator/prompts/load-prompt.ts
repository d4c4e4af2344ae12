import { openPrompts } from "@metahuman/models/prompts";

/** A prompt of the operator, from the Markdown file of its name, with `{{slots}}` filled. */
export const prompt = openPrompts(new URL("./", import.meta.url), [
  "planner",
  "planner-tools",
  "answer",
  "review",
  "check-sentences",
  "conversation",
  "conversation-summary",
  "conversation-title",
  "summary",
  "compose",
  "cut-off",
  "choose",
]);
