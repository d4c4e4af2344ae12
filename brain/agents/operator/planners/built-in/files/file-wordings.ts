import { PATH } from "@metahuman/core/language/tokens/reorder";
import { oneOf } from "@metahuman/core/text/patterns";
import {
  END,
  isUnconditional,
  MUST,
  POLITE,
  QUOTED,
  rewriteBy,
  VALUE,
  type Wording,
  wording,
} from "../wordings.ts";

// Orders for files in other than the usual words, rewritten as the phrases of the skills say them. Each form is one in which a person
// only orders something: none of them is a question, denied, or about what was.

const FILE = String.raw`(?:(?:the\s+)?file\s+)?`;

const ORDINALS = ["first", "second", "third", "fourth", "fifth"];
const ORDINAL = `${ORDINALS.join("|")}|last|\\d{1,3}(?:st|nd|rd|th)`;
/** "The second line", "the last line", "line 12" */
const lineOf = (ordinal = ""): string => {
  const digits = /^\d+/u.exec(ordinal)?.[0];
  return digits === undefined ? `the ${ordinal.toLowerCase()} line` : `line ${digits}`;
};
const placeOf = (ordinal = ""): number | undefined => {
  const digits = /^\d+/u.exec(ordinal)?.[0];
  const at = digits === undefined ? ORDINALS.indexOf(ordinal.toLowerCase()) + 1 : Number(digits);
  return at > 1 ? at : undefined;
};

const NEXT_LINE = String.raw`(?:as|for|on)\s+(?:(?:an?|one|the|its)\s+)?(?:(?:more|new|another|next|last|further|extra|separate|own)\s+)+(?:line|entry|item)`;
const ONE_MORE = String.raw`(?:one\s+(?:more|extra|further|new)|another|an?\s+(?:new|further|extra|additional))`;
const ADDS = "(?:add|append|put|write|enter|note)";

const WANTS_COPY = oneOf(
  String.raw`(?:i|we)(?:['’]d|\s+would)?\s+(?:like|need|want)(?:\s+to\s+have)?`,
  String.raw`(?:place|put|make|leave|save|store|create|get|give)(?:\s+(?:me|us))?|could|(?:can|could)\s+(?:i|we)\s+(?:have|get)`,
);

const NAMED_WRONG = oneOf(
  String.raw`(?:is|was|got)\s+(?:(?:spelt|spelled|written|named|typed)\s+wrong(?:ly)?|misspelt|misspelled|mistyped|misnamed)`,
  String.raw`has\s+(?:an?|the)\s+(?:typo|mistake|error|wrong\s+letter)\s+in\s+(?:its|the)\s+name|has\s+the\s+wrong\s+name`,
);

const USELESS = oneOf(
  String.raw`(?:wrong|obsolete|outdated|superfluous|redundant|nonsense|a\s+(?:mistake|typo|duplicate)|old|no\s+longer\s+(?:needed|true|valid))`,
  String.raw`not\s+(?:needed|true|valid|right)(?:\s+(?:any\s?more|any\s+longer))?`,
);

/** "The text john sent me" is a text that there is. */
const OF_OTHERS =
  /\b(?:sent|wrote|gave|said|told|typed|copied|pasted|dictated|mentioned|showed|just|above|below)\b/iu;

const LOSES = oneOf(
  "forget",
  "lose",
  "misplace",
  "mislay",
  String.raw`mix\s+(?:it|that|them)\s+up`,
  String.raw`throw\s`,
);
const WENT = oneOf(
  String.raw`(?:has\s+|have\s+)?(?:just\s+)?(?:left|quit|resigned|moved\s+(?:away|out|on)|stopped|died|cancelled|withdrawn|dropped\s+out|passed\s+away)`,
  String.raw`(?:is|was)\s+(?:no\s+longer|out|gone)`,
);
const REMARK = String.raw`(?:(?:i|we)(?:['’]m|['’]ve)?\s+(?:(?:am|have|do|really|still)\s+)*(?:know|sure|certain|think|believe|remember|wrote|noted|saved|put|had|need|forgot|lost|written|kept|stored)|(?:it\s+)?(?:must|should|has\s+to)\s+be\s+(?:somewhere|there|in|written|noted)|it\s+is\s+(?:somewhere|written|noted))\b`;

