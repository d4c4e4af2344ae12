import { tokenize } from "../../language/tokens/tokens.ts";
import { MAX_UNITS } from "./request-units.ts";

/** A longer request is text to work on, not a repeated request; in UTF-16 code units. */
const MAX_REQUEST_LENGTH = 4_000;
const TALK =
  /^\W*(?:(?:hi|hey|hello|yo|thanks?|thank you|thx|ok(?:ay)?|yes|no|yep|nope|sure|great|cool|nice|lol|haha|bye|goodbye|good night|how are you|what'?s up|very much|so much|there|you|well|hm+|um+)\b\W*)+$/iu;

/**
 * True if a request may call a function at all: a cheap check before functions are looked up. False for small talk, for
 * a request without a word, and for one that is too long to be repeated.
 */
export function looksLikeFunctionInvocation(request: string): boolean {
  if (request.length > MAX_REQUEST_LENGTH || !/\p{L}/u.test(request)) return false;
  return !TALK.test(request) && tokenize(request).length <= MAX_UNITS;
}
