const PAST =
  "said|told|asked|mentioned|talked|spoke|spoken|discussed|decided|agreed|promised|suggested|recommended|answered|called|wanted|planned|meant";
const SPEAKING = `say|tell|ask|mention|talk|speak|discuss|decide|agree|promise|suggest|recommend|answer|call|want|plan|mean|${PAST}`;

/** Wordings that point to something said or done at an earlier time. */
const BACK: readonly RegExp[] = [
  new RegExp(`\\b(?:did|do|have|had|has)(?:n't)?\\s+(?:i|you|we)\\b[^.?!]{0,30}\\b(?:${SPEAKING})\\b`, "iu"),
  new RegExp(`\\b(?:i|you|we)(?:'ve|'d)?\\s+(?:just\\s+|already\\s+|once\\s+)?(?:${PAST})\\b`, "iu"),
  /\bremember(?:ed)?\s+(?:when|what|that|how|where|who|the|my|our|me|us)\b|\bdo you (?:still )?remember\b|\bremind me (?:what|who|when|where|how|which|of)\b/iu,
  /\blast (?:time|night|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|chat|conversation)\b/iu,
  /\b(?:yesterday|earlier|previously|back then|the other day|recently)\b|\b(?:days?|weeks?|months?|years?|hours?) ago\b/iu,
  /\bagain\b|\bonce more\b|\bas (?:before|usual)\b|\blike (?:before|last)\b|\b(?:our|the|that|my) (?:last|previous|earlier) (?:conversation|chat|talk|question|request|answer)\b/iu,
  /\bwhat (?:was|were|is) (?:it|that|this) (?:about|called)\b|\bwhat was (?:my|our|your|the)\b/iu,
  // German, French, Spanish
  /\b(?:letzte[ns]?|vorige[ns]?) (?:mal|woche|monat|jahr|nacht)\b|\b(?:gestern|neulich|damals|vorhin|noch ?mal|nochmals|erinner\w*|erwähnt|besprochen|gesagt|gefragt|erzählt)\b/iu,
  /\b(?:hier|encore|la semaine dernière|l'autre jour|tu te souviens|rappelle-moi|avais?[- ]je dit|avons-nous parlé)\b|(?:^|\s)(?:t'ai|vous ai) (?:dit|demandé)\b/iu,
  /\b(?:ayer|otra vez|la semana pasada|te acuerdas|recuerdas|te dije|te pregunté|hablamos|dijiste)\b/iu,
];

const SELF =
  /\b(?:i|me|my|mine|we|us|our|ours|i'm|i've)\b|\b(?:mein\w*|ich|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)\b/iu;
const QUESTION =
  /\?\s*$|^\s*(?:and|but|so|or)?\s*(?:who|whose|what|what's|which|when|where|why|how|is|are|was|were|do|does|did)\b/iu;
const FOLLOW_UP = /^\s*(?:and|but|so|then|or|also|what about|how about|und|et|y)\b/iu;

/** True for a request that points to what was said or done before: "what did I tell you", "last week", "again". */
export function refersBack(request: string): boolean {
  return BACK.some((wording) => wording.test(request));
}

/** True for a question about the person's own things, and for a request that continues another: "how long is my rope?", "and the red one?". */
export function asksAboutOwn(request: string): boolean {
  return FOLLOW_UP.test(request) || (QUESTION.test(request) && SELF.test(request));
}
