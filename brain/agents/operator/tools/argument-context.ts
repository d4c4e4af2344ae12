import { regionOf } from "@metahuman/core/contract/region";
import { dateSpans } from "@metahuman/core/language/dates/dates";
import { tokenise } from "@metahuman/core/language/tokens/tokens";
import type { ArgumentContext } from "@metahuman/skills/read-arguments";
import type { RunContext } from "../loop/run-context.ts";

/** What the dates in a call's arguments are read against: always the moment of the request, also after a restart. */
export function argumentContext({ run, request }: Pick<RunContext, "run" | "request">): ArgumentContext {
  const { createdAt } = run();
  const region = regionOf(request.request);
  const now = new Date(createdAt);
  return {
    now,
    ...region,
    mentions(date) {
      if (request.direct !== undefined) return true;
      return personsWords(run()).some((words) => {
        const spans = dateSpans(words, tokenise(words), { now, ...region });
        return words.includes(date) || spans.some(({ value, last }) => value === date || last === date);
      });
    },
  };
}

/** The request, and every question that the person answered, with the answer. */
function personsWords({ goal, scratchpad }: ReturnType<RunContext["run"]>): string[] {
  const answered = scratchpad.filter(
    ({ action, observation }) => action?.tool === "ask_user" && observation?.success === true,
  );
  const words = answered.flatMap(({ action, observation }) => [
    action?.args["question"],
    observation?.outputs?.["answer"],
  ]);
  return [goal, ...words.filter((text) => typeof text === "string")];
}
