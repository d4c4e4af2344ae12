const PAST =
  "said|told|asked|mentioned|talked|spoke|spoken|discussed|decided|agreed|promised|suggested|recommended|answered|called|wanted|planned|meant";
const SPEAKING = `say|tell|ask|mention|talk|speak|discuss|decide|agree|promise|suggest|recommend|answer|call|want|plan|mean|${PAST}`;

/** Phrases that always refer to an earlier message or action. */
const BACK: readonly RegExp[] = [
  new RegExp(`\\b(?:did|have|had|has)(?:n't)?\\s+(?:i|you|we)\\b[^.?!]{0,30}\\b(?:${SPEAKING})\\b`, "iu"),
  new RegExp(`\\b(?:i|you|we)(?:'ve|'d)?\\s+(?:just\\s+|already\\s+|once\\s+)?(?:${PAST})\\b`, "iu"),
  /\bremember(?:ed)?\s+(?:when|what|that|how|where|who|the|my|our|me|us)\b|\bdo you (?:still )?remember\b|\bremind me (?:what|who|when|where|how|which|of)\b/iu,
  /\blast (?:time|chat|conversation)\b|\bas (?:before|usual)\b|\blike (?:before|last)\b|\b(?:our|the|that|my) (?:last|previous|earlier) (?:conversation|chat|talk|question|request|answer)\b/iu,
  /\bwhat (?:was|were) (?:it|that|this) (?:about|called)\b|\bwhat was (?:my|our|your|the)\b/iu,
  // German, French, Spanish
  /\b(?:erinner\w*|erwähnt|besprochen|gesagt|gefragt|erzählt)\b|\b(?:letztes|voriges) mal\b/iu,
  /\b(?:tu te souviens|rappelle-moi|avais?[- ]je dit|avons-nous parlé)\b|(?:^|\s)(?:t'ai|vous ai) (?:dit|demandé)(?!\p{L})/iu,
  /\b(?:te acuerdas|recuerdas|te dije|te pregunté|hablamos|dijiste)(?!\p{L})/iu,
];

/** Past times. They refer back only together with "I" or "you": "who won yesterday" does not. */
const MOMENT =
  /\b(?:yesterday|earlier|previously|back then|the other day|recently)\b|\b(?:days?|weeks?|months?|years?|hours?) ago\b|\blast (?:night|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b(?:gestern|neulich|damals|vorhin)\b|\b(?:letzte[ns]?|vorige[ns]?) (?:woche|monat|jahr|nacht)\b|\bhier\b|\bla semaine dernière\b|\bl'autre jour\b|\bayer\b|\bla semana pasada\b/iu;
const PARTICIPANT =
  /\b(?:i|i'[vd]e?|we|you|my|our|ours|mine|ich|wir|du|mein\w*|unser\w*|je|tu|nous|mon|ma|mes|notre|nos|yo|mi|mis|nuestr\w+)\b|\bj'|\p{L}(?:é|í|amos|imos|aste|iste)(?!\p{L})/iu;

/** "Again" refers back in a question for a name or a number and in a short request. */
const AGAIN_WORDS = "(?:again|once more|noch ?mal|nochmals|encore(?: une fois)?|otra vez)";
const AGAIN: readonly RegExp[] = [
  new RegExp(
    `^\\W*(?:and|but|so|und|et|y)?\\s*(?:who|whose|what|which|where|when|how|why|wer|was|wie|wo|wann|qui|que|quoi|quel|comment|c'était|quién|qué|cómo|cuál)(?!\\p{L}).*${AGAIN_WORDS}\\W*$`,
    "iu",
  ),
  new RegExp(
    `\\b(?:it|that|this|these|those|them|so|das|es|sie|ça|cela|eso|esto|lo)\\s+${AGAIN_WORDS}(?!\\p{L})`,
    "iu",
  ),
  new RegExp(`^\\W*\\p{L}+\\s+${AGAIN_WORDS}\\W*$`, "iu"),
];

const SELF =
  /\b(?:i|me|my|mine|we|us|our|ours|i'm|i've)\b|\b(?:mein\w*|ich|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)\b/iu;
const QUESTION =
  /\?\s*$|^\s*(?:and|but|so|or|und|et|y)?\s*(?:who|whose|what|which|when|where|why|how|(?:who|what|when|where|how)['’]?s|is|are|am|was|were|do|does|did|(?:can|could|may|should|shall) (?:i|we)|wer|wem|was|welche[rsnm]?|wann|wo|warum|wie|qui|que|quoi|quel(?:le)?s?|quand|où|pourquoi|comment|combien|quién|qué|cuál|cuándo|dónde|cómo|cuánt[oa]s?)(?!\p{L})/iu;
const FOLLOW_UP = /^\s*(?:and|but|so|then|or|also|what about|how about|und|et|y)\b/iu;

/**
 * True for a request that refers to an earlier message or action: "what did I tell you", "the list I made last week".
 */
export function refersBack(request: string): boolean {
  return (
    [...BACK, ...AGAIN].some((pattern) => pattern.test(request)) ||
    (MOMENT.test(request) && PARTICIPANT.test(request))
  );
}

/** True for a question, also without its mark: "whats the code of the storage room". */
export const isQuestion = (request: string): boolean => QUESTION.test(request);

/**
 * True for a question about the person's own things and for a request that continues the previous one: "how long is
 * my rope?", "and the red one?".
 */
export function asksAboutOwn(request: string): boolean {
  return FOLLOW_UP.test(request) || (QUESTION.test(request) && SELF.test(request));
}
