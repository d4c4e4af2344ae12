import { readFileSync } from "node:fs";

/** A prompt from the Markdown file of its name, with `{{slots}}` filled. */
export function curatorPrompt(
  name: "curator" | "authoring-guide",
  slots: Readonly<Record<string, string>> = {},
): string {
  const text = readFileSync(new URL(`./prompts/${name}.md`, import.meta.url), "utf8").trim();
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, slot: string) => slots[slot] ?? "");
}
