import { readFileSync } from "node:fs";

export type Slots = Readonly<Record<string, string>>;

/**
 * The prompts of one folder: Markdown files by their names, each read once. A prompt's `{{slots}}` are filled; a slot
 * without a value is empty.
 */
export function openPrompts<Name extends string>(folder: URL, names: readonly Name[]) {
  const read = new Map<Name, () => string>(
    names.map((name) => {
      let text: string | undefined;
      return [name, () => (text ??= readFileSync(new URL(`${name}.md`, folder), "utf8").trim())];
    }),
  );
  return (name: Name, slots: Slots = {}): string =>
    (read.get(name)?.() ?? "").replaceAll(/\{\{(\w+)\}\}/gu, (_, slot: string) => slots[slot] ?? "").trim();
}
