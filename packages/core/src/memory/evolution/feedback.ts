import type { Feedback } from "../../contract/http.ts";

/** How far one verdict moves importance; together they never leave 0–1. */
const STEP = 0.2;

/** What a memory matters after somebody said whether it was of use. */
export function importanceAfter(importance: number, verdict: Feedback["verdict"]): number {
  const moved = importance + (verdict === "useful" ? STEP : -STEP);
  return Math.round(Math.max(0, Math.min(1, moved)) * 1_000) / 1_000;
}
