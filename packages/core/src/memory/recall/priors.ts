import { activation } from "../evolution/activation.ts";
import type { IndexedEntry } from "../index/protocol.ts";
import type { ScorePart } from "./candidate.ts";

/** What each prior adds at most; together 0.15, so that none of them can lift what does not fit. */
const MOST = { activation: 0.05, importance: 0.07, context: 0.015, pattern: 0.005, pinned: 0.01 };

export interface PriorsContext {
  now: Date;
  /** Of the request: compared only where both sides say something. */
  context: Readonly<Record<string, string>>;
  /** When the memory was of use, in milliseconds. */
  uses: readonly number[];
}

/** What speaks for a memory whatever was asked. */
export function priorsOf(entry: IndexedEntry, { now, context, uses }: PriorsContext): ScorePart[] {
  const parts: ScorePart[] = [
    {
      name: "activation",
      value: MOST.activation * activation(Date.parse(entry.timestamp), uses, now.getTime()),
      detail: `from ${entry.timestamp.slice(0, 10)}, ${usedWords(uses)}`,
    },
    {
      name: "importance",
      value: MOST.importance * entry.importance,
      detail: `importance ${entry.importance.toFixed(2)}`,
    },
  ];
  const shared = Object.keys(context).filter((key) => key in entry.context);
  const same = shared.filter((key) => context[key] === entry.context[key]);
  if (same.length > 0) {
    parts.push({
      name: "context",
      value: (MOST.context * same.length) / shared.length,
      detail: `same ${same.join(", ")}`,
    });
  }
  if (entry.type === "pattern") parts.push({ name: "pattern", value: MOST.pattern, detail: "a pattern" });
  if (entry.pinned) parts.push({ name: "pinned", value: MOST.pinned, detail: "pinned by a person" });
  return parts;
}

function usedWords(uses: readonly number[]): string {
  const [last] = uses;
  if (last === undefined) return "not used since";
  return `used ${uses.length === 1 ? "once" : `${uses.length} times`}, last ${new Date(last).toISOString().slice(0, 10)}`;
}
