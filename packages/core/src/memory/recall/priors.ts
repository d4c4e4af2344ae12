import type { IndexedEntry } from "../index/protocol.ts";
import type { ScorePart } from "./candidate.ts";

/** What each prior adds at most; together 0.15, so that none of them can lift what does not fit. */
const MOST = { recency: 0.04, importance: 0.07, context: 0.02, pinned: 0.02 };
const HOUR_MS = 3_600_000;
/** Activation of something ten years old and never used since, about. */
const LOWEST_ACTIVATION = -6;

export interface PriorsContext {
  now: Date;
  /** Of the request: compared only where both sides say something. */
  context: Readonly<Record<string, string>>;
}

/** What speaks for a memory whatever was asked. */
export function priorsOf(entry: IndexedEntry, { now, context }: PriorsContext): ScorePart[] {
  const parts: ScorePart[] = [
    {
      name: "recency",
      value: MOST.recency * activationShare(entry.timestamp, now),
      detail: `from ${entry.timestamp.slice(0, 10)}`,
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
  if (entry.pinned) parts.push({ name: "pinned", value: MOST.pinned, detail: "pinned by a person" });
  return parts;
}

/**
 * Base-level activation ln Σ age^-0.5 (Anderson & Lebiere 1998) over the moments a memory was of use, so far its
 * creation alone; ages count from an hour, so that a new memory starts alive whatever the clock says. As a share, 0–1.
 */
function activationShare(timestamp: string, now: Date): number {
  const hours = Math.max(1, (now.getTime() - Date.parse(timestamp)) / HOUR_MS);
  const activation = Math.log(hours ** -0.5);
  return Math.max(0, Math.min(1, 1 - activation / LOWEST_ACTIVATION));
}
