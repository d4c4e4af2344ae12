import type { FunctionFacts } from "../index/function-table.ts";

/** The minimum number of executions for a judgement. */
const ENOUGH_TO_JUDGE = 5;
/** The maximum of each prior. Together they add 0.15, so they cannot lift a function that does not fit. */
const MAX_PRIORS = { skills: 0.05, success: 0.06, recency: 0.04 };
const HOUR_MS = 3_600_000;
/** The activation after about ten years without use. */
const MIN_ACTIVATION = -6;

export interface FunctionScorePart {
  name: "words" | "meaning" | "skills" | "success" | "recency";
  value: number;
  detail: string;
}

/** The priors of a function, independent of the request. */
export function functionPriors(
  facts: FunctionFacts,
  { skills, now }: { skills: readonly string[]; now: string },
): FunctionScorePart[] {
  const parts: FunctionScorePart[] = [];
  const shared = skills.filter((skill) => facts.skills.includes(skill));
  if (shared.length > 0) {
    parts.push({
      name: "skills",
      value: (MAX_PRIORS.skills * shared.length) / skills.length,
      detail: `uses ${shared.join(", ")}`,
    });
  }
  if (facts.executions > 0) {
    parts.push({
      name: "success",
      value: MAX_PRIORS.success * facts.success,
      detail: `worked ${facts.successes} of ${facts.executions} times${facts.executions < ENOUGH_TO_JUDGE ? " (too few to judge)" : ""}`,
    });
  }
  if (facts.usefulAt !== null) {
    parts.push({
      name: "recency",
      value: MAX_PRIORS.recency * activationShare(facts.usefulAt, now),
      detail: `last useful ${facts.usefulAt.slice(0, 10)}`,
    });
  }
  return parts;
}

/** Base-level activation ln age^-0.5 (Anderson & Lebiere 1998) of the last useful use, as a share. */
function activationShare(usefulAt: string, now: string): number {
  const hours = Math.max(1, (Date.parse(now) - Date.parse(usefulAt)) / HOUR_MS);
  return Math.max(0, Math.min(1, 1 - Math.log(hours ** -0.5) / MIN_ACTIVATION));
}
