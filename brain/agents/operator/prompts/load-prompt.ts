import { readFileSync } from "node:fs";

export type PromptName =
  | "planner"
  | "planner-tools"
  | "answer"
  | "review"
  | "conversation"
  | "conversation-summary"
  | "summary"
  | "cut-off";

const loaded = new Map<PromptName, string>();

/** A prompt from the Markdown file of its name, with `{{slots}}` filled; read once. */
export function prompt(name: PromptName, slots: Record<string, string> = {}): string {
  let text = loaded.get(name);
  if (text === undefined) {
    text = readFileSync(new URL(`./${name}.md`, import.meta.url), "utf8").trim();
    loaded.set(name, text);
  }
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, slot: string) => slots[slot] ?? "").trim();
}
