import { ARTICLES, FUNCTION_WORDS } from "../words.ts";
import { given, type SlotInput, type SlotMatch } from "./slot-reader.ts";

const FOLDER = /^(?:folders?|director(?:y|ies)|dir)$/;

/** A folder as written (`notes/`), quoted, or as a bare word; an article may stand before it when it is known or called a folder. */
export function* readFolder({ tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const at = ARTICLES.has(tokens[from]?.text ?? "") && from + 1 < to ? from + 1 : from;
  const token = at < to ? tokens[at] : undefined;
  if (token === undefined) return;
  if (!token.text.endsWith(slot.ending ?? "")) return;
  if (token.kind === "path" && !/[^./\\]\.[^./\\]+$/.test(token.text)) {
    // Without a slash at its end it could as well be a file.
    const typed = token.text.endsWith("/") ? 1 : 0.9;
    yield { end: at + 1, value: given(token.text.replace(/(?<=.)\/+$/, "")), typed, free: 0 };
  } else if (token.kind === "quoted" && /\S/.test(token.text) && !/[\r\n]/.test(token.text)) {
    yield { end: at + 1, value: given(token.text), typed: 1, free: 0 };
  } else if (token.kind === "word" && !FUNCTION_WORDS.has(token.text) && !slot.except?.includes(token.text)) {
    const known = slot.known?.includes(token.text) ?? false;
    const isCalledFolder =
      FOLDER.test(tokens[at + 1]?.text ?? "") ||
      FOLDER.test(tokens[at - 1]?.text ?? "") ||
      FOLDER.test(tokens[from - 1]?.text ?? "");
    const hasArticle = ARTICLES.has(tokens[at - 1]?.text ?? "");
    if (known || isCalledFolder || (slot.bare !== false && !hasArticle)) {
      yield { end: at + 1, value: given(token.text), typed: known ? 1 : 0, free: known ? 0 : 1 };
    }
  }
}
