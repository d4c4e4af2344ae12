const BLOCKING_KINDS: Readonly<Record<string, RegExp>> = {
  negation: /^(?:not|no|never|without|none|nothing|neither|nor|nobody|cannot|except|unlike)$/u,
  condition:
    /^(?:if|when|whenever|unless|until|till|while|once|whether|soon|long|case|provid(?:ed|ing)|assuming|supposing)$/u,
  amount:
    /^(?:all|only|every|each|everything|everyone|both|several|many|few|couple|multiple|half|whole|entire|rest|most|more|less|fewer|than|twice|thrice|much|enough)$/u,
  change:
    /^(?:longer|shorter|higher|lower|bigger|smaller|later|earlier|faster|slower|instead|rather|otherwise|actually|wrong|undo|but|or)$/u,
  past: /^(?:last|already|yesterday|ago|did|was|were|used|formerly|ever|said|told|texted|asked|typed|wrote|meant)$/u,
};
/** The way in which a word negates, limits or questions a request. */
export const blockingKind = (word: string): string =>
  Object.entries(BLOCKING_KINDS).find(([, pattern]) => pattern.test(word))?.[0] ?? "other";
