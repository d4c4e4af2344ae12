import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";

const TABLE = /\.(?:csv|tsv)$/iu;

/** The path of the file that the last request with calls read or changed; undefined if it did neither. */
async function lastFile({ earlier }: Pick<PlanState, "earlier">): Promise<string | undefined> {
  const [last] = ((await earlier?.()) ?? []).filter(({ calls }) => calls.length > 0);
  const paths = last?.calls.flatMap(({ args, outputs }) => {
    const path = outputs?.["path"] ?? args["path"];
    return outputs !== undefined && typeof path === "string" && /\.\p{L}+$/u.test(path) ? [path] : [];
  });
  return paths?.at(-1);
}

/** Requests about the file of the last request, after one that was not understood. */
export async function requestsAboutLastFile(state: PlanState): Promise<string[]> {
  const path = await lastFile(state);
  if (path === undefined) return [];
  const requests = TABLE.test(path)
    ? [`show ${path}`, `how many entries are in ${path}`]
    : [`show ${path}`, `summarize ${path}`];
  return requests.filter((request) => {
    const reading = interpretAlone({ ...state, request });
    return reading.kind === "plan" && reading.readOnly;
  });
}
