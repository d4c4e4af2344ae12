import { oneOf } from "../../text/patterns.ts";
import { compileGrammar, type Grammar } from "./grammar.ts";
import type { SkillGrammar } from "./phrase.ts";
import type { Token } from "../tokens/tokens.ts";

const topic = (id: string, phrases: readonly string[]): SkillGrammar => ({
  id,
  reads: true,
  phrases,
  slots: { name: "name" },
});

const VOCATIVE = "[(there|again|you|everyone|friend|metahuman|assistant|computer|bot|buddy|mate)]";

/** Requests that need no skill, in the same phrase syntax and matched by the same code as the phrases of skills. */
const CONVERSATION: readonly SkillGrammar[] = [
  topic("greeting", [
    `(hello|hi|hey|hallo|hiya|howdy|yo|greetings|hola|heya) ${VOCATIVE}`,
    `good (morning|afternoon|evening|day) ${VOCATIVE}`,
    "nice to meet you",
    "test",
  ]),
  topic("thanks", [
    `(thanks|thank you|thx|ty|cheers) [(so|very) much] [(a|again) lot] [(for|of) (that|this|it|your help|everything)] ${VOCATIVE}`,
    "many thanks",
    "(that is|that was|that will be) (all|it|everything) [for now|for today|i need|i needed]",
    "[that is|that was|it is|looks|sounds] (great|nice|perfect|cool|awesome|good|excellent|wonderful|brilliant|amazing) [work|job|one]",
    "(well done|good job|nice work|got it|ok|okay|alright|much appreciated|i appreciate it|i appreciate that)",
  ]),
  topic("farewell", [
    `(bye|goodbye|farewell|ciao|cya|bye bye|so long) ${VOCATIVE} [for now]`,
    "(see you|see ya|talk to you|catch you) [later|soon|tomorrow|around|then]",
    "good night",
    "have a (nice|good|great) (day|evening|night|weekend|one)",
    "(i am|i have to) (off|done|going|leaving|go) [for today|for now|now]",
  ]),
  topic("courtesy", [
    "dear (assistant|metahuman|computer|sir|madam|all|friend|bot)",
    "i hope (you are|this finds you|all is) (well|fine|good|doing well|having a good day)",
    "hope you are (well|fine|good|doing well)",
    "(kind|best|warm|many) (regards|wishes|greetings) [{name}]",
    "(regards|sincerely|yours sincerely|yours truly|yours|cheers|greetings) [{name}]",
    "(sorry|sorry about that|sorry to bother you|excuse me)",
    "(it|that|this) (is|was) not [true|right|correct|done|finished|so] [yet|after all]",
    "(haha|hehe|lol|hm|hmm)",
    // A reason for a removal, which forbids nothing.
    "(i|we) do not need (it|that|this|them) [anymore|any more|any longer]",
    "(it|that|this) is not needed (anymore|any more|any longer)",
  ]),
  topic("how-are-you", [
    "how are (you|things|u) [doing|going|feeling|today|now]",
    "how is (it|everything|life) [going]",
    "how do you (do|feel)",
    "how have you been",
    "what is (up|new)",
    "are you (ok|okay|well|fine|alright|there|awake|alive)",
    "(wassup|sup)",
  ]),
  topic("who-are-you", [
    "(who|what) are you [exactly|really]",
    "what is your name",
    "do you have (a name|feelings)",
    "are you [a|an] (ai|robot|human|bot|person|machine|real|chatgpt|model)",
    "who (made|built|created|wrote|is) (you|this)",
    "tell me about (yourself|you)",
    "about (yourself|you)",
    "introduce yourself",
    "what is (metahuman|metahuman os|this)",
  ]),
  topic("capabilities", [
    "what (can|could|do) (you|i|we) (do|ask|say|type|try) [here|for me|with this|with you|now|exactly]",
    "what (sort|sorts|kind|kinds|type|types) of (things|stuff|requests|orders|commands) (can you do|can i ask|do you understand|work) [for me]",
    "what else (can you do|can i do)",
    "what are you (able to do|capable of|good at|for)",
    "what (can you help|do you help|are you able to help) [me] with",
    "how can you help [me]",
    "can you help [me]",
    "(help|usage|commands|skills|capabilities|examples|menu|instructions)",
    "(show|list|give) [me|us] [all|your|available|the] (help|commands|skills|capabilities|tools|options|examples|abilities)",
    "(what|which) (are your|are the|skills|commands|tools) (commands|skills|capabilities|tools|abilities|features|do you have|are there|do you know|can i use|are available|are installed)",
    "how (do|can|should) i (use|talk to|work with|start|begin|ask) [with|using] [you|this]",
    "how does (this|it) work",
    "how do you work",
    "what (should|can|do) i (do|say|ask|write|type) [here|now|first|next]",
    "what do you (do|offer|support)",
    "what (is|are) (possible|the options)",
    "(i need|need|get) help",
  ]),
  topic("permissions", [
    "what (may|can|could|will|would|do|are) you [(allowed|able) to] do without (asking|my (permission|approval|consent|ok)|me) [me] [first]",
    "(do|will|would) you ask [me] [first] before [you] (deleting|changing|doing) (anything|something|things)",
    "what (are you|are you not|is metahuman) [not] allowed to do [on your own|by yourself|alone]",
    "what (do|will) you ask [me] (first|before|about|for) [doing]",
  ]),
  topic("privacy", [
    "(are|is) my (files|data|notes|memories|documents|things|information) (safe|private|secure|shared|encrypted|sent anywhere|sent to anyone)",
    "(who|who else|can anyone|can somebody|can others) [can] (see|read|access|look at) my (files|data|notes|memories|documents|conversations)",
    "where (is|are) my (data|files|notes|memories|conversations|documents) (stored|kept|saved)",
    "(do|does|can|are) you (send|share|upload|sending|sharing) my (data|files|notes|memories) [anywhere|to anyone|to anybody|to the internet|online|to the cloud]",
    "(do|can|are) you [have] (access|connected|go|able to go) [to] (the|=online) [internet|web]",
    "can you (see|read|access|open) my (emails|mails|mail|email|calendar|photos|messages|contacts|browser)",
  ]),
  topic("models", [
    "how (do|can|should|would) i (add|get|install|use|connect|set up|configure|choose|change) [a|an|the|another] [language|better|bigger|local] (model|llm|ai)",
    "(which|what) (model|models|llm) (do|does|should|can|are|is) (you|i|it|there|running|used|use|connected) [use|using|run|install|available|used]",
    "what is a [language] model [for]",
    "why do (i|you) need a [language] model",
  ]),
  topic("reasons", [
    "why did you (do|say|delete|remove|create|make|add|write|change|edit|move|rename|copy|send|stop|start|schedule|remember|forget|ask) [me] (that|this|it|them|those)",
    "(why|what for) [was] (that|this)",
    "what (did you do|was that) [there|exactly] and why",
    "how did you (know|find|get|do|come to|arrive at) (that|this|it)",
  ]),
  topic("date", [
    "(what|which) (date|day) is (it|today) [today|now]",
    "(what|what is|tell me|give me) the [current] (date|day) [today|now|of today]",
    "(what is|tell me|give me) today's date",
    "(what is|which day is) today",
    "today's date",
  ]),
  topic("time", [
    "what time is it [now]",
    "(what|what is|tell me|give me) the [current] time [now]",
    "what is the [current] (time and date|date and time)",
  ]),
  topic("again", [
    "(do|run|make|try|repeat|say) (that|it|this|=the =same) [thing] (again|once more|one more time)",
    "(do|run) the =same [thing] [again]",
    "(try|do|repeat) again",
    "repeat [(that|it|this|the last (one|step|thing|request))]",
    "(again|once more|one more time|the =same again|retry) [that|it|this]",
  ]),
  topic("shown-again", [
    `(show|display|print|list|read|open|tell|give) [me] [all] (it|that|this|them|those|these) [all] (again|once more|one more time)`,
  ]),
  topic("undo", [
    "(undo|revert|reverse|roll back|rollback|restore|undelete|recover|take back) [(it|that|this|them|everything|what you (did|just did)|the last (one|step|thing|change|request|action|command|edit)|my last (step|change|request|action|command|edit)|the change|the changes|(that|the) [last] (rename|renaming|move|copy|edit|deletion|delete|update|addition|correction))]",
    "(bring|get|put|take|give|give me|get me|change|set|switch|move|turn|rename) (it|that|this|them) back [again] [(as|to what|to how|to where|where|how|the way) it (was|were) [before]]",
    "[no] (take|get|leave|cross|cut) (it|that|this|them) (out|off|away) again",
    "(put|bring|get|take) (the|that|this) (file|task|folder|note|one) back",
    "(go|step) back [one step]",
    "redo [(it|that|this|them|the change|the changes)]",
    "undo (the|that|your|this) =undo",
    "[go|change|set|put|switch|turn|take] [(it|that|this|them)] back to the (old|previous|former|original|earlier) {name}",
    "I (did not mean|did not want) (that|to do that|this|it)",
    "(that was|this was) (wrong|a mistake|not what I (wanted|meant)) [. (undo|revert|reverse) [it|that]]",
    "(oops|ups|whoops|oh no|no|nah|nope) [.] (undo|revert|reverse) [it|that|this]",
  ]),
  topic("undo-help", [
    "(how|where) (do|can) i (undo|revert|restore|undelete|recover|get back) (it|that|this|them|something|things|what (i|you) deleted|a (file|task|memory)|deleted (files|tasks|memories))",
    "what happens (if|when) (i|we|you) (delete|remove|overwrite|change) (something|a file|files|a task|a memory|it|things)",
    "(show|open|list|see|view|empty) [me] (the|my) (trash|bin|archive|recycle bin|wastebasket|deleted (files|tasks|memories|things|items))",
    "what is (in|inside) (the|my) (trash|bin|archive|recycle bin|wastebasket)",
    "(where is|is there|do you have|have you got) (the|a|an|my) (trash|bin|archive|recycle bin|wastebasket)",
    "where (are|do|did) [(the|my)] deleted (files|tasks|memories|things|items) [go|gone]",
  ]),
  topic("refrain", [
    "(stop|cancel|abort|halt|quit) [it|that|this|everything|all|now|please|the run|doing that]",
    "(never mind|nevermind|nvm|forget it|forget that|forget about it|leave it|leave it alone|drop it|skip it|ignore that|ignore it|scratch that|disregard that)",
    "(no no|no no no)",
    "(no|nope|nah) [thanks|thank you|never mind|stop|wait]",
    "(no wait|wait|hold on|hang on) [stop|no]",
    "(do nothing|do not|do not do it|do not do that|do not do anything|do not bother|not now|not yet|nothing)",
  ]),
];

