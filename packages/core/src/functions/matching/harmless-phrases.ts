import { oneOf } from "../../text/patterns.ts";

const WILLING_OR_FREE = oneOf(
  "kind|good|time|moment|minute|min|second|sec|chance|free|ready|able|possible|mind|like|please|wish|want",
  "around|can|could|(?:round|around) to it",
);
const NO_TROUBLE = oneOf(
  "trouble|bother|problem|possible|convenient|ok(?:ay)?|fine|alright|all right|asking|to ask",
);

const GREETINGS = oneOf(
  "ok(?:ay)?|yeah|yep|hey|hi|hello|yo|dear|my dear|good (?:morning|evening|afternoon)|well|so|right|alright|all right",
  "computer|assistant|buddy|mate|friend|(?<=(?:hey|hi|hello) )there",
);
const ADVERBS = oneOf(
  "for me|for us|right (?:now|away)|straight away|at once|asap|now|quickly|real quick|again|anymore|any more|for now",
  "from now on|just|simply|also|too|as well|maybe|perhaps|then|finally|first of all",
);

/** Phrases of politeness, hesitation, address and reasons; none of them changes the request. */
export const HARMLESS: readonly RegExp[] = [
  /\b(?:please|pls|plz|kindly|thanks?(?: you)?(?: (?:so|very) much)?|thx|ty|cheers|ta|sorry|oops|um+|uh+|hm+|er+m?|ah|oh)\b/giu,
  new RegExp(String.raw`^(?:${GREETINGS}\b[ ,.!]*)+`, "giu"),
  /[.!,] (?:ok(?:ay)?|well|so|right|alright)\b/giu,
  // "Log it too yeah": agrees with itself; after a mark it may be an answer.
  /(?<=\w )yeah(?= ?[.!]? ?$)/giu,
  /\b(?:can|could|would|will) (?:you|u|we)(?: (?:please|maybe|perhaps|quickly|kindly|just))?\b/giu,
  /\bwould you mind(?: (?:as to|and|to))?\b/giu,
  /\b(?:(?:would|will|could|can) you |if you (?:would|could) )?be (?:so |very |as |most |ever |really ){0,3}(?:kind|good|nice|helpful|sweet|lovely)(?: enough)?(?: (?:as to|and|to))\b/giu,
  /\b(?:would|will|are) you (?:\w+ )?(?:care|willing|able|prepared|inclined) to\b/giu,
  /\b(?:i|we) (?:wonder(?:ed)?|(?:am|are|was|were) wondering) (?:if|whether) (?:you|we|i|it) (?:could|can|might|would|may)(?: \w+ly)?(?: (?:ask|trouble) you to| be possible to)?\b/giu,
  /\b(?:i|we)(?: (?:would|should|will))?(?: \w+ly| very much)? appreciate (?:it|that|this|your help)(?: (?:\w+ly|very much|a lot))?(?: if(?: you (?:could|would))?)?\b/giu,
  /\b(?:many|my|with|kind|warm|much) thanks\b|\bthanks? (?:a lot|a million|in advance|kindly|ever so much)\b/giu,
  /\bif (?:you|u) (?:would be so kind|do not mind|could|can|would|like|want|please|have (?:a )?(?:time|minute|moment|second)|get (?:a|the) chance)(?=\W|$)/giu,
  /\b(?:i|we) (?:would|should|will) be (?:\w+ ){0,3}(?:grateful|glad|happy|thankful|obliged|delighted|pleased|indebted)(?: (?:if|to have))?\b/giu,
  /\bit would be (?:\w+ ){0,2}(?:great|nice|good|lovely|helpful|kind) (?:if|to)\b/giu,
  /\b(?:may|might|can|could) (?:i|we)(?: \w+ly)? (?:ask|request|trouble|bother|beg)(?: (?:you|u))?(?: (?:to|for))?\b/giu,
  /\b(?:i|we)(?: (?:would|must|have to|will))?(?: \w+ly)? (?:ask|request|beg) (?:you|u)(?: \w+ly)? to\b/giu,
  /\bit (?:is|would be) (?:necessary|needed|required|important) (?:to|that)\b/giu,
  /\b(?:would you |will you )?be an? (?:\w+ )?(?:dear|darling|love|angel|star|sweetheart|treasure)(?: and)?\b/giu,
  /\b(?:whenever|when) (?:it (?:suits|is convenient)(?: (?:for )?you)?|you (?:like|wish|please|find (?:the|a) (?:time|moment|minute)))\b/giu,
  /\bshould you (?:have|find|get) (?:the|a) (?:\w+ )?(?:time|moment|minute|chance)\b/giu,
  /\bif i may(?: ask| be so bold)?\b/giu,
  // Words about what the assistant is, likes or has time for do not limit the request.
  new RegExp(
    String.raw`\b(?:if|when|whenever|once|as soon as|should) (?:you|u)(?:'(?:d|re|ve|ll))?(?= )(?: [\w']+){0,6}? ${WILLING_OR_FREE}(?=\W|$)`,
    "giu",
  ),
  new RegExp(
    String.raw`\bif (?:it|that|this) (?:is|would be|could be)(?: not| no| too| much| at all| \w+ly){0,3} ${NO_TROUBLE}(?: (?:for|with) you| of you| to ask)?\b`,
    "giu",
  ),
  /\b(?:is it|would it be|might it be) (?:at all )?possible(?: for (?:you|us|me))? to\b/giu,
  /\b(?:is there )?any chance (?:that )?(?:you|we|i) (?:could|can|might)\b/giu,
  /\b(?:do|would) you (?:think|suppose|reckon) (?:that )?(?:you|we|i) (?:could|can|might)\b/giu,
  /\bif (?:possible|it is (?:ok(?:ay)?|not too much trouble)|that is (?:ok(?:ay)?|possible))\b/giu,
  /\bwhen (?:you|u) (?:can|have (?:a )?(?:time|minute|moment|second|chance)|get (?:a|the) chance|are (?:free|ready))\b/giu,
  /(?<!\bthat )\b(?:i would|i|we would|we)(?: really| also)? (?:rather have|rather|like|love|want|need|wish|prefer|have(?= to\b)|must)(?: you)?(?: to)?\b/giu,
  /(?:^|[.!,;:] )(?:(?:we|i) )?(?:need|want|have|got|ought) to\b/giu,
  /(?:^|[.!,;:] )remember to\b/giu,
  /\b(?:let me|help me(?: to)?|go ahead and|be so kind(?: and| as to)?|make sure to|be sure to|feel free to|you (?:can|may|could|should))\b/giu,
  /\b(?:as|like) (?:always|usual|usually|ever|before|we always do)\b/giu,
  /\bthe following(?=(?: \p{L}+)? ?:)/giu,
  new RegExp(String.raw`\b${ADVERBS}\b`, "giu"),
  /\b(?:do not|never) (?:let me )?forget(?: to| that)?\b/giu,
  /\b(?:(?:make|see|so|sure) )*(?:that )?(?:i|we) (?:do |will |must |should |shall )?not forget(?: to| that)?\b/giu,
  /\b(?:no (?:rush|hurry|problem|worries|stress)|not urgent|why not|much appreciated|that is all|that would be (?:great|nice|lovely))\b/giu,
  /(?:^|[.!?]\s*)(?:before|after|while) (?:i|we)\b[^.,;:!?]*,/giu,
  /[,.;(]?\s*\b(?:because|cause|cuz|since|as) (?:i|we|it|he|she|they|there)\b[^.,;!?]*/giu,
  /[,.;(]?\s*\b(?:because|cause|cuz|since) (?:the|my|our|his|her|their) (?:\S+ ){1,3}(?:is|are|was|were|has|have|had|needs?)\b[^.,;!?]*/giu,
];
