// The words of a correction that names the new value first: "the blue one, not the red one", "tea instead of coffee".

const INSTEAD = ["instead of", "rather than", "in place of"];

/** "Instead of" and what means the same, as a part of a regular expression. */
export const INSTEAD_OF = `(?:${INSTEAD.join("|").replaceAll(" ", String.raw`\s+`)})`;

/** The words between the new value and the old one, as a part of a regular expression. */
export const NOT_OLD = String.raw`(?:(?:and\s+|but\s+)?not|${INSTEAD_OF})`;

/** The same words in the phrase of a skill. The old value is ignored. */
export const NOT_OLD_IN_PHRASE = `(not|and not|but not|${INSTEAD.join("|")})`;
