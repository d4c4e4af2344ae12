import type { Background } from "../../memory/index/keyword-score.ts";
import { contentWords, stemOf } from "../../text/words.ts";

/**
 * Common words of requests and functions: general verbs, kinds of data, quantities. They say little about a task, even
 * in a collection where only one function contains them.
 */
const COMMON: ReadonlySet<string> = new Set(
  contentWords(
    "make create write read get put add set give take use find look search show tell list see let want need like know think go come " +
      "change update delete remove move copy sort order open close start stop begin end finish save keep send bring pick turn run do done " +
      "check test verify ensure count calculate compute convert return retrieve fetch provide perform handle help try work play call ask say " +
      "specify specified include contain contains identify given require required allow select choose replace match compare combine split join extract " +
      "function task thing item file folder document text note line word name number value result answer question data information detail details " +
      "list table element entry record object string array integer boolean character digit id type kind format option parameter input output " +
      "user person people people customer client system server service application app page website code program project request response " +
      "time date day week month year hour minute second today tomorrow moment current currently available available " +
      "first second third last next previous new old good best better right wrong sure big small large little long short high low full empty " +
      "one two three four five six seven eight nine ten hundred thousand many much several few single multiple different similar certain specific particular " +
      "total sum maximum minimum least most length size amount range average whole half part piece group set pair case example way place position location " +
      "whether within between after before during while until since without every each always never also even whatever somehow somewhere something anything " +
      "please thanks thank hello hi ok okay yes main default optional valid true false following associated based related " +
      "able possible easy quick quickly soon later now today maybe really simple",
  ).map(stemOf),
);

/** The approximate share of texts with a common word. */
const COMMON_SHARE = 0.12;
/** The weight of the background, in texts. */
export const BACKGROUND_TEXTS = 400;

/** The word frequencies of the background. Numbers and single letters count as common. */
export const FUNCTION_BACKGROUND: Background = {
  texts: BACKGROUND_TEXTS,
  count: (stem) => (isCommonWord(stem) ? COMMON_SHARE * BACKGROUND_TEXTS : 0),
};

/** True for a stem that contributes little to the subject of a task. */
export function isCommonWord(stem: string): boolean {
  return COMMON.has(stem) || /^\p{N}+$/u.test(stem) || stem.length === 1;
}
