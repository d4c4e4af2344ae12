import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";

/** All there is to know about a skill in one line; required inputs are marked with `*`. */
export function catalogEntry(card: SkillCard): string {
  const { id, inputs, outputs } = card;
  return `- ${id}(${inputs.map(inputForm).join(", ")}) → ${outputs.join(", ")}: ${about(card)}. [${marks(card)}]`;
}

/** What a planner needs to call a skill: without what comes back and who allows it, and with the first of its notes. */
export function planningEntry({ id, inputs, summary, notes }: SkillCard): string {
  const [first] = notes?.split(/(?<=\.)\s/u) ?? [];
  return `- ${id}(${inputs.map(inputForm).join(", ")}): ${about({ summary, notes: first })}`;
}

function about({ summary, notes }: { summary: string; notes?: string | undefined }): string {
  return notes === undefined ? summary : `${summary}. ${notes.replace(/\.$/, "")}`;
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

/** `path*`, `limit=5`, `due "2026-11-23"`, `status: todo|done`; a bare name takes text. */
function inputForm({
  name,
  type,
  required,
  allowed,
  form = allowed?.join("|"),
  default: preset,
}: SkillInput): string {
  const marked = required ? `${name}*` : name;
  if (form !== undefined) return `${marked} ${form}`;
  if (preset !== undefined) return `${marked}=${JSON.stringify(preset)}`;
  return type === "string" ? marked : `${marked}: ${type}`;
}
