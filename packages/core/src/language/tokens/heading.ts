/**
 * A heading before an order: "Log an expense for the club: append …". It names what the order is about. Words that make what
 * follows a text, a question, a condition or an example are none, and neither is one with a quotation or a file.
 */
const HEADING =
  /^\s*(?<heading>\p{L}[\p{L}\p{N}'’ -]{2,70}?)\s*(?::|\s[–—]|\s-)\s+(?<order>\p{L}\S*\s\S[^]*)$/u;
const MAX_WORDS = 9;
const NO_HEADING =
  /\b(?:says?|said|saying|tell|told|ask|asked|asks|write|wrote|written|reads?|quote|repl(?:y|ied)|answer|example|like|remember|remind(?:er)?|idea|question|if|when|whenever|unless|until|before|after|not|never|no|don['’]?t|without|except|instead|what|why|how|who|which|where|is|are|was|were|do|does|did|can|could|would|should|letter|mail|e-?mail|message|note|text|title|subject|call(?:ed)?|named|list|rules?|instructions?|step|joke|poem|story|search|find|translate|every|each|always|daily|weekly)\b/iu;

/** A request that begins with a heading, without it. */
export interface HeadedRequest {
  heading: string;
  order: string;
}

/** Splits a heading off a request; undefined for a request without one. */
export function withoutHeading(request: string): HeadedRequest | undefined {
  const { heading, order } = HEADING.exec(request)?.groups ?? {};
  if (heading === undefined || order === undefined) return undefined;
  const isHeading = heading.split(/\s+/u).length <= MAX_WORDS && !NO_HEADING.test(heading);
  return isHeading ? { heading, order } : undefined;
}
