const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?";
const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|march|april|june|july|august|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const DAY = String.raw`(?:${WEEKDAY}|today|tonight|tomorrow|${MONTH}|next (?:week|month|year)|the weekend|christmas|easter)`;
const HOUR = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
const TIME = String.raw`(?:\d{1,2}[:.]\d{2}|\d{1,2}\s?[ap]m|(?:half|quarter)[ -](?:past|to)[ -]\p{L}+|half ${HOUR}|(?:\d{1,2}|${HOUR}) o['’]?clock|at (?:${HOUR}|\d{1,2}))`;
const PREPOSITION = "(?:(?:on|by|before|until|till|at|due|from|after|around|deadline):? )";

const ANY = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${PREPOSITION}?(?:${DAY}|${TIME}|noon|midnight|deadline)(?![\p{L}\p{N}])`,
  "iu",
);
/** Beside a date, only words that name another moment: "the Monday meeting" is a thing. */
const MOMENT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${PREPOSITION}${DAY}|${TIME}|deadline$)(?![\p{L}\p{N}])`,
  "iu",
);

/**
 * The words of a title that name a day or a time, which nothing was set from; undefined if there are none. `hasDate`
 * for a title beside a date, in which a day may be part of a name.
 */
export function timeWordsIn(title: string, { hasDate }: { hasDate: boolean }): string | undefined {
  return (hasDate ? MOMENT : ANY).exec(title)?.[0];
}
