import type { Rule } from "./grammar.ts";
import type { Slot, SlotType } from "./phrase.ts";
import type { Pattern } from "./template.ts";

/** Sample value for each slot type. The reader of the slot accepts it. */
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
  period: "today",
  priority: "high priority",
  status: "done",
  number: "5",
  tag: "#home",
  name: "port",
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

/** Returns the words for a slot in a sentence; undefined selects the sample value. */
export type SayingSlot = (name: string, slot: Slot) => string | undefined;

/** Returns one sentence that follows the rule, with the first option of each choice and without optional parts. */
export function exampleOf(
  rule: Pick<Rule, "pattern" | "slots">,
  sayingSlot: SayingSlot = () => undefined,
): string {
  const taken = new Set<string>();
  const say = (pattern: Pattern): string => {
    switch (pattern.kind) {
      case "word":
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
        const [option] = pattern.options;
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
