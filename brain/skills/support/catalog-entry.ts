import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";

/** One line that tells a planner all it needs to call a skill; required inputs are marked with `*`. */
export function catalogEntry(card: SkillCard): string {
  const { id, summary, inputs, outputs, notes } = card;
  const about = notes === undefined ? summary : `${summary}. ${notes.replace(/\.$/, "")}`;
  return `- ${id}(${inputs.map(inputWords).join(", ")}) → ${outputs.join(", ")}: ${about}. [${marks(card)}]`;
}

function marks({ category, effect, risk, cost, trust, requiresApproval }: SkillCard): string {
  const asks = requiresApproval || trust === null;
  return [
    category,
    effect,
    `${risk} risk`,
    ...(cost === "low" ? [] : [`${cost} cost`]),
    // What may be called at every trust level needs no word.
    ...(asks ? ["a person decides"] : trust === "observe" ? [] : [`unasked from ${trust}`]),
  ].join(", ");
}

function inputWords({ name, type, required, allowed, default: preset }: SkillInput): string {
  const kind = allowed ? allowed.join("|") : type;
  const without = preset === undefined ? "" : `=${JSON.stringify(preset)}`;
  return `${name}${required ? "*" : ""}: ${kind}${without}`;
}
