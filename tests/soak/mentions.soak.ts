import {
  actingAfter,
  MENTIONS,
  orders,
} from "../../brain/agents/operator/planners/built-in/testing/labelled-requests.ts";
import type { Soak } from "./soak.ts";

export const name: Soak["name"] = "mentions";

/** Reads every labelled order after every mention; `npm test` reads a part of them. No random choice is made. */
export const run: Soak["run"] = async ({ progress }) => {
  const problems: string[] = [];
  for (const mention of MENTIONS) {
    problems.push(...actingAfter(mention, orders).map((say) => `“${mention} ${say}” changes something.`));
    progress(`after “${mention}”`);
  }
  return { done: `${String(MENTIONS.length * orders.length)} mentions read.`, problems };
};
