import { activation } from "../evolution/activation.ts";
import type { CandidateEntry, ScorePart } from "./candidate.ts";

/** The maximum of each prior, 0.15 in total, so that priors cannot promote a memory that does not fit. */
const MAX_VALUE = {
  activation: 0.045,
  importance: 0.06,
  context: 0.02,
  entities: 0.01,
  pattern: 0.005,
  pinned: 0.01,
};

export interface PriorsContext {
  now: Date;
  /** The context of the request. Only keys that both sides have are compared. */
  context: Readonly<Record<string, string>>;
  /** When the memory was used, in milliseconds since 1970. */
  uses: readonly number[];
}

/** The score parts of a memory that do not depend on the query. */
export function priorsOf(entry: CandidateEntry, { now, context, uses }: PriorsContext): ScorePart[] {
  const parts: ScorePart[] = [
    {
      name: "activation",
      value: MAX_VALUE.activation * activation(Date.parse(entry.timestamp), uses, now.getTime()),
      detail: () => `from ${entry.timestamp.slice(0, 10)}, ${describeUses(uses)}`,
    },
    {
      name: "importance",
      value: MAX_VALUE.importance * entry.importance,
      detail: () => `importance ${entry.importance.toFixed(2)}`,
    },
  ];
  const shared = Object.keys(context).filter((key) => key in entry.context);
  const same = shared.filter((key) => context[key] === entry.context[key]);
  if (same.length > 0) {
    parts.push({
      name: "context",
      value: (MAX_VALUE.context * same.length) / shared.length,
      detail: () => `same ${same.join(", ")}`,
    });
  }
  if (entry.shared.length > 0)
    parts.push({
      name: "entities",
      value: MAX_VALUE.entities,
      detail: () => `names ${entry.shared.join(", ")}`,
    });
  if (entry.type === "pattern")
    parts.push({ name: "pattern", value: MAX_VALUE.pattern, detail: () => "a pattern" });
  if (entry.pinned)
    parts.push({ name: "pinned", value: MAX_VALUE.pinned, detail: () => "pinned by a person" });
  return parts;
}

function describeUses(uses: readonly number[]): string {
  const [last] = uses;
  if (last === undefined) return "not used since";
  return `used ${uses.length === 1 ? "once" : `${uses.length} times`}, last ${new Date(last).toISOString().slice(0, 10)}`;
}