const SEVERAL_FILES = new RegExp(String.raw`${PATH}\s*(?:,|\s(?:and|also)\s).*${PATH}`, "iu");
/** True if a file behind this separator may belong to the list of files that the order ends with. */
const isInSameList = (order: string, separator: string): boolean =>
  SEVERAL_FILES.test(order) &&
  (separator.trim().toLowerCase() === "and" || (separator.trim() === "," && !/\band\b/iu.test(order)));

const WORDINGS: readonly Wording[] = [
  // "out/a.md: add 'x' as one more line", "in out/a.md, one more line: x"
  wording(
    ({ path, text }) => `append ${text ?? ""} to ${path ?? ""}`,
    String.raw`^(?:(?:in|to|into)\s+)?${FILE}(?<path>${PATH})\s*[:,–-]+\s*${POLITE}${ADDS}\s+(?:(?:the|an?|one\s+more|another)\s+(?:new\s+)?(?:line|words?|entry|text)\s+)?(?<text>${VALUE})`,
    String.raw`(?:\s+(?:${NEXT_LINE}|(?:at|to)\s+the\s+(?:end|bottom)(?:\s+of\s+it)?|to\s+it))+${END}`,
  ),
  wording(
    ({ path, text }) => `append ${text ?? ""} to ${path ?? ""}`,
    String.raw`^(?:(?:in|to|into|for)\s+)?${FILE}(?<path>${PATH})(?<!\.(?:csv|tsv|json))\s*[,:]?\s*${ONE_MORE}\s+(?:line|entry|item)(?:\s+please)?\s*[:,–-]\s*(?<text>${VALUE})${END}`,
  ),
  // "I'd like a copy of inbox/a.txt in out under the name b.txt", "… copied to out under the name b.txt"
  wording(
    ({ wish, path, copied, folder, name }) =>
      // "a.txt copied to out as b.txt" says what happened.
      copied !== undefined && wish === undefined
        ? undefined
        : `copy ${copied ?? path ?? ""} to ${folder ?? ""}/${name ?? ""}`,
    String.raw`^${POLITE}(?:(?<wish>${WANTS_COPY})\s+)?(?:(?:an?|one|the|another)\s+(?:copy|duplicate|second\s+copy)\s+of\s+${FILE}(?<path>${PATH})(?:\s+(?:put|placed|stored|saved))?\s+(?:in|into|to|inside)|(?:have\s+|be\s+)?${FILE}(?<copied>${PATH})\s+(?:be\s+)?copied\s+(?:to|into))`,
    String.raw`\s+(?:the\s+folder\s+)?(?<folder>[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)*)\/?,?\s+(?:(?:under|with|by|using)\s+the\s+(?:file\s*)?name(?:\s+of)?|called|named|as)\s+(?<name>[\p{L}\p{N}_-]+\.\p{L}[\p{L}\p{N}]{0,9})[\s?]*${END}`,
  ),
  // "Read a.txt and save the same text in b.txt"
  wording(
    ({ before, text, after }) => `${before ?? ""}that ${text ?? ""}${after ?? ""}`,
    String.raw`^(?<before>${POLITE}(?:read|open|show(?:\s+me)?)\s+${FILE}${PATH}\s*(?:,\s*|\s)(?:and\s+)?(?:then\s+)?(?:save|write|put|store|copy)\s+)the\s+(?:very\s+)?same\s+(?<text>text|content|contents|words)(?<after>\s.*)$`,
  ),
  // "Delete a.md and b.md, c.md stays": what stays is named by no order. In "delete a.md, b.md and c.md must stay", b.md may stay, too.
  wording(
    ({ order = "", separator = "", kept = "" }) =>
      order.includes(kept.replace(/^out\//u, "")) || isInSameList(order, separator) ? undefined : order,
    String.raw`^(?<order>${POLITE}(?:delete|remove|erase)\s+${FILE}${PATH}(?:\s*(?:,\s*and\s+also|,\s*and|and\s+also|,|and)\s*${FILE}${PATH})*)\s*(?<separator>(?:[,;.]|\sbut|\swhile|\sand)\s*(?:but\s+|while\s+|only\s+)?)${FILE}(?<kept>${PATH})\s+(?:stays|remains|(?:should|must|can|may|shall|is\s+to|has\s+to)\s+(?:stay|remain|be\s+kept))(?:\s+(?:where\s+it\s+is|there|in\s+place|untouched))?${END}`,
  ),
  // "I mistyped it, a.md should be called b.md. Can you rename it?"
  wording(
    ({ reason, path, name }) =>
      isUnconditional(reason) ? `rename ${path ?? ""} to ${name ?? ""}` : undefined,
    String.raw`^(?:(?<reason>[^\uE000:?!\n]{3,60}?)[,.;]\s+)?${FILE}(?<path>${PATH})(?:\s+${NAMED_WRONG}[,;.]?\s+(?:and\s+)?(?:it|the\s+name))?\s+${MUST}\s+(?:be|have\s+been|read)(?:\s+(?:called|named))?\s+(?<name>${PATH})`,
    String.raw`[\s.,;!]+${POLITE}(?:rename|change|fix|correct)\s+(?:it|that|this)(?:\s+please)?[\s?]*${END}`,
  ),
  // "The first line in a.txt must be deleted"
  wording(
    ({ ordinal, number, path }) =>
      `delete ${number === undefined ? lineOf(ordinal) : `line ${number}`} of ${path ?? ""}`,
    String.raw`^(?:the\s+)?(?:(?<ordinal>${ORDINAL})\s+(?:line|entry)|line\s+(?<number>\d{1,3}))\s+(?:of|in|from)\s+${FILE}(?<path>${PATH})\s+(?:${MUST}|can)\s+(?:go(?:\s+away)?|be\s+(?:deleted|removed|taken\s+out|dropped)|disappear)(?:\s+now)?${END}`,
  ),
  // "Line 3 in a.txt is wrong, delete it"
  wording(
    ({ ordinal, number, path }) =>
      `delete ${number === undefined ? lineOf(ordinal) : `line ${number}`} of ${path ?? ""}`,
    String.raw`^(?:the\s+)?(?:(?<ordinal>${ORDINAL})\s+(?:line|entry)|line\s+(?<number>\d{1,3}))\s+(?:of|in|from)\s+${FILE}(?<path>${PATH})\s+is\s+(?:now\s+)?${USELESS}[,;.]\s*${POLITE}(?:delete|remove|drop|take\s+(?=it\s+out))\s*(?:it|that)(?:\s+out)?${END}`,
  ),
  // "junk.tmp can be deleted, it's only clutter"
  wording(
    ({ path, reason }) =>
      isUnconditional(reason?.replace(/\bonly\b/iu, "")) ? `delete ${path ?? ""}` : undefined,
    String.raw`^${FILE}(?<path>${PATH})\s+(?:${MUST}|can)\s+be\s+(?:deleted|removed|trashed|thrown\s+away)[,;.]\s+(?:because\s+|since\s+|as\s+)?(?<reason>(?:it(?:['’]s|\s+is|\s+was)|(?:i|we)(?:['’]ve|\s+have)?\s+(?:no\s+longer|don['’]?t|do\s+not|have))\s[^,;:?!\n]{2,60}?)${END}`,
  ),
  // "How many people are in a.csv if you don't count the header line?": a header is no row
  wording(
    ({ asked, mark }) => `${asked ?? ""}${mark ?? ""}`,
    String.raw`^(?<asked>how\s+many\s+[^,;:.!?\n]{2,60}\.(?:csv|tsv)(?:\s+have|\s+has|\s+hold|\s+list)?)[\s,(]*(?:if\s+(?:you|we|one)\s+(?:do\s+not|don['’]?t|does\s+not|doesn['’]?t)\s+count|when\s+not\s+counting|not\s+counting|without(?:\s+counting)?|excluding|except(?:\s+for)?|leaving\s+out|minus|apart\s+from)\s+(?:the\s+)?(?:header|heading|title|column\s+names?)(?:s|\s+(?:line|row))?\)?(?<mark>\s*\??)\s*$`,
  ),
  wording(
    ({ asked }) => asked,
    String.raw`^(?<asked>how\s+many\s+[^,;:.!?\n]{2,60}\.(?:csv|tsv)(?:\s+have|\s+has|\s+hold|\s+list)?\s*\??)[\s,;(]+(?:the\s+)?(?:header|heading|title)(?:\s+(?:line|row))?\s+(?:does\s+not|doesn['’]?t|is\s+not\s+to)\s+count\)?[\s?.!]*$`,
  ),
  // "crew.json needs a key captain with the value Liv"
  wording(
    ({ path, key, value }) => `give ${path ?? ""} a key ${key ?? ""} with the value ${value ?? ""}`,
    String.raw`^${FILE}(?<path>${PATH})(?<=\.json)\s+(?:needs|gets|must\s+(?:have|get)|should\s+(?:have|get)|lacks|is\s+missing|still\s+needs|wants|requires)\s+(?:(?:an?|the|another|one\s+more)\s+)?(?:(?:new|further|extra)\s+)?(?:key|field|entry|property|setting|attribute)\s+(?:called\s+|named\s+)?(?<key>[\p{L}\p{N}_.-]+|${QUOTED})\s*(?:,\s*)?(?:(?:with|of|having)\s+(?:the\s+)?value(?:\s+of)?|set\s+to|=|:)\s*(?<value>${VALUE}|-?\d+(?:\.\d+)?)${END}`,
  ),
  wording(
    ({ path, key, value }) => `give ${path ?? ""} a key ${key ?? ""} with the value ${value ?? ""}`,
    String.raw`^${POLITE}(?:add|put)\s+(?:an?|the|another)\s+(?:new\s+)?(?:key|field|entry|property|setting)\s+(?:called\s+|named\s+)?(?<key>[\p{L}\p{N}_.-]+|${QUOTED})\s+(?:to|in|into)\s+${FILE}(?<path>${PATH})(?<=\.json)\s*[,;:]?\s*(?:(?:with|its)\s+)?(?:the\s+)?value(?:\s+(?:is|of))?\s*:?\s+(?<value>${VALUE}|-?\d+(?:\.\d+)?)${END}`,
  ),
  // "In rig.json what does mode say"
  wording(
    ({ path, key }) => `what is the ${key ?? ""} in ${path ?? ""}?`,
    String.raw`^in\s+${FILE}(?<path>${PATH})(?<=\.json)[,:]?\s+what\s+(?:does|is)\s+(?:the\s+)?(?<key>[\p{L}\p{N}_-]+)(?:\s+(?:say|set\s+to|have|hold))?[\s?]*$`,
  ),
  // "Look into web.json and tell me which host it has"
  wording(
    ({ path, key }) => `what is the ${key ?? ""} in ${path ?? ""}?`,
    String.raw`^${POLITE}(?:look\s+(?:in(?:to)?|at|inside)|open|check|read|see|have\s+a\s+look\s+(?:in(?:to)?|at))\s+${FILE}(?<path>${PATH})(?:\s*[,;]?\s*(?:and\s+)?(?:then\s+)?(?:tell\s+me|say|show\s+me|let\s+me\s+know|find\s+out)|\s*[,;:]|\s+and)\s+(?:which|what)\s+(?:the\s+)?(?<key>[\p{L}\p{N}_-]+(?:\s[\p{L}\p{N}_-]+)?)\s+(?:it\s+(?:says|has|shows|contains|lists|names|gives|uses)|is\s+(?:in\s+it|in\s+there|there|set|given|written\s+there))[\s?]*${END}`,
  ),
  // "Swap it for x"
  wording(
    ({ text }) => `replace it with ${text ?? ""}`,
    String.raw`^${POLITE}(?:swap|exchange|switch|trade|change)\s+it\s+for\s+(?<text>${VALUE})${END}`,
  ),
  // "Whatever is in a.txt should be appended to b.txt"
  wording(
    ({ from, to }) => `append the content of ${from ?? ""} to ${to ?? ""}`,
    String.raw`^(?:what(?:ever)?|everything|all)\s+(?:that\s+)?(?:comes\s+from|is\s+(?:written\s+)?in|stands\s+in|there\s+is\s+in)\s+${FILE}(?<from>${PATH})\s+${MUST}\s+(?:be\s+(?:added|appended|attached)\s+(?:to|at|on)|(?:go|come|be\s+put|be\s+copied)\s+(?:to|at|on|onto)(?=\s+(?:the\s+)?(?:end|bottom)\b))(?:\s+(?:the\s+)?(?:end|bottom)\s+of)?\s+${FILE}(?<to>${PATH})${END}`,
  ),
  wording(
    ({ from, to }) => `append the content of ${from ?? ""} to ${to ?? ""}`,
    String.raw`^(?:the\s+)?(?:(?:whole\s+|full\s+)?(?:content|contents|text|lines)\s+(?:of|in|from)\s+)${FILE}(?<from>${PATH})\s+${MUST}\s+(?:be\s+(?:added|appended|attached)\s+(?:to|at|on)|(?:go|come|be\s+put|be\s+copied)\s+(?:to|at|on|onto)(?=\s+(?:the\s+)?(?:end|bottom)\b))(?:\s+(?:the\s+)?(?:end|bottom)\s+of)?\s+${FILE}(?<to>${PATH})${END}`,
  ),
  // "New row in costs.csv: 2026-11-26,tea,2.10": a row of the table that there is
  wording(
    ({ path, row }) => `one more row for ${path ?? ""}: ${row ?? ""}`,
    String.raw`^${POLITE}(?:an?\s+|the\s+|one\s+)?new\s+(?:row|line|entry|record)\s+(?:in|for|to|into)\s+(?:the\s+)?(?:file\s+|table\s+)?(?<path>${PATH})(?<=\.(?:csv|tsv))\s*[:;–-]\s*(?<row>[^\n:]+?)${END}`,
  ),
  // "Write the words no dogs to dog.txt"
  wording(
    ({ order, words, place }) =>
      OF_OTHERS.test(words ?? "") ? undefined : `${order ?? ""} "${words ?? ""}" ${place ?? ""}`,
    String.raw`^(?<order>${POLITE}(?:put|write|save|store|enter|add|append))\s+the\s+(?:words?|phrase|sentence|line|text)\s+(?!(?:in|from|of|on|below|above|that|which|who|i|we|you|it|and|to|as|with)\b)(?<words>[^\uE000\uE001"“”,;:/\n]{2,100}?)\s+(?<place>(?:in|into|to|as|at\s+the\s+end\s+of)\s+(?:(?:an?|the)\s+)?(?:new\s+)?(?:text\s+)?(?:file\s+)?(?:called\s+|named\s+)?${PATH})${END}`,
  ),
  // "Which file mentions the stove? I am sure I saved it": the question
  wording(
    ({ asked }) => asked,
    String.raw`^(?<asked>(?:which|what|where|who|how|when|in\s+which)\b[^?\n]{5,120}\?)\s+${REMARK}[^?\n]{0,80}$`,
  ),
  // "Where's the file that says be kind?"
  wording(
    ({ words }) => `which file mentions ${words ?? ""}?`,
    String.raw`^(?:where(?:['’]?s|\s+is)|what(?:['’]?s|\s+is)|find(?:\s+me)?)\s+(?:the|that|my)\s+(?:file|document|note)\s+(?:that|which|where\s+it)\s+(?:says|mentions|contains|talks\s+about)\s+(?<words>${VALUE})\s*(?:[?.]\s*(?:${REMARK}[^?\n]{0,80})?)?$`,
  ),
  // "Ruth quit, remove her line from club.csv"
  wording(
    ({ name, statement, path }) =>
      isUnconditional(statement) ? `remove the row ${name ?? ""} from ${path ?? ""}` : undefined,
    String.raw`^(?<name>(?!(?:i|we|you|he|she|they|it|if|when|who|nobody|everyone|everybody|someone|somebody|that|this|the|my|our)\b)\p{L}[\p{L}'’-]+(?:\s(?!(?:has|have|had|is|was|just|\S*n['’]t)\b)\p{L}[\p{L}'’-]+)?)\s+(?<statement>${WENT}[^,;.:?!\n]{0,40})[,;.!]\s*${POLITE}(?:take|remove|delete|strike|drop|cross)\s+(?:(?:his|her|their)\s+(?:row|line|entry|name)|him|her|them)(?:\s+(?:out\s+of|off\s+of|off|from|of|in))\s+(?:the\s+)?(?:file\s+|table\s+|list\s+)?(?<path>${PATH})(?<=\.(?:csv|tsv))${END}`,
  ),
  // "Before we lose the label: note that …"
  wording(
    ({ order }) => order,
    String.raw`^before\s+(?:i|we)\s+(?:\p{L}+\s+)?${LOSES}[^:;.!?\n\uE000]{0,50}[:,–-]\s*(?<order>(?:please\s+|pls\s+|kindly\s+|can\s+you\s+)*(?:remember|keep\s+in\s+mind|note|write\s+down|save)\b.+)$`,
  ),
  // "So I don't forget it: the lock code is 4410, remember that"
  wording(
    ({ fact, order }) => order ?? `remember that ${fact ?? ""}`,
    String.raw`^(?:just\s+)?so\s+(?:that\s+)?(?:i|we)\s+(?:do\s+not|don['’]?t|won['’]?t)\s+(?:forget|lose)(?:\s+(?:it|this|that))?\s*[:,–-]\s*(?:(?<order>(?:please\s+)?(?:remember|note\s+that)\b.+)|(?<fact>[^?\n\uE000]{3,120}?)\s*[,;.]\s*${POLITE}(?:remember|note|keep|save)\s+(?:that|it|this)${END})$`,
  ),
  // "Add "b" as a second line to it"
  wording(
    ({ text, ordinal, place }) => {
      const at = placeOf(ordinal);
      return at === undefined ? undefined : `insert ${text ?? ""} after line ${at - 1} of ${place ?? ""}`;
    },
    String.raw`^${POLITE}${ADDS}\s+(?<text>${QUOTED})\s+as\s+(?:an?|the|its)\s+(?:new\s+)?(?<ordinal>${ORDINAL})\s+line\s+(?:to|in|into|of)\s+${FILE}(?<place>it|that|${PATH})${END}`,
  ),
  wording(
    ({ text, place }) => `add ${text ?? ""} to ${place ?? ""}`,
    String.raw`^${POLITE}${ADDS}\s+(?<text>${QUOTED})\s+${NEXT_LINE}\s+(?:to|in|into|of)\s+${FILE}(?<place>it|that|${PATH})${END}`,
  ),
];

/** An order for a file in the usual words; the request itself if it has none of the forms. */
export const rewriteFileOrder = (request: string): string => rewriteBy(request, WORDINGS);