export const CONVERSATION_GRAMMAR: Grammar = compileGrammar(CONVERSATION);

/** Beginnings of a prohibition. */
export const PROHIBITIONS: readonly (readonly string[])[] = [
  "do not",
  "never",
  "no need to",
  "you must not",
  "must not",
  "you should not",
  "should not",
  "you may not",
  "you can not",
  "avoid",
  "refrain from",
  "stop",
  "quit",
  "i do not want",
  "i would not",
  "i would rather not",
  "i would rather you did not",
  "under no circumstances",
  "by no means",
  "make sure not to",
  "make sure you do not",
  "make sure to not",
  "be careful not to",
  "not",
  "keep from",
  "keep",
  "leave",
  "without",
  "nobody",
  "nothing",
  "you are not allowed to",
  "you are not to",
  "i forbid you to",
  "let us not",
  "please not",
  "no more",
].map((phrase) => phrase.split(" "));

/** Words that negate a command in any position. */
export const NEGATIONS: ReadonlySet<string> = new Set([
  "not",
  "never",
  "no",
  "nothing",
  "none",
  "without",
  "neither",
  "nor",
  "dont",
  "nobody",
]);

/** First words of a clause that asks about an action without requesting it. */
export const QUESTION_STARTS: ReadonlySet<string> = new Set(
  (
    "what why how who whom whose when where which if whether unless suppose imagine assuming should may might did does do is are was were have has had am " +
    "would could can will"
  ).split(" "),
);

