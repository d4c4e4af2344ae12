import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { FunctionOffer } from "@metahuman/core/contract/run";
import type { Planner } from "../../planner.ts";
import { offerHeading } from "./offer.ts";
import { onlyAgrees, restAfterYes } from "@metahuman/core/language/grammar/yes-no";

/** A whole message that refuses one offer: "not that one". */
const REFUSES_ONE =
  /^\W*(?:no\W+)?(?:not (?:that|this)(?: one)?|that(?:['’]s| is) (?:not it|wrong|not what i (?:want|meant?|asked for)))\W*$/iu;
/** "Thanks, that's it": ends the conversation, and accepts nothing. */
const ENDS_TALK =
  /^\W*(?:(?:ok|okay|thanks|thank you|thx|ta|cheers|great|well|then|um|oh|and)\W+)*that(?:['’]s| is|['’]ll be| will be) (?:it|all)\b/iu;
/** No message that only replies to offers is longer. */
const MAX_CHARACTERS = 40;

/** False for messages that are too long to only reply to offers. */
const isShortReply = (message: string): boolean => message.length <= MAX_CHARACTERS;

/** What a message says about the offers of the last answer. `unclear`: it accepts or refuses, but several are offered. */
export type OfferReply = { kind: "accepted"; offer: FunctionOffer } | { kind: "refused" | "unclear" };

interface WithOffers {
  offers?: readonly FunctionOffer[] | undefined;
}

/**
 * The reply of a message to the offers of the last run of its conversation, and that run, which `loadLast` loads. Undefined for a
 * message that does more than reply, and if nothing was offered.
 */
export async function findOfferReply<Last extends WithOffers>(
  message: string,
  loadLast: () => Promise<Last | undefined>,
): Promise<(OfferReply & { last: Last }) | undefined> {
  const last = isShortReply(message) ? await loadLast() : undefined;
  const reply = readOfferReply(message, last?.offers);
  return last && reply && { ...reply, last };
}

/** Reads a message that does nothing but reply to these offers: "yes", "the second", "no thanks". Undefined otherwise. */
export function readOfferReply(
  message: string,
  offers: readonly FunctionOffer[] = [],
): OfferReply | undefined {
  const [first, ...others] = offers;
  if (first === undefined || !isShortReply(message)) return undefined;
  const isOnly = others.length === 0;
  if (ENDS_TALK.test(message)) return undefined;
  if (onlyAgrees(message)) return isOnly ? { kind: "accepted", offer: first } : { kind: "unclear" };
  if (REFUSES_ONE.test(message)) return { kind: isOnly ? "refused" : "unclear" };
  // Without labels, only what agrees, refuses or counts is a choice: a word of a title may begin another request.
  const choice = optionFromReply(
    (restAfterYes(message) ?? message).replace(/^do\s+/iu, ""),
    offers.map(() => ""),
  );
  if (choice === "none") return { kind: "refused" };
  const offer = choice === undefined ? undefined : offers[choice];
  return offer && { kind: "accepted", offer };
}

/** Answers a message that refuses the offers of the last answer, or that does not say which one it means. */
export function createOfferReplyPlanner(
  kind: "refused" | "unclear",
  offers: readonly FunctionOffer[],
): Planner {
  const isRefused = kind === "refused";
  return {
    name: "built-in",
    async next() {
      return {
        kind: "answer",
        thought: isRefused
          ? "The person refuses the offer."
          : "The person does not say which offer is meant.",
        style: "strict",
        text: isRefused ? refusedText(offers) : unclearText(offers),
        ...(!isRefused && { offers }),
        isIdle: true,
      };
    },
  };
}

function refusedText(offers: readonly FunctionOffer[]): string {
  const titles = offers.map(({ title }) => `“${title}”`).join(", ");
  return `All right, nothing was done. For these words, I will not offer ${titles} again.`;
}

function unclearText(offers: readonly FunctionOffer[]): string {
  const list = offers.map((offer, index) => `${String(index + 1)}. ${offerHeading(offer)}`).join("\n");
  return `Which one do you mean? Reply with its number, or with “none”. Nothing has been done yet.\n\n${list}`;
}
