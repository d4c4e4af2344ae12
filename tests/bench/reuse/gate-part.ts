import { looksLikeFunctionInvocation } from "../../../brain/agents/operator/planners/replay/find-recipe.ts";
import type { Row } from "../row.ts";
import type { LabelledRequests } from "./labelled-requests.ts";

/** How often each request is read, because one reading is too short to be measured. */
const ROUNDS = 50;

/** How many requests pass the gate before functions are looked up, and what the gate costs. */
export function measureGate(sets: readonly LabelledRequests[]): Row[] {
  const paraphrases = sets.flatMap(({ replay }) =>
    replay.flatMap(({ request, shouldReplay }) => (shouldReplay ? [request] : [])),
  );
  const passing = (requests: readonly string[]): number =>
    requests.filter(looksLikeFunctionInvocation).length;
  const begun = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) passing(paraphrases);
  const { user, system } = process.cpuUsage(begun);
  return [
    {
      what: `of ${String(paraphrases.length)} paraphrases, functions are looked up for`,
      figure: passing(paraphrases),
      unit: "",
      least: paraphrases.length,
    },
    {
      what: "processor time to decide whether functions are looked up",
      figure: Math.round((10 * (user + system)) / (ROUNDS * Math.max(1, paraphrases.length))) / 10,
      unit: "µs",
    },
  ];
}
