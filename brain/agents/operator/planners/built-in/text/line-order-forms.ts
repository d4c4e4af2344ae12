// The words of orders for lines of a list: "take the eggs off", "put jam on", "the bread is bought".

/** What an order does with lines. */
export type LineAction = "add" | "remove" | "check" | "uncheck" | "sort";

const MODAL = String.raw`(?:can|should|may|must|could|has\s+to|have\s+to|needs?\s+to|is\s+to|are\s+to)(?:\s+(?:now|also|just))?`;
const PERSON = String.raw`(?:(?:i|we)(?:['’]?ve|\s+have)?|(?:my|our|his|her)\s+\p{L}+(?:['’]s|\s+has)?)\s+(?:already\s+|just\s+)*`;
const BOUGHT = String.raw`(?:got|bought|found|fetched|packed|ordered|picked\s+up|sorted|sold|have)`;
const ALREADY = String.raw`(?:\s+(?:already|now|today|at\s+home|on\s+board|here|left))*`;
const NOT_NEEDED = String.raw`(?:(?:i|we|you)\s+)?(?:do\s+not|don['’]?t|no\s+longer|won['’]?t|needn['’]?t)\s+(?:actually\s+|really\s+)?(?:need|want|have)(?:\s+to\s+(?:get|buy|bring|take|have))?`;

/** The forms of an order for lines; the first that fits is meant. */
export const LINE_ORDER_FORMS: readonly (readonly [action: LineAction, isStated: boolean, form: RegExp])[] = [
  [
    "sort",
    false,
    /^(?:(?:sort|put|make|order|arrange|list)\s+(?:it|them|that|this|the\s+list|everything)?\s*)?(?:(?:in(?:to)?\s+|by\s+)?(?:the\s+)?alphabet(?:ic(?:al(?:ly)?)?)?(?:\s+order)?|(?:from\s+)?a\s*(?:-|–|to)\s*z)(?:\s+order)?$/iu,
  ],
  ["uncheck", false, /^(?:uncheck|untick|unmark)\s*(?<object>.*)$/iu],
  [
    "add",
    false,
    /^(?:put|add|bring|get|take|write)\s+(?<object>[^,;.?!]{1,60}?)\s+back(?:\s+(?:in|on|down|again))*$/iu,
  ],
  ["add", false, /^(?:put|add|bring)\s+back\s+(?<object>\S.*)$/iu],
  // The item stands in the clause next to it: "milk, put it on".
  [
    "add",
    false,
    /^(?:add|put|write|include)(?:\s+(?:it|that|them|her|him|this|those))?(?:\s+(?:on|in|down|there))*$/iu,
  ],
  [
    "check",
    false,
    /^(?:check|tick|cross|mark)(?:\s+off)?\s*(?<object>.*?)(?:\s+(?:off|as\s+(?:done|got|bought|finished)|done))?$/iu,
  ],
  [
    "remove",
    false,
    /^(?:remove|delete|drop|lose|strike|scratch|erase|cancel|kick|bin|ditch|skip|omit|cut|nix|scrap|(?:get|got)\s+rid\s+of|forget(?:\s+about)?|never\s*mind(?:\s+about)?|nvm|leave\s+out|take\s+(?:off|out|away))(?!\s+(?:an?|some)\s)\s*(?<object>.*?)(?:\s+(?:off|out|away))?$/iu,
  ],
  ["remove", false, /^(?:take|pull|leave|knock|strike)\s+(?!an?\s)(?<object>.*?)\s*\b(?:off|out|away)$/iu],
  [
    "remove",
    false,
    new RegExp(
      String.raw`^(?<object>\S.*?)\s+(?:${MODAL}\s+(?:come\s+(?:off|out)|go(?:\s+(?:off|out|away))?|be\s+(?:removed|deleted|taken\s+(?:off|out)|dropped|crossed\s+(?:off|out)|struck))|(?:comes?|goes)\s+off|(?:is|are)\s+off)$`,
      "iu",
    ),
  ],
  [
    "remove",
    false,
    new RegExp(
      String.raw`^${NOT_NEEDED}\s+(?<object>\S.*?)(?:\s+(?:any\s*more|any\s+longer|after\s+all|now|too))*$`,
      "iu",
    ),
  ],
  [
    "remove",
    false,
    /^(?:no\s+need\s+(?:for|of)|no\s+more|(?:i|we)\s+need\s+no(?:\s+more)?)\s+(?<object>\S.*)$/iu,
  ],
  ["remove", false, /^(?<object>\S.*?)\s+(?:is|are)\s+(?:not|no\s+longer)\s+needed$/iu],
  [
    "add",
    false,
    new RegExp(
      String.raw`^(?<object>\S.*?)\s+(?:${MODAL}\s+(?:go\s+(?:on|in|down)|be\s+(?:added|on\s+it|there))|is\s+(?:coming|joining)|are\s+(?:coming|joining))$`,
      "iu",
    ),
  ],
  [
    "add",
    false,
    /^(?:add|put|append|write|note|insert|include|pop|stick|chuck|throw|jot|enter|get|buy|bring|pack)\b(?:\s+(?:down|in|on|there|also|too|still|even))*\s+(?<object>\S.*?)(?:\s+(?:on|in|down|there))?$/iu,
  ],
  [
    "add",
    false,
    /^(?:i|we)?\s*(?:almost\s+|nearly\s+)?(?:forgot|don['’]?t\s+forget|do\s+not\s+forget)(?:\s+about)?\s*(?<object>.*)$/iu,
  ],
  [
    "add",
    false,
    /^(?:i|we)(?:['’]?ll)?\s+(?:also\s+|still\s+)*(?:need|want)\s+(?:to\s+(?:get|buy|bring|pack)\s+)?(?<object>\S.*)$/iu,
  ],
  ["add", false, /^(?:another|one\s+more|plus|and\s+also)\s+(?!one\s)(?<object>\S.*)$/iu],
  [
    "remove",
    true,
    /^(?<object>\S.*?)(?:\s+(?:has|have))?\s+(?:just\s+)?(?:dropped\s+out|cancelled|canceled|(?:can['’]?t|cannot|can\s+not|won['’]?t|is\s+not|isn['’]?t|will\s+not)\s+(?:be\s+)?(?:come|coming|make\s+it|there|join(?:ing)?|going))$/iu,
  ],
  [
    "remove",
    true,
    /^(?<object>\S.*?)\s+(?:is|are|was|were|got|has\s+been|have\s+been)\s+(?:cancelled|canceled|called\s+off|out)$/iu,
  ],
  [
    "check",
    true,
    /^(?<object>\S.+?)(?:['’]s|\s+(?:has|have|is|are))?(?:\s+(?:just|already|finally|now))*\s+(?:arrived|came|come|here|packed|bought|delivered|fetched|sorted|turned\s+up|done|finished|in\s+the\s+(?:bag|car|trolley|basket|fridge|van|case))(?:\s+(?:already|now|today))*$/iu,
  ],
  ["check", true, new RegExp(String.raw`^(?:${PERSON})?${BOUGHT}\s+(?<object>\S.*?)${ALREADY}$`, "iu")],
  ["check", true, new RegExp(String.raw`^(?<object>\S.*?)\s+${PERSON}${BOUGHT}${ALREADY}$`, "iu")],
];
