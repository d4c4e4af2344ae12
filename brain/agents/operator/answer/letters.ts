import { type AnswerEvidence } from "./evidence.ts";

/** A line that addresses somebody, with the name. */
const SALUTATION =
  /^[\s*_>]*(?:dear|hi|hello|hey|sehr geehrte[rs]?|liebe[rs]?|hallo|ch(?:er|ère)|bonjour|querid[oa]|estimad[oa]|hola|gentile|car[oa]|ciao|beste|geachte|kära?|hej|kjære|hei|hyvä|olá|prezad[oa])\s+([\p{L}][\p{L}.'’ -]{0,60}?)\s*[,!:][\s*_]*$/iu;
const CLOSING =
  /^[\s*_>]*(?:(?:kind|best|warm|many)(?:est)? (?:regards|wishes|thanks)|regards|best|all the best|sincerely|yours|cheers|with love|love|thank you|mit (?:freundlichen|besten|lieben)|(?:viele|liebe|beste|herzliche) grü(?:ß|ss)e|cordialement|bien à vous|amicalement|(?:un )?(?:cordial )?saludos?|atentamente|cordiali saluti|distinti saluti|met vriendelijke|(?:med )?vänlig|vänliga|hälsningar|(?:med )?vennlig|hilsen|ystävällisin|atenciosamente)(?!\p{L})/iu;
const LETTER =
  /(?<!\p{L})(?:letters?|e-?mails?|mails?|messages?|repl(?:y|ies)|answer to|invitations?|complaints?|applications?|postcards?|speech|briefe?s?|schreiben|nachricht|einladung|lettres?|courriel|réponse|invitation|cartas?|correo|mensaje|respuesta|brev|kirje|lettera|messaggio|berichtje|bericht|carta)(?!\p{L})/iu;

/** True when a letter or a message was asked for in this conversation, so that an answer may hold one in the person's words. */
export const asksForLetter = ({ request, conversation }: AnswerEvidence): boolean =>
  [request, ...conversation.filter(({ role }) => role === "person").map(({ text }) => text)].some((text) =>
    LETTER.test(text),
  );

/**
 * Follows the lines of an answer: from a line that addresses somebody else than the person to the closing, "I" is the person who sends the
 * letter, so what it says was done is no claim of the operator.
 */
export function isWithinLetter(text: string, wasWithin: boolean, { known = [] }: AnswerEvidence): boolean {
  if (CLOSING.test(text)) return false;
  const name = SALUTATION.exec(text)?.[1];
  if (name === undefined) return wasWithin;
  const person = /^You work for (.+)\.$/mu.exec(known.join("\n"))?.[1]?.toLowerCase() ?? "";
  const [first = ""] = person.split(" ");
  return first === "" || !name.toLowerCase().split(" ").includes(first);
}
