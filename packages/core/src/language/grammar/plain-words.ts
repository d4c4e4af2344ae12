import { oneOf } from "../../text/patterns.ts";
import { PATH } from "../tokens/reorder.ts";

const TELLS_FACT = String.raw`(?:i|we)(?:['’]ll| shall| will| want to| would like to| have to| must| am going to|['’]m going to)? (?:tell|give|say to) you (?:something|a fact|a thing|one thing)(?: (?:to|for you to) (?:keep|remember|note|know))?`;
const KEEP_FACT =
  "(?:keep|remember|retain|note|know|store|save|learn|take note of) (?:this|the following|one thing|something|a fact)(?: (?:in mind|down|well))?";
/** "I shall tell you something to keep: …", "retain this: …" */
const FACT_FOLLOWS = new RegExp(String.raw`^${oneOf(TELLS_FACT, KEEP_FACT)}\s*[:–-]+\s*`, "iu");
const MOVED = oneOf(
  "extended|moved|postponed|changed|pushed back|brought forward|put back|put off|shifted|rescheduled|deferred",
);
const AMEND_IT =
  "(?:so )?(?:please )?(?:(?:amend|update|change|adjust|correct|note)(?: (?:it|that|this|the task|my tasks?|my list))?)(?: accordingly| please)*";
const DATE_MOVED = new RegExp(
  [
    String.raw`^the (?:deadline|due date|date) (?:of|for) (?<task>[^,;.:]+?) (?:has been|was|has|is|got|is being) (?:now )?`,
    String.raw`${MOVED}(?: back| forward)? (?:to|until|till) (?<day>[^,;.:]+?)(?:[;,.] ${AMEND_IT})?[\s.!]*$`,
  ].join(""),
  "iu",
);
const TO_KNOW = oneOf(
  "(?:that )?(?:i|we) (?:should|need to|have to|must|ought to) (?:know|remember|keep in mind|bear in mind)",
  "to (?:know|remember)|known|you know|worth knowing|noted|remembered",
);
const ANYTHING_TO_KNOW = new RegExp(
  [
    "^(?:is there |do you have |have you got |got )?(?:anything|something)(?: else)? ",
    String.raw`${TO_KNOW}(?: of| about| on| for| regarding| concerning)+ (?=\S)`,
  ].join(""),
  "iu",
);
const NUMBERED = "(?:two|three|four|five|six|[2-6]|some|these|a few|several)";
const PUT = "(?:stick|put|pop|chuck|bung|throw|drop|shove|place|whack|wack|slap|tuck)";

