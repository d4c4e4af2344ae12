import type { SkillGrammar } from "./grammar/phrase.ts";
import type { Interpretation } from "./grammar/plan.ts";
import { callOf, fromRequest } from "./references/planned.ts";
import { PATH } from "./tokens/reorder.ts";

/** The skill that stores a text. */
const WRITE = "fs_write";

const NOUN =
  "(?:text|table|list|code|snippet|mail|e-?mail|message|letter|note|log|output|csv|json|recipe|paragraph|lines?|minutes|notes|words|agenda)";
const POLITE = "(?:please |can you |could you |pls )?";
const SAVE = "(?:save|store|write|put|keep|paste)";
const INTO = "(?:as|to|in|into|under)(?: (?:a|the|new|file|called|named))*";
/** "save this table as prices.csv: …": the text follows. */
const TEXT_BELOW = new RegExp(
  String.raw`^${POLITE}${SAVE} (?:down )?(?:this|these|the following|the|my|our) ?(?:${NOUN} )?(?:below )?${INTO} (${PATH})\s*(?::\s*|\n\s*)(\S[^]*)$`,
  "iu",
);
/** "save the mail above as sails.txt" below a text, perhaps with thanks below it. */
const SAVES_TEXT_ABOVE = new RegExp(
  String.raw`^\s*${POLITE}${SAVE} (?:this|that|it|the ${NOUN}|(?:all|everything|what is|what's))(?: ${NOUN})?(?: above)? ${INTO} (${PATH})\s*[.!]?\s*(?:please|pls|thanks|thank you)?\s*[.!]?$`,
  "iu",
);

/** The text above an order on the last line, or on the last but one, and the file that the order names. */
function textAbove(text: string): { above?: string; path?: string } {
  const lines = text.split("\n");
  for (const length of [lines.length - 1, lines.length - 2]) {
    const above = lines.slice(0, Math.max(0, length)).join("\n").trimEnd();
    const path = SAVES_TEXT_ABOVE.exec(lines.slice(length).join("\n"))?.[1];
    if (path !== undefined && above !== "") return { above, path };
  }
  return {};
}

/** Lines between fences, as programs show code. */
const FENCED = /^```[^\n]*\n([^]*?)\n?```\s*$/u;

/**
 * Reads a request that stores the text beside it, as a pasted mail: "save this as mail.txt: …". Nothing in the text is an
 * order. Undefined for any other request.
 */
export function readPastedText(request: string, skills: readonly SkillGrammar[]): Interpretation | undefined {
  if (!skills.some(({ id }) => id === WRITE)) return undefined;
  const text = request.trim();
  const [, below = "", follows] = TEXT_BELOW.exec(text) ?? [];
  const { above, path = below } = textAbove(text);
  const pasted = follows ?? above;
  if (pasted === undefined || path === "") return undefined;
  const order =
    follows === undefined ? text.slice(text.lastIndexOf("\n") + 1).trim() : text.split(/[:\n]/u, 1)[0];
  const content = FENCED.exec(pasted.trim())?.[1] ?? pasted;
  const call = callOf(WRITE, fromRequest({ path, content }), order ?? text);
  return { kind: "plan", calls: [{ ...call, freeText: ["content"] }], readOnly: false };
}
