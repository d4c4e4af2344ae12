import { readForms } from "../conversation/form-table.ts";

/** What an order does with lines. */
const ACTIONS = ["add", "remove", "check", "uncheck", "sort"] as const;
export type LineAction = (typeof ACTIONS)[number];

const MODAL = String.raw`(?:can|should|may|must|could|has\s+to|have\s+to|needs?\s+to|is\s+to|are\s+to)(?:\s+(?:now|also|just))?`;
const PERSON = String.raw`(?:(?:i|we)(?:['’]?ve|\s+have)?|(?:my|our|his|her)\s+\p{L}+(?:['’]s|\s+has)?)\s+(?:already\s+|just\s+)*`;
const BOUGHT = String.raw`(?:got|bought|found|fetched|packed|ordered|picked\s+up|sorted|sold|have)`;
const ALREADY = String.raw`(?:\s+(?:already|now|today|at\s+home|on\s+board|here|left))*`;
const NOT_NEEDED = String.raw`(?:(?:i|we|you)\s+)?(?:do\s+not|don['’]?t|no\s+longer|won['’]?t|needn['’]?t)\s+(?:actually\s+|really\s+)?(?:need|want|have)(?:\s+to\s+(?:get|buy|bring|take|have))?`;

/** The forms of an order. The first form that fits applies. */
export const ORDER_FORMS = readForms(
  String.raw`
  sort: (?:(?:sort|put|make|order|arrange|list)\s+(?:it|them|that|this|the\s+list|everything)?\s*)?(?:(?:in(?:to)?\s+|by\s+)?(?:the\s+)?alphabet(?:ic(?:al(?:ly)?)?)?(?:\s+order)?|(?:from\s+)?a\s*(?:-|–|to)\s*z)(?:\s+order)?
  uncheck: (?:uncheck|untick|unmark)\s*(?<object>.*)
  add: (?:put|add|bring|get|take|write)\s+(?<object>[^,;.?!]{1,60}?)\s+back(?:\s+(?:in|on|down|again))*
  add: (?:put|add|bring)\s+back\s+(?<object>\S.*)
  # The item stands in the clause next to it: "milk, put it on".
  add: (?:add|put|write|include)(?:\s+(?:it|that|them|her|him|this|those))?(?:\s+(?:on|in|down|there))*
  check: (?:check|tick|cross|mark)(?:\s+off)?\s*(?<object>.*?)(?:\s+(?:off|as\s+(?:done|got|bought|finished)|done))?
  remove: (?:remove|delete|drop|lose|strike|scratch|erase|cancel|kick|bin|ditch|skip|omit|cut|nix|scrap|(?:get|got)\s+rid\s+of|forget(?:\s+about)?|never\s*mind(?:\s+about)?|nvm|leave\s+out|take\s+(?:off|out|away))(?!\s+(?:an?|some)\s)\s*(?<object>.*?)(?:\s+(?:off|out|away))?
  remove: (?:take|pull|leave|knock|strike)\s+(?!an?\s)(?<object>.*?)\s*\b(?:off|out|away)
  check: (?<object>\S.*?)\s+${MODAL}\s+be\s+(?:crossed|ticked|checked)\s+(?:off|out)
  remove: (?<object>\S.*?)\s+(?:${MODAL}\s+(?:come\s+(?:off|out)|go(?:\s+(?:off|out|away))?|be\s+(?:removed|deleted|taken\s+(?:off|out)|dropped|struck))|(?:comes?|goes)\s+off|(?:is|are)\s+off)
  remove: ${NOT_NEEDED}\s+(?<object>\S.*?)(?:\s+(?:any\s*more|any\s+longer|after\s+all|now|too))*
  remove: (?:no\s+need\s+(?:for|of)|no\s+more|(?:i|we)\s+need\s+no(?:\s+more)?)\s+(?<object>\S.*)
  remove: (?<object>\S.*?)\s+(?:is|are)\s+(?:not|no\s+longer)\s+needed
  add: (?<object>\S.*?)\s+(?:${MODAL}\s+(?:go\s+(?:on|in|down)|be\s+(?:added|on\s+it|there))|is\s+(?:coming|joining)|are\s+(?:coming|joining))
  add: (?:add|put|append|write|note|insert|include|pop|stick|chuck|throw|jot|enter|get|buy|bring|pack)\b(?:\s+(?:down|in|on|there|also|too|still|even))*\s+(?<object>\S.*?)(?:\s+(?:on|in|down|there))?
  add: (?:i|we)?\s*(?:almost\s+|nearly\s+)?(?:forgot|don['’]?t\s+forget|do\s+not\s+forget)(?:\s+about)?\s*(?<object>.*)
  add: (?:i|we)(?:['’]?ll)?\s+(?:also\s+|still\s+)*(?:need|want)\s+(?:to\s+(?:get|buy|bring|pack)\s+)?(?<object>\S.*)
  add: (?:another|one\s+more|plus|and\s+also)\s+(?!one\s)(?<object>\S.*)
`,
  ACTIONS,
);

/** The forms of a statement that implies an order; tried after the orders. */
export const STATEMENT_FORMS = readForms(
  String.raw`
  remove: (?<object>\S.*?)(?:\s+(?:has|have))?\s+(?:just\s+)?(?:dropped\s+out|cancelled|canceled|(?:can['’]?t|cannot|can\s+not|won['’]?t|is\s+not|isn['’]?t|will\s+not)\s+(?:be\s+)?(?:come|coming|make\s+it|there|join(?:ing)?|going))
  remove: (?<object>\S.*?)\s+(?:is|are|was|were|got|has\s+been|have\s+been)\s+(?:cancelled|canceled|called\s+off|out)
  check: (?<object>\S.+?)(?:['’]s|\s+(?:has|have|is|are))?(?:\s+(?:just|already|finally|now))*\s+(?:arrived|came|come|here|packed|bought|delivered|fetched|sorted|turned\s+up|done|finished|in\s+the\s+(?:bag|car|trolley|basket|fridge|van|case))(?:\s+(?:already|now|today))*
  check: (?:${PERSON})?${BOUGHT}\s+(?<object>\S.*?)${ALREADY}
  check: (?<object>\S.*?)\s+${PERSON}${BOUGHT}${ALREADY}
`,
  ACTIONS,
);
