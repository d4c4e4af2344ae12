import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";

/** Describes a skill in one line; `*` marks required inputs. */
export function catalogEntry(card: SkillCard): string {
  const { id, inputs, outputs } = card;
  return `- ${id}(${inputs.map(formatInput).join(", ")}) → ${outputs.join(", ")}: ${descriptionOf(card)}. [${propertiesOf(card)}]`;
}

/** Describes how a planner calls a skill: without outputs and permissions, and with its first note. */
export function planningEntry({ id, inputs, summary, notes }: SkillCard): string {
  const [first] = notes?.split(/(?<=\.)\s/u) ?? [];
  return `- ${id}(${inputs.map(formatInput).join(", ")}): ${descriptionOf({ summary, notes: first })}`;
}

function descriptionOf({ summary, notes }: { summary: string; notes?: string | undefined }): string {
  return notes === undefined ? summary : `${summary}. ${notes.replace(/\.$/, "")}`;
}

function propertiesOf({ category, effect, risk, cost, trust, requiresApproval }: SkillCard): string {
  const asks = requiresApproval || trust === null;
  return [
    category,
    effect,
    `${risk} risk`,
    ...(cost === "low" ? [] : [`${cost} cost`]),
    // Skills that are allowed at every trust level need no remark.
    ...(asks ? ["a person decides"] : trust === "observe" ? [] : [`unasked from ${trust}`]),
  ].join(", ");
}

/** Formats an input as `path*`, `limit=5`, `due "2026-11-23"` or `status: todo|done`; a bare name accepts text. */
function formatInput({
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
