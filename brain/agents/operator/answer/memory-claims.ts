import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import type { PreparedEvidence } from "./evidence.ts";
import { significantWords, stem } from "./mentions.ts";
import { type Problem, refuted } from "./problem.ts";

/** "I'll remember that", "I will keep it in mind": only what is saved keeps this promise. */
const PROMISE = new RegExp(
  wholeWords(
    String.raw`i(?:['’]ll| will| shall|['’]m going to| am going to) (?:\p{L}+ )?(?:remember|memori[sz]e|(?:keep|bear) (?:\p{L}+ ){0,4}in mind|make a (?:mental )?note|note (?:that|this|it))`,
    "i (?:won['’]t|will not|shall not) forget",
    "ich (?:werde )?(?:mir )?(?:das |es )?merken?(?: mir)?(?: das| es)?",
    "ich behalte (?:das|es) im (?:kopf|hinterkopf)|ich vergesse (?:das|es) nicht",
    "je (?:m['’]en souviendrai|(?:le |la |les )?retiendrai|garde(?:rai)? (?:ça|cela) en tête)",
    "(?:lo|la) (?:recordaré|tendré en cuenta)|me acordaré",
  ),
  "iu",
);

const I_WILL = oneOf(String.raw`i(?:['’]ll| will)|i(?:['’]m| am) going to|ich werde|je \p{L}+rai|lo haré`);
const ALWAYS = oneOf(
  "from (?:now|here) on|in (?:the )?future|(?:every|each) time",
  "ab (?:jetzt|sofort)|von nun an|künftig|in zukunft|jedes mal",
  "désormais|dorénavant|à l['’]avenir|a partir de ahora|de ahora en adelante",
);
/** "I will do that from now on": only what is saved holds in the next conversation. */
const FOR_EVERY_TIME = new RegExp(String.raw`(?<!\p{L})${I_WILL}(?!\p{L})[^.?!]*?${ALWAYS}(?!\p{L})`, "iu");
/** Skills that store what holds later. */
const STORES_RULE = /^(?:memory_remember|schedule_\w+|remind|function_\w+|fs_(?:write|append|edit))$/u;

const CONDITION = /(?<!\p{L})(?:if|unless|once|when|wenn|falls|sobald|si|cuando)(?!\p{L})/iu;

/** "Tell me who has it, and I will note it": what is to be saved is not known yet. */
const ASKS_FIRST = new RegExp(
  wholeWords(
    "(?:tell|give|send|show) me|let me know|say (?:so|who|what|when|where|which)|sag(?:en sie)? mir",
    "dis-moi|dites-moi|dime",
  ),
  "iu",
);

/** Skills that store what the person said. */
const SAVING_SKILLS = new Set(
  "memory_remember fs_write fs_append fs_edit table_edit json_update task_create task_update remind schedule_create".split(
    " ",
  ),
);

/** Promises to remember something that no call saved and no memory contains. */
export function unsavedPromises(text: string, { calls, source }: PreparedEvidence): Problem[] {
  const forEveryTime = FOR_EVERY_TIME.exec(text)?.[0];
  const promise = forEveryTime ?? PROMISE.exec(text)?.[0];
  if (promise === undefined || text.includes("?") || CONDITION.test(text)) return [];
  if (ASKS_FIRST.test(text.slice(0, text.indexOf(promise)))) return [];
  const isSaved = calls.some(
    ({ success, tool }) =>
      success && (forEveryTime === undefined ? SAVING_SKILLS.has(tool) : STORES_RULE.test(tool)),
  );
  return isSaved || isKnown(source)
    ? []
    : [
        refuted(
          `"${promise}" is promised, and no call saved it. Save it with memory_remember, or leave the promise out.`,
        ),
      ];
}

/** True if one memory has every significant word of the request that is not about remembering. */
function isKnown({ request, memories }: PreparedEvidence["source"]): boolean {
  const words = significantWords(request)
    .map(stem)
    .filter((word) => !REMEMBERING.has(word));
  return (
    words.length > 0 &&
    memories.some((memory) => {
      const known = new Set(significantWords(memory).map(stem));
      return words.every((word) => known.has(word));
    })
  );
}

const REMEMBERING = new Set(["remember", "note", "forget", "mind", "memory", "please"].map(stem));
