import { exampleOf } from "@metahuman/core/language/example";
import { compileSkill } from "@metahuman/core/language/grammar";
import type { Reading, SmallTalkTopic } from "@metahuman/core/language/plan";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillSpeech } from "@metahuman/skills/speech";
import { GET_A_MODEL, quoted } from "./wording.ts";

type Worded = Exclude<Reading, { kind: "plan" } | { kind: "ambiguous" }>;

const SMALL_TALK: Readonly<Record<SmallTalkTopic, string>> = {
  greeting: "Hello. Say what should be done, or ask “what can you do?”.",
  thanks: "You're welcome.",
  farewell: "Goodbye.",
  "how-are-you": "Ready to work. What should be done?",
  "who-are-you":
    "This is MetaHuman OS, an operator that works with your files, tasks and memory. " +
    "Without a language model it understands plain orders; ask “what can you do?” to see them.",
};

/** Answers that need no step: worded from the request and the catalog alone. */
export function wordedAnswer(reading: Worded, skills: readonly Skill[]): string {
  switch (reading.kind) {
    case "refrain":
      return "All right, nothing was done.";
    case "small-talk":
      return SMALL_TALK[reading.topic];
    case "empty":
      return ["Nothing was asked. For example:", ...bullets(spread(examples(skills)).map(quoted))].join("\n");
    case "capabilities":
      return capabilities(reading.about, skills);
    case "not-understood":
      return notUnderstood(reading);
    default:
      return reading satisfies never;
  }
}

/** Three from different ends of a list. */
const spread = (lines: readonly string[]): string[] =>
  [0, 1, 2].flatMap((third) => lines[Math.floor((third * lines.length) / 3)] ?? []);

const bullets = (lines: readonly string[]): string[] => lines.map((line) => `- ${line}`);

/** What a skill can be asked with, in its plainest form. */
function exampleFor(skill: Skill): string | undefined {
  const rule = compileSkill(skillSpeech(skill)).rules[0];
  return rule === undefined ? undefined : exampleOf(rule);
}

function examples(skills: readonly Skill[]): string[] {
  return skills.flatMap((skill) => exampleFor(skill) ?? []);
}

function capabilities(about: readonly string[], skills: readonly Skill[]): string {
  const chosen = skills.filter((skill) => about.length === 0 || about.includes(skill.id));
  const groups = Map.groupBy(
    chosen.filter((skill) => exampleFor(skill) !== undefined),
    (skill) => skill.category,
  );
  const lines = (members: readonly Skill[]): string[] =>
    members.map((skill) => `- ${skill.summary}: ${quoted(exampleFor(skill) ?? "")}`);
  if (about.length > 0) return ["Say, for example:", ...[...groups.values()].flatMap(lines)].join("\n");
  const parts = [...groups].map(([category, members]) =>
    [`**${title(category)}**`, ...lines(members)].join("\n"),
  );
  return [
    "This works without a language model, in your own words and several things at once (“… and then …”):",
    ...parts,
    `With a language model, freely worded requests work too. ${GET_A_MODEL}`,
  ].join("\n\n");
}

const title = (category: string): string => `${category.slice(0, 1).toUpperCase()}${category.slice(1)}`;

function notUnderstood(reading: Extract<Reading, { kind: "not-understood" }>): string {
  const { understood, nearest, needsModel } = reading;
  return [
    gapIn(reading),
    ...(understood.length > 0 ? [`Understood: ${understood.map(quoted).join(", ")}.`] : []),
    ["These would work:", ...bullets(nearest.map(quoted))].join("\n"),
    needsModel
      ? `To get a model: ${lowerFirst(GET_A_MODEL)}`
      : `A language model would widen what is understood. ${GET_A_MODEL}`,
  ].join("\n\n");
}

function gapIn({
  unexplained,
  dangling,
  recall,
  needsModel,
}: Extract<Reading, { kind: "not-understood" }>): string {
  const gap = unexplained.map(quoted).join(", ");
  if (dangling !== undefined) {
    return `Nothing was done, because neither this request nor what was done before it tells what ${quoted(dangling)} stands for. Say what is meant.`;
  }
  if (recall) {
    const otherwise = needsModel
      ? "to answer it otherwise needs a language model, and none is reachable"
      : "no other skill answers it";
    return `Nothing in memory answers ${quoted(recall.clause)}, and ${otherwise}.`;
  }
  if (needsModel) return `Nothing was done: ${gap} needs a language model, and none is reachable.`;
  return `Nothing was done: ${gap} was not understood as something that the installed skills can do.`;
}

const lowerFirst = (sentence: string): string => `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
