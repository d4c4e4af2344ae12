import { printParseErrorCode, type ParseErrorCode } from "jsonc-parser";

// By the name the library gives: its enum is declared for the compiler alone and does not exist at run time.
const reasons: ReadonlyMap<string, string> = new Map([
  ["InvalidSymbol", "a word that is not JSON stands here; text needs double quotes"],
  ["InvalidNumberFormat", "this is not a number"],
  ["PropertyNameExpected", "a key in double quotes is missing here (or the comma before it is one too many)"],
  ["ValueExpected", "a value is missing here (or the comma before it is one too many)"],
  ["ColonExpected", "a colon is missing after the key"],
  ["CommaExpected", "a comma is missing before this"],
  ["CloseBraceExpected", "a closing brace } is missing"],
  ["CloseBracketExpected", "a closing bracket ] is missing"],
  ["EndOfFileExpected", "the file should have ended before this"],
  ["InvalidCommentToken", "comments are not allowed; docs/guide/configuration.md explains every key"],
  ["UnexpectedEndOfComment", "a comment is not closed"],
  ["UnexpectedEndOfString", "a closing double quote is missing"],
  ["UnexpectedEndOfNumber", "a number is cut short"],
  ["InvalidUnicode", "a \\u escape needs four hexadecimal digits"],
  ["InvalidEscapeCharacter", "this escape does not exist in JSON"],
  ["InvalidCharacter", "a character stands here that must be escaped or left out"],
]);

/** What is wrong at the place where the JSON parser stopped, in plain words. */
export function syntaxReason(code: ParseErrorCode): string {
  return reasons.get(printParseErrorCode(code)) ?? "this is not JSON";
}
