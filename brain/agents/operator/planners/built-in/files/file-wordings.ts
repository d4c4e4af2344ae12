import { PATH } from "@metahuman/core/language/tokens/reorder";
import { oneOf } from "@metahuman/core/text/patterns";
import { END, isReason, MUST, POLITE, QUOTED, rewriteBy, VALUE, type Wording, wording } from "../wordings.ts";

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
const ADDS = "(?:add|append|put|write|enter|note)";

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
const REMARK = String.raw`(?:(?:i|we)(?:['’]m|['’]ve)?\s+(?:(?:am|have|do|really|still)\s+)*(?:know|sure|certain|think|believe|remember|wrote|noted|saved|put|had|need|forgot|lost|written|kept|stored)|it\s+(?:must|should|has\s+to|is)\s+(?:be\s+)?(?:somewhere|there|in|written|noted))\b`;

const WORDINGS: readonly Wording[] = [
  // "out/a.md: add 'x' as one more line", "in out/a.md, one more line: x"
  wording(
    ({ path, text }) => `append ${text ?? ""} to ${path ?? ""}`,
    String.raw`^(?:(?:in|to|into)\s+)?${FILE}(?<path>${PATH})\s*[:,–-]+\s*${POLITE}${ADDS}\s+(?<text>${VALUE})`,
    String.raw`(?:\s+(?:${NEXT_LINE}|(?:at|to)\s+the\s+(?:end|bottom)(?:\s+of\s+it)?|to\s+it))+${END}`,
  ),
  wording(
    ({ path, text }) => `append ${text ?? ""} to ${path ?? ""}`,
    String.raw`^(?:in|to|into|for)\s+${FILE}(?<path>${PATH})\s*,\s*(?:one\s+more|another|a\s+new|a\s+further)\s+(?:line|entry|item)\s*[:–-]\s*(?<text>${VALUE})${END}`,
  ),
  // "I'd like a copy of inbox/a.txt in out under the name b.txt", "… copied to out under the name b.txt"
  wording(
    ({ path, copied = path, folder, name }) => `copy ${copied ?? ""} to ${folder ?? ""}/${name ?? ""}`,
    String.raw`^${POLITE}(?:(?:(?:i|we)(?:['’]d|\s+would)?\s+(?:like|need|want)(?:\s+to\s+have)?|place|put|make|leave|save|store|create|(?:can|could)\s+i\s+(?:have|get))\s+)?`,
    String.raw`(?:(?:an?|one|the)\s+copy\s+of\s+${FILE}(?<path>${PATH})(?:\s+(?:put|placed|stored|saved))?\s+(?:in|into|to|inside)|(?:have\s+)?${FILE}(?<copied>${PATH})\s+copied\s+(?:to|into))`,
    String.raw`\s+(?:the\s+folder\s+)?(?<folder>[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)*)\/?,?\s+(?:under|with|by|using)\s+the\s+(?:file\s*)?name(?:\s+of)?\s+(?<name>[\p{L}\p{N}_-]+\.\p{L}[\p{L}\p{N}]{0,9})${END}`,
  ),
  // "Read a.txt and save the same text in b.txt"
  wording(
    ({ before, text, after }) => `${before ?? ""}that ${text ?? ""}${after ?? ""}`,
    String.raw`^(?<before>${POLITE}(?:read|open|show(?:\s+me)?)\s+${FILE}${PATH}\s*(?:,\s*|\s)(?:and\s+)?(?:then\s+)?(?:save|write|put|store|copy)\s+)the\s+(?:very\s+)?same\s+(?<text>text|content|contents|words)(?<after>\s.*)$`,
  ),
  // "Delete a.md and b.md, c.md stays": what stays is named by no order
  wording(
    ({ order, kept }) => ((order ?? "").includes(kept ?? "") ? undefined : order),
    String.raw`^(?<order>${POLITE}(?:delete|remove|erase)\s+${FILE}${PATH}(?:\s*(?:,\s*and\s+also|,\s*and|and\s+also|,|and)\s*${FILE}${PATH})*)\s*(?:[,;.]|\sbut|\swhile|\sand)\s*(?:but\s+|while\s+|only\s+)?${FILE}(?<kept>${PATH})\s+(?:stays|remains|(?:should|must|can|may|shall|is\s+to|has\s+to)\s+(?:stay|remain|be\s+kept))(?:\s+(?:where\s+it\s+is|there|in\s+place|untouched))?${END}`,
  ),
  // "I spelt it wrong, a.md should be called b.md. Can you rename it?"
  wording(
    ({ reason, path, name }) => (isReason(reason) ? `rename ${path ?? ""} to ${name ?? ""}` : undefined),
    String.raw`^(?:(?<reason>[^\uE000:?!\n]{3,60}?)[,.;]\s+)?(?:${FILE}|it\s+is\s+)(?<path>${PATH})(?:\s+(?:is|was|got)\s+(?:spelt|spelled|written|named|typed)\s+wrong(?:ly)?[,;.]?\s+(?:and\s+)?it)?\s+${MUST}\s+(?:be|have\s+been)\s+(?:called|named)\s+(?<name>${PATH})`,
    String.raw`[\s.,;!]+${POLITE}(?:rename|change|fix|correct)\s+(?:it|that|this)(?:\s+please)?[\s?]*${END}`,
  ),
  // "The 2nd line of a.txt has to go"
  wording(
    ({ ordinal, number, path }) =>
      `delete ${number === undefined ? lineOf(ordinal) : `line ${number}`} of ${path ?? ""}`,
    String.raw`^(?:the\s+)?(?:(?<ordinal>${ORDINAL})\s+(?:line|entry)|line\s+(?<number>\d{1,3}))\s+(?:of|in|from)\s+${FILE}(?<path>${PATH})\s+(?:${MUST}|can)\s+(?:go(?:\s+away)?|be\s+(?:deleted|removed|taken\s+out|dropped)|disappear)(?:\s+now)?${END}`,
  ),
  // "How many people are in a.csv if you don't count the header line?": a header is no row
  wording(
    ({ asked, mark }) => `${asked ?? ""}${mark ?? ""}`,
    String.raw`^(?<asked>how\s+many\s+[^,;:.!?\n]{2,60}\.(?:csv|tsv)(?:\s+have|\s+has|\s+hold|\s+list)?)[\s,(]*(?:if\s+(?:you|we|one)\s+(?:do\s+not|don['’]?t|does\s+not|doesn['’]?t)\s+count|when\s+not\s+counting|not\s+counting|without(?:\s+counting)?|excluding|except(?:\s+for)?|leaving\s+out|minus|apart\s+from)\s+(?:the\s+)?(?:header|heading|title|column\s+names?)(?:s|\s+(?:line|row))?\)?(?<mark>\s*\??)\s*$`,
  ),
  // "team.json needs a key coach with the value Ilse"
  wording(
    ({ path, key, value }) => `give ${path ?? ""} a key ${key ?? ""} with the value ${value ?? ""}`,
    String.raw`^${FILE}(?<path>${PATH})(?<=\.json)\s+(?:needs|gets|must\s+(?:have|get)|should\s+(?:have|get)|lacks|is\s+missing|still\s+needs|wants|requires)\s+(?:(?:an?|the|another|one\s+more)\s+)?(?:(?:new|further|extra)\s+)?(?:key|field|entry|property|setting|attribute)\s+(?:called\s+|named\s+)?(?<key>[\p{L}\p{N}_.-]+|${QUOTED})\s*(?:,\s*)?(?:(?:with|of|having)\s+(?:the\s+)?value(?:\s+of)?|set\s+to|=|:)\s*(?<value>${VALUE}|-?\d+(?:\.\d+)?)${END}`,
  ),
  // "Look into server.json and tell me which port it says"
  wording(
    ({ path, key }) => `what is the ${key ?? ""} in ${path ?? ""}?`,
    String.raw`^${POLITE}(?:look\s+(?:in(?:to)?|at|inside)|open|check|read|see|have\s+a\s+look\s+(?:in(?:to)?|at))\s+${FILE}(?<path>${PATH})\s*(?:,\s*)?(?:and\s+)?(?:then\s+)?(?:tell\s+me|say|show\s+me|let\s+me\s+know|find\s+out)\s+(?:which|what)\s+(?:the\s+)?(?<key>[\p{L}\p{N}_-]+(?:\s[\p{L}\p{N}_-]+)?)\s+(?:it\s+(?:says|has|shows|contains|lists|names|gives|uses)|is\s+(?:in\s+it|in\s+there|there|set|given|written\s+there))[\s?]*${END}`,
  ),
  // "Swap it for x"
  wording(
    ({ text }) => `replace it with ${text ?? ""}`,
    String.raw`^${POLITE}(?:swap|exchange|switch|trade|change)\s+it\s+for\s+(?<text>${VALUE})${END}`,
  ),
  // "What comes from a.txt must be added to the end of b.txt"
  wording(
    ({ from, to }) => `append the content of ${from ?? ""} to ${to ?? ""}`,
    String.raw`^(?:what(?:ever)?|everything|all)\s+(?:that\s+)?(?:comes\s+from|is\s+(?:written\s+)?in|stands\s+in|there\s+is\s+in)\s+${FILE}(?<from>${PATH})\s+${MUST}\s+(?:be\s+(?:added|appended|attached)\s+(?:to|at|on)|(?:go|come|be\s+put|be\s+copied)\s+(?:to|at|on|onto)(?=\s+(?:the\s+)?(?:end|bottom)\b))(?:\s+(?:the\s+)?(?:end|bottom)\s+of)?\s+${FILE}(?<to>${PATH})${END}`,
  ),
  wording(
    ({ from, to }) => `append the content of ${from ?? ""} to ${to ?? ""}`,
    String.raw`^(?:the\s+)?(?:(?:whole\s+|full\s+)?(?:content|contents|text|lines)\s+(?:of|in|from)\s+)${FILE}(?<from>${PATH})\s+${MUST}\s+(?:be\s+(?:added|appended|attached)\s+(?:to|at|on)|(?:go|come|be\s+put|be\s+copied)\s+(?:to|at|on|onto)(?=\s+(?:the\s+)?(?:end|bottom)\b))(?:\s+(?:the\s+)?(?:end|bottom)\s+of)?\s+${FILE}(?<to>${PATH})${END}`,
  ),
  // "New row in costs.csv: 2026-11-25,train,18.40": a row of the table that there is
  wording(
    ({ path, row }) => `one more row for ${path ?? ""}: ${row ?? ""}`,
    String.raw`^${POLITE}(?:an?\s+|the\s+|one\s+)?new\s+(?:row|line|entry|record)\s+(?:in|for|to|into)\s+(?:the\s+)?(?:file\s+|table\s+)?(?<path>${PATH})(?<=\.(?:csv|tsv))\s*[:;–-]\s*(?<row>[^\n:]+?)${END}`,
  ),
  // "Put the words closed on mondays into a new file sign.txt"
  wording(
    ({ order, words, place }) => `${order ?? ""} "${words ?? ""}" ${place ?? ""}`,
    String.raw`^(?<order>${POLITE}(?:put|write|save|store|enter|add|append))\s+the\s+(?:words?|phrase|sentence|line|text)\s+(?!(?:in|from|of|on|below|above|that|which|who|i|we|you|it|and|to|as|with)\b)(?<words>[^\uE000\uE001"“”,;:/\n]{2,100}?)\s+(?<place>(?:in|into|to|as|at\s+the\s+end\s+of)\s+(?:(?:an?|the)\s+)?(?:new\s+)?(?:text\s+)?(?:file\s+)?(?:called\s+|named\s+)?${PATH})${END}`,
  ),
  // "Which file mentions the boiler? I know I wrote it down": the question
  wording(
    ({ asked }) => asked,
    String.raw`^(?<asked>(?:which|what|where|who|how|when|in\s+which)\b[^?\n]{5,120}\?)\s+${REMARK}[^?\n]{0,80}$`,
  ),
  // "Henk has left the club, take his row out of members.csv"
  wording(
    ({ name, statement, path }) =>
      isReason(statement) ? `remove the row ${name ?? ""} from ${path ?? ""}` : undefined,
    String.raw`^(?<name>(?!(?:i|we|you|he|she|they|it|if|when|who|nobody|everyone|everybody|someone|somebody|that|this|the|my|our)\b)\p{L}[\p{L}'’-]+(?:\s(?!(?:has|have|had|is|was|just)\b)\p{L}[\p{L}'’-]+)?)\s+(?<statement>${WENT}[^,;.:?!\n]{0,40})[,;.!]\s*${POLITE}(?:take|remove|delete|strike|drop|cross)\s+(?:(?:his|her|their)\s+(?:row|line|entry|name)|him|her|them)(?:\s+(?:out|off))?\s+(?:of|from|in|out\s+of)\s+(?:the\s+)?(?:file\s+|table\s+|list\s+)?(?<path>${PATH})(?<=\.(?:csv|tsv))${END}`,
  ),
  // "Before I lose the slip of paper: please remember …"
  wording(
    ({ order }) => order,
    String.raw`^before\s+(?:i|we)\s+(?:\p{L}+\s+)?${LOSES}[^:;.!?\n\uE000]{0,50}[:,–-]\s*(?<order>(?:please\s+|pls\s+|kindly\s+|can\s+you\s+)*(?:remember|keep\s+in\s+mind|note|write\s+down|save)\b.+)$`,
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
