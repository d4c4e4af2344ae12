import { openPrompts, type PromptVariables } from "@metahuman/models/prompts";

/** What a model may say about MetaHuman OS itself; it knows no more of it. */
export const ABOUT_PRODUCT =
  "MetaHuman OS runs on its owner's own computer or server: files, tasks, memories and functions stay there, and no vendor gets them; prompts go to the chosen model server.";

const NAMES = [
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
] as const;

const filled = openPrompts(new URL("./", import.meta.url), NAMES);

/** A prompt of the operator, from the Markdown file of its name, with `{{slots}}` filled. */
export const prompt = (name: (typeof NAMES)[number], variables: PromptVariables = {}): string =>
  filled(name, { product: ABOUT_PRODUCT, ...variables });
