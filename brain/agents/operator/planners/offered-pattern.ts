import { isPatternOffer, quotedTemplate } from "@metahuman/core/memory/patterns/pattern-memory";
import type { Planner, PlannerDecision, PlanState } from "../planner.ts";
import { quote } from "./built-in/phrasing.ts";

// Replies to the offer of a function for a request that repeats, which an answer made as a suggestion.

const TO_BE_POLITE = String.raw`(?:[\s,.!]+(?:please|pls|thanks|thank you|ta|then))*`;
const YES = String.raw`(?:yes|yeah|yep|yup|sure|ok|okay|of course|please do|go ahead|do it|do that|make it|make it (?:a|one) function|make one)`;
const NO = String.raw`(?:no|nope|nah|not now|never|no need|not needed|no function|i don['’]?t (?:want|need) (?:one|that|it|a function)|don['’]?t (?:do that|make one|make it))`;

/** One or several such words and nothing else. */
const only = (words: string): RegExp =>
  new RegExp(
    String.raw`^\W*${words}${TO_BE_POLITE}(?:[\s,.!]+(?:and\s+)?${words}${TO_BE_POLITE})*[\s.!]*$`,
    "iu",
  );
const ACCEPTS = only(YES);
const REFUSES = only(NO);

/** The longest reply that is read as a yes or a no, in UTF-16 code units. */
const MAX_LENGTH = 80;

/** The planner, which also takes a yes or a no to the offer that the last answer of the conversation made. */
export function withOfferReplies(planner: Planner): Planner {
  return {
    ...planner,
    async next(state, signal) {
      const offered = await offerRepliedTo(state);
      if (offered === undefined) return planner.next(state, signal);
      if (ACCEPTS.test(state.request.trim()))
        return planner.next({ ...state, request: offered.offer }, signal);
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
  const reply = request.trim();
  if (reply.length > MAX_LENGTH || !(ACCEPTS.test(reply) || REFUSES.test(reply))) return undefined;
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
