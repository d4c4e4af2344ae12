import { tokenize } from "../../language/tokens/tokens.ts";
import { MAX_UNITS } from "./request-units.ts";

/** A longer request is text to work on, no repeated one; in UTF-16 code units. */
const MAX_REQUEST_LENGTH = 4_000;
const TALK =
  /^\W*(?:(?:hi|hey|hello|yo|thanks?|thank you|thx|ok(?:ay)?|yes|no|yep|nope|sure|great|cool|nice|lol|haha|bye|goodbye|good night|how are you|what'?s up|very much|so much|there|you|well|hm+|um+)\b\W*)+$/iu;

/**
 * Whether a request may be for a function at all: a cheap gate before functions are looked up. False for small talk, for
 * what holds no word, and for what is longer than anything that is asked for twice.
 */
export function looksLikeFunctionInvocation(request: string): boolean {
  if (request.length > MAX_REQUEST_LENGTH || !/\p{L}/u.test(request)) return false;
  return !TALK.test(request) && tokenize(request).length <= MAX_UNITS;
}