/** Wordings of a part of an order, and the plain words for them. */
const PLAIN: readonly (readonly [pattern: RegExp, plain: string])[] = [
  [FACT_FOLLOWS, "remember that "],
  [/^(gimme|lemme)\b/iu, "give me"],
  // "Task x gets the due date …" is about an existing task.
  [
    /^(?=task \S.* (?:gets|receives|needs|should (?:have|get)|must have|now has|has (?:now|a new))\b)/iu,
    "the ",
  ],
  [
    /^(?:give|get|make|fix|do) (?:me|us) (?=(?:an?|one) (?:(?:new|empty|blank|text) )*(?:file|folder|note|list)\b)/iu,
    "create ",
  ],
  [
    /\b(make|create|add|write|put|note) (?:one|1) (?=(?:new )?(?:task|reminder|file|note|folder|to-?do)\b)/giu,
    "$1 a ",
  ],
  // "Begin a new letter in a.md with the words …"
  [
    new RegExp(
      String.raw`\b(?:start|begin|write|create|make|open) (?:an? )?(?:new )?(?:letter|note|page|list|draft|entry|memo) (?:in|as|under|at) (?:the file )?(?=${PATH}\s+(?:with|saying|that|reading))`,
      "giu",
    ),
    "create ",
  ],
  // "… a file a.md where stands "…""
  [
    new RegExp(
      String.raw`(?<=${PATH}),? (?:where|in which|on which) (?:there )?(?:stands?|is written|it says|i wrote|says) (?=\uE000)`,
      "giu",
    ),
    " with the text ",
  ],
  // "The deadline of the task x has been extended to Friday; please amend accordingly"
  [DATE_MOVED, "set the due date of $1 to $2"],
  [/\band (?:after|afterwards|after that|next),? (?=(?:show|list|read|tell|open|give)\b)/giu, "and then "],
  // "Anything I should know about table 12?"
  [ANYTHING_TO_KNOW, "what do you know about "],
  // "14 on 20, how much per cent does it make?"
  [
    new RegExp(
      [
        String.raw`^(?<part>\d[\d.,]*) (?:on|out of|of|from|over) (?<whole>\d[\d.,]*?),? `,
        String.raw`(?:how (?:much|many)|what|in|as) (?:is (?:that|it) in )?(?:a )?(?:per ?cent|percent|percentage|%)`,
        String.raw`(?: (?:does|is|would) (?:it|that|this)(?: (?:make|be|come to))?)?[\s?.!]*$`,
      ].join(""),
      "iu",
    ),
    "what percent is $1 of $2",
  ],
  // "Make three empty files a.txt, b.txt and c.txt"
  [
    new RegExp(
      String.raw`\b(create|make|add|start|set up|touch) ${NUMBERED} (?:(?:new|empty|blank|text)\s+)*(?:files|documents|notes):? (?=${PATH})`,
      "giu",
    ),
    "$1 ",
  ],
  // "Make a folder x and stick a.md in there"
  [
    new RegExp(
      String.raw`\b${PUT} (${PATH}) (?:in|into|inside) (?:there|it|that (?:folder|one)|the new (?:folder|one))\b`,
      "giu",
    ),
    "move $1 into it",
  ],
  // "Wack "x" in a.txt"
  [
    new RegExp(
      String.raw`\b${PUT} (\uE000\d+\uE001) (?:in|into|on|onto|in to) (?=(?:the file )?${PATH})`,
      "giu",
    ),
    "append $1 to ",
  ],
  // "Copy a.md, call it b.md"
  [
    new RegExp(
      String.raw`\b(copy ${PATH})[,;.]? (?:and |then |just |please )*(?:call|name|label) (?:it|the copy|that|this) (?=(?:"|\uE000|${PATH}))`,
      "giu",
    ),
    "$1 to ",
  ],
  // "Flip debug on in app.json", "set retries 5 in app.json"
  [
    new RegExp(
      String.raw`\b(?:flip|switch|turn|toggle|set|put) (?:the )?([\p{L}\p{N}_.-]+) on in (?=(?:the file )?\S+\.json\b)`,
      "giu",
    ),
    "set $1 to true in ",
  ],
  [
    new RegExp(
      String.raw`\b(?:flip|switch|turn|toggle|set|put) (?:the )?([\p{L}\p{N}_.-]+) off in (?=(?:the file )?\S+\.json\b)`,
      "giu",
    ),
    "set $1 to false in ",
  ],
  [
    /\bset (?:the )?([\p{L}_][\p{L}\p{N}_.-]*) (-?\d[\d.]*|true|false) in (?=\S+\.json\b)/giu,
    "set $1 to $2 in ",
  ],
  // "… the number 184220": the words say what kind of text it is.
  [
    /\b(write|put|save|enter|note)((?: please)? (?:in|into|to) (?:the file )?\S+) the (?:number|word|date|name|figure|value) (?=\S+[\s.!]*$)/giu,
    "$1$2 ",
  ],
  // "I need two tasks, one to … and one to …"
  [
    new RegExp(
      String.raw`^(?:(?:i|we) (?:need|want)|add|make|create|set up|put down|note) ${NUMBERED} (?:new )?(?:tasks|to-?dos|reminders)\s*[,:;–-]+\s*(?=one (?:to|for|is)\b)`,
      "iu",
    ),
    "",
  ],
  // "Move the pdfs into receipts"
  [
    new RegExp(
      [
        String.raw`\b(move|copy|put|delete|list|show|rename|transfer) (?:all |every )?(?:of )?(?:the |my |those |these )?`,
        String.raw`(pdf|csv|txt|md|json|jpe?g|png|docx?|xlsx?|html?|zip|log|xml|svg)(?:s|['’]s)?`,
        String.raw`(?= (?:in|into|to|from|inside|under|of|over)\b|[\s.!]*$)`,
      ].join(""),
      "giu",
    ),
    "$1 all $2 files",
  ],
  // "Set a timer for 12 minutes", "set a timer of an hour for the bread"
  ...(
    [
      ["(?: (?:for|to|about) (?<what>\\S[^,;.]*))", "remind me in $<time> of $<what>"],
      ["", "remind me in $<time> of the timer"],
    ] as const
  ).map(([purpose, order]): readonly [RegExp, string] => [
    new RegExp(
      String.raw`^(?:set|start|make|create)(?: me| us)? an? (?:egg )?timer (?:for|of|to) (?<time>(?:an?|one|two|three|four|five|ten|half an|\d+)[ -]?(?:s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:ou?rs?)?))${purpose}[\s.!]*$`,
      "iu",
    ),
    order,
  ]),
  // "Merge a.md and b.md into c.md"
  [
    new RegExp(
      String.raw`^(?:merge|combine|join|concatenate|put together) (?:the files? )?(${PATH}),? (?:and|with|&) (?:the file )?(${PATH}) (?:into|in|to|as) (?:one file |a (?:new )?file )?(?:called |named )?(${PATH})[\s.!]*$`,
      "iu",
    ),
    "append $1 to $3 and append $2 to $3",
  ],
  // "Save the answer of 12*14 to result.txt"
  [
    new RegExp(
      String.raw`^(save|write|put|store) (?:the )?(?:answer|result|outcome|sum) (?:of|for|to) (?<sum>[^\p{L}]*\d[^:;]*?) (?:to|in|into|as) (?:the |a )?(?:file )?(${PATH})[\s.!]*$`,
      "iu",
    ),
    "calculate $2 and $1 the result to $3",
  ],
  // "Diarise the hearing for 14 December"
  [
    /^(?:diari[sz]e|calendar|pencil in|schedule in|put in the diary|note in the diary|put in my diary) (?:the |a |an )?(?=.*\b(?:for|on|at|by)\b)/iu,
    "add a task: ",
  ],
  // "Job for thursday, collect timber"
  [
    /^(?:a |an |new |another )?(?:job|chore|errand|jobs) (?:for|on|by) (?<day>[^,:;]{3,30}?)\s*[,:;–-]\s*(?<work>\S.*)$/iu,
    "add a task: $2 for $1",
  ],
  // "2440 divided by 7, what's that"
  [
    /^(?=.*\d)(.+?)[,;]? (?:what|how much)(?:['’]?s| is| does| would) (?:that|it|this)(?: (?:make|come to|be))?[\s?.!]*$/iu,
    "what is $1",
  ],
  [/^(?=.*\d)(.+?)[,;]? (?:comes? to|makes?|is|equals?|gives?) (?:what|how much)[\s?.!]*$/iu, "what is $1"],
];

/** A text with the plain words for its wordings of an order: "gimme" is "give me". */
export function inPlainWords(text: string): string {
  return PLAIN.reduce((plain, [pattern, words]) => plain.replace(pattern, words), text);
}
