import { afterFiller } from "../tokens/filler-phrases.ts";
import { startsCommand } from "./grammar.ts";
import type { InterpretationContext } from "./match.ts";
import { FUNCTION_WORDS } from "../tokens/words.ts";

/** Verbs for writing and reasoning: work for a model, not for a skill. */
const CREATIVE_VERBS: ReadonlySet<string> = new Set(
  (
    "write compose draft rewrite rephrase paraphrase summarise summarize translate explain describe brainstorm suggest recommend " +
    "invent imagine tell plan design calculate compute solve analyse analyze compare review proofread correct improve shorten " +
    "outline elaborate discuss argue advise guess predict convert generate code program debug refactor sing joke think research"
  ).split(" "),
);
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  "what why how who whom whose which when where is are was were do does did should would could can will may might am has have".split(
    " ",
  ),
);
const CREATIVE_NOUNS: ReadonlySet<string> = new Set(
  (
    "poem poems story stories haiku essay song lyrics joke jokes limerick novel article blog letter speech summary translation recipe " +
    "email e-mail script tweet post slogan outline idea ideas"
  ).split(" "),
);

/** "What does it mean?" asks for no mean of numbers. */
const MEANING: ReadonlySet<string> = new Set(["mean", "means", "meaning", "meant"]);

/** True for open-ended work for a language model: writing, explaining, answering questions about the world. */
export function isOpenEnded(
  { tokens, grammar }: InterpretationContext,
  { from, to }: { from: number; to: number },
): boolean {
  const { at } = afterFiller(tokens, from, to);
  const head = tokens.slice(at, Math.min(to, at + 30)).filter((token) => token.kind !== "mark");
  const words = head.filter((token) => token.kind === "word");
  const first = words[0]?.text ?? "";
  const namesText = words.slice(0, 6).some((token) => CREATIVE_NOUNS.has(token.text));
  // Writing existing content into a file requires no model.
  if (first === "write" && !namesText && head.some((token) => token.kind === "path")) return false;
  if (CREATIVE_VERBS.has(first)) return head.length > 1;
  // A question about skills or past runs is about this system, not about the world.
  if (QUESTION_WORDS.has(first))
    return (
      head.length > 1 &&
      !words.some(
        (token) =>
          !FUNCTION_WORDS.has(token.text) && !MEANING.has(token.text) && startsCommand(grammar, token),
      )
    );
  return namesText;
}
