import { oneOf } from "@metahuman/core/text/patterns";
import { rewriteBy, type Wording, wording } from "../wordings.ts";

// Questions for a number in other than the usual words, rewritten as the phrases of the skills say them.

const KNOWS = String.raw`(?:(?:i|we)\s+(?:(?:must|need\s+to|have\s+to|want\s+to|would\s+like\s+to|wanna)\s+know|wonder)|tell\s+me|do\s+you\s+know)[\s,:]+`;
const MEASURE = oneOf("days?", "weeks?", "months?");

const QUESTIONS: readonly Wording[] = [
  // "Days from now until 1 March?": it is counted from today anyway
  wording(
    ({ unit, date, mark }) => `how many ${unit ?? ""} until ${date ?? ""}${mark ?? ""}`,
    String.raw`^(?:${KNOWS})?(?:how\s+many\s+)?(?<unit>${MEASURE})\s+(?:(?:is\s+it|are\s+(?:there|left|it)|remain|left|still|to\s+go|do\s+(?:i|we)\s+have)\s+)*(?:counted\s+|counting\s+)?from\s+(?:today|now)(?:\s+on)?\s+(?:until|till|to|up\s+to)\s+(?<date>[^?\n\uE000]{3,40}?)(?<mark>[\s?.!]*)$`,
  ),
  // "8 hours are how many minutes"
  wording(
    ({ from, to }) => `how many ${to ?? ""} are in ${from ?? ""}?`,
    String.raw`^(?:${KNOWS})?(?<from>(?:\d[\d.,]*|an?|one|two|three|four|five|six|ten)\s+\p{L}+)\s+(?:are|is|make|makes|has|have|equals?|=)\s+how\s+many\s+(?<to>\p{L}+)[\s?.!]*$`,
  ),
  // "I want to know: how many grams does 2 kilos have"
  wording(({ asked }) => asked, String.raw`^${KNOWS}(?<asked>how\s+(?:many|much)\s[^,;:!\n]{3,80})$`),
];

/** A question for a number in the usual words; the request itself if it has none of the forms. */
export const rewriteCalculationQuestion = (request: string): string => rewriteBy(request, QUESTIONS);
