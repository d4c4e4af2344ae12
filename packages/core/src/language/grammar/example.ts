import type { Rule } from "./grammar.ts";
import type { Slot, SlotType } from "./phrase.ts";
import { wordsOf, type Pattern } from "./template.ts";

/** What a slot of each type is shown as. Each can be read back by the slot's reader. */
const SAMPLES: Readonly<Record<SlotType, string>> = {
  path: "notes/today.md",
  filename: "shopping list",
  folder: "notes/",
  text: '"call the plumber"',
  wording: '"call the plumber"',
  title: "buy milk",
  query: "the garage code",
  description: "text",
  date: "tomorrow",
  priority: "high priority",
  status: "done",
  number: "5",
  tag: "#home",
  reference: "buy milk",
};

function sampleOf(slot: Slot | undefined, taken: ReadonlySet<string>): string {
  if (slot === undefined) return "";
  if (slot.sample !== undefined) return slot.sample;
  if (slot.type === "folder" && slot.known?.[0] !== undefined) return slot.known[0];
  const sample = SAMPLES[slot.type];
  return taken.has(sample) && slot.type === "path"
    ? "archive/today.md"
    : taken.has(sample)
      ? "buy oat milk"
      : sample;
}

/** What words stand for a slot in a sentence; undefined leaves it to its sample. */
export type SayingSlot = (name: string, slot: Slot) => string | undefined;

/**
 * One sentence that follows the rule, in its plainest form: nothing that may be absent, and of every choice the first,
 * or at the beginning the first with a word that `isNear`.
 */
export function exampleOf(
  rule: Rule,
  isNear: (word: string) => boolean = () => false,
  sayingSlot: SayingSlot = () => undefined,
): string {
  const taken = new Set<string>();
  let begun = false;
  const say = (pattern: Pattern): string => {
    switch (pattern.kind) {
      case "word": {
        const near = begun ? undefined : [...pattern.accepts].find(isNear);
        begun = true;
        return near ?? pattern.word;
      }
      case "article":
        return pattern.word;
      case "slot": {
        const slot = rule.slots[pattern.name];
        const sample = (slot && sayingSlot(pattern.name, slot)) ?? sampleOf(slot, taken);
        taken.add(sample);
        return sample;
      }
      case "sequence":
        return pattern.parts
          .map(say)
          .filter((part) => part !== "")
          .join(" ");
      case "choice": {
        const near = begun ? undefined : pattern.options.find((candidate) => wordsOf(candidate).some(isNear));
        const option = near ?? pattern.options[0];
        return option === undefined ? "" : say(option);
      }
      case "optional":
      case "details":
        return "";
      default:
        return pattern satisfies never;
    }
  };
  return say(rule.pattern);
}
