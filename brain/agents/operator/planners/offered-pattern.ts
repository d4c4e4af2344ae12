import { isPatternOffer, quotedTemplate } from "@metahuman/core/memory/patterns/pattern-memory";
import type { Planner, PlannerDecision, PlanState } from "../planner.ts";
import { quote } from "./built-in/phrasing.ts";
import { onlyAgrees, onlyDeclines, restAfterYes } from "@metahuman/core/language/grammar/yes-no";

// Replies to the offer of a function for a request that repeats, which an answer made as a suggestion.

const MAKE_ONE = /^\W*make (?:it|it (?:a|one) function|one)(?:[\s,]+(?:please|then))*[\s.!]*$/iu;
const MAKE_NONE =
  /^\W*(?:no function|i don['’]?t (?:want|need) (?:one|that|it|a function)|don['’]?t make (?:one|it))(?:[\s,]+(?:please|thanks))*[\s.!]*$/iu;

const accepts = (reply: string): boolean => onlyAgrees(reply) || MAKE_ONE.test(restAfterYes(reply) ?? reply);
const refuses = (reply: string): boolean => onlyDeclines(reply) || MAKE_NONE.test(withoutNo(reply));
const withoutNo = (reply: string): string => reply.replace(/^\W*(?:no|nope|nah)[\s,.!]+/iu, "");

/** The planner, which also takes a yes or a no to the offer that the last answer of the conversation made. */
export function withOfferReplies(planner: Planner): Planner {
  return {
    ...planner,
    async next(state, signal) {
      const offered = await offerRepliedTo(state);
      if (offered === undefined) return planner.next(state, signal);
      if (accepts(state.request)) return planner.next({ ...state, request: offered.offer }, signal);
      return refusal(offered);
    },
  };
}

interface Offered {
  /** The request that makes the function. */
  offer: string;
  /** The request with whose answer it was offered. */
  request: string;
}

/** The offer that a yes or a no refers to; undefined for any other request. */
async function offerRepliedTo({ request, earlier }: PlanState): Promise<Offered | undefined> {
  if (!accepts(request) && !refuses(request)) return undefined;
  const [last] = (await earlier?.()) ?? [];
  const offer = last?.suggestions?.find(isPatternOffer);
  return last === undefined || offer === undefined ? undefined : { offer, request: last.request };
}

/** The answer to a no. Each pattern is offered once, so that nothing is to be stored. */
function refusal({ offer, request }: Offered): PlannerDecision {
  const kept = `${quote(request)} stays as it was done; “undo that” reverses it.`;
  return {
    kind: "answer",
    thought: "This refuses the function that was offered.",
    style: "default",
    text: `No function is made of “${quotedTemplate(offer)}”, and this is not offered again. ${kept}`,
    suggestions: ["undo that"],
  };
}
