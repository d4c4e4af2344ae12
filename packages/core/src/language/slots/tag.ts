import { FUNCTION_WORDS } from "../tokens/words.ts";
import type { Token } from "../tokens/tokens.ts";
import { givenValue, textBetween, type SlotInput, type SlotMatch } from "./slot-reader.ts";

const MAX_TAG_LENGTH = 64;

/** A plain word is a tag only after one of these words; `#home` is a tag anywhere. */
const TAG_INTRODUCTION = /^(?:tag|tags|tagged|label|labels|labelled|labeled|under)$/;

/** Reads `#home` or, after an introducing word, a quotation or one plain word. */
function oneTag(
  request: string,
  tokens: readonly Token[],
  from: number,
  to: number,
  isIntroduced: boolean,
): { tag: string; end: number } | undefined {
  const first = from < to ? tokens[from] : undefined;
  const hasHash = first?.kind === "mark" && first.text === "#";
  const at = hasHash ? from + 1 : from;
  const token = at < to ? tokens[at] : undefined;
  if (token === undefined || (hasHash ? token.spaced : !isIntroduced)) return undefined;
  const tag = token.kind === "quoted" ? token.text : textBetween(request, tokens, at, at + 1);
  const isName =
    token.kind === "quoted"
      ? /\S/.test(tag)
      : token.kind === "word" && (hasHash || !FUNCTION_WORDS.has(token.text));
  return isName && tag.length <= MAX_TAG_LENGTH ? { tag, end: at + 1 } : undefined;
}

/** Reads one tag or, for a list argument, several in a row. */
export function* readTag({ request, tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const introduction = tokens[from - 1];
  // "The tagged parcel" is a thing.
  const isAdjective =
    /^(?:tagged|labell?ed)$/.test(introduction?.text ?? "") &&
    /^(?:the|an?)$/.test(tokens[from - 2]?.text ?? "");
  const isIntroduced =
    !isAdjective &&
    TAG_INTRODUCTION.test(
      (/^[:,]$/.test(introduction?.text ?? "") ? tokens[from - 2] : introduction)?.text ?? "",
    );
  const tags: string[] = [];
  let end = from;
  const found: SlotMatch[] = [];
  for (;;) {
    let next = end;
    while (tags.length > 0 && (tokens[next]?.text === "," || tokens[next]?.text === "and")) next++;
    const one = oneTag(request, tokens, next, to, isIntroduced);
    if (one === undefined) break;
    tags.push(one.tag);
    end = one.end;
    found.push({ end, value: givenValue(slot.list ? [...tags] : one.tag), typed: end - from, free: 0 });
    if (!slot.list) break;
  }
  yield* found.reverse();
}