/** Returns the number of words of the longest phrase that matches at `from`. */
export function leadingWords(
  tokens: readonly Token[],
  from: number,
  to: number,
  phrases: readonly (readonly string[])[],
): number {
  const isHere = (phrase: readonly string[]): boolean =>
    from + phrase.length <= to &&
    phrase.every(
      (word, index) => tokens[from + index]?.kind === "word" && tokens[from + index]?.text === word,
    );
  return Math.max(0, ...phrases.filter(isHere).map((phrase) => phrase.length));
}

/** "It's cold today", "is it Friday already?" */
const NAMES_THE_DAY: readonly string[] = [
  String.raw`^\W*it(?:['’]?s|\s+is)\s+(?!(?:due|for|not)\b)[^,]*\btoday\W*$`,
  String.raw`\b(?:it['’]?s|it\s+is|is\s+it)\s+(?:\p{L}+\s+)?\p{L}+day\s+(?:today|already|finally|at\s+last|again)\b`,
  String.raw`\btoday(?:['’]?s|\s+is)\s`,
  String.raw`\btomorrow(?:['’]?s|\s+is)\s+\p{L}+day\b`,
];
const VERDICTS = oneOf(
  "fine|ok|okay|right|alright|good|great|perfect|true|cool|enough|nice|lovely|funny|crazy|awful|bad|terrible",
);
/** "No, that's fine" */
const IS_FINE = new RegExp(
  [
    String.raw`^(?:(?:no|nah|nope|oh|ok|okay|well|actually|sorry)[,.!]?\s+)*(?:it|that|this|all|everything)(?:['’]?s|\s+is)\s+`,
    String.raw`(?:(?:all|quite|perfectly|really|totally|so|very|just)\s+)?${VERDICTS}[\s.!]*$`,
  ].join(""),
  "iu",
);
const REMARKS: readonly RegExp[] = [
  new RegExp(NAMES_THE_DAY.join("|"), "iu"),
  /\bsame\s+(?:here|(?:for|with)\s+(?:me|us|you))\b/iu,
  IS_FINE,
];
/** True for a remark that has the form of a correction and changes nothing: "it's Friday today", "same for me", "no, it's fine". */
export const isIdleRemark = (request: string): boolean => REMARKS.some((words) => words.test(request.trim()));
