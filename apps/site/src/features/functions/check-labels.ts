import { copy } from "./copy.ts";
/** Checks by their names, as what they prove when they pass. */
const PROVES: Readonly<Record<string, string>> = {
  schema: "It is well formed",
  "skills exist": "Every skill that it names is installed",
  "arguments fit": "Every call fits its skill",
  "no secrets": "It holds no password, key or token",
  "no hidden text": "It holds nothing that a reader cannot see",
  "no instructions to the planner": "It says how a task is done, and gives the planner no orders",
  "origin of values": copy.valueOrigins,
  code: "Its code can be checked here",
  syntax: "Its code can be read",
  types: "The types in its code fit",
  lint: "Its code keeps the rules",
  grants: "Its code uses only what it was granted",
  tests: "Its tests hold",
  "paired trial": "A model does no worse with it than without it",
};

/** The same for checks of one example each. */
const OF_EXAMPLES: readonly { name: RegExp; proves: string }[] = [
  { name: /^replay of example (\d+)$/, proves: "Example $1, done again, brings the same" },
  {
    name: /^variation of example (\d+)$/,
    proves: "Example $1 holds with other contents and names, and stops where a file is missing",
  },
  { name: /^not replayable: example (\d+)$/, proves: "Example $1 cannot be done again" },
  { name: /^paired trial (\d+)$/, proves: "A model does no worse with it than without it (trial $1)" },
];

/** What a check is about, as a sentence that holds when it passes; its name when it is unknown. */
export function checkWords(name: string): string {
  const known = PROVES[name];
  if (known !== undefined) return known;
  const ofExample = OF_EXAMPLES.find((one) => one.name.test(name));
  return ofExample ? name.replace(ofExample.name, ofExample.proves) : name;
}
