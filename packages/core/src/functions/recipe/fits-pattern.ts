import { createContext, Script } from "node:vm";

/** No pattern is matched against more, in UTF-16 code units, */
const MOST_MATCHED = 2_000;
/** nor for longer, in milliseconds: a hostile one would else keep everybody waiting for as long as it likes. */
const LONGEST_MS = 250;

const given: { pattern?: RegExp; text?: string } = {};
const realm = createContext(given);
// Only a script can be stopped in the middle of a match.
const matching = new Script("pattern.test(text)");

/** Whether a text fits a regular expression; undefined when that takes too long to find out. Throws `SyntaxError`. */
export function fitsPattern(pattern: string, text: string): boolean | undefined {
  given.pattern = new RegExp(pattern, "u");
  given.text = text.slice(0, MOST_MATCHED);
  try {
    return matching.runInContext(realm, { timeout: LONGEST_MS }) === true;
  } catch (error) {
    if (isOverdue(error)) return undefined;
    throw error;
  }
}

/** The error is one of the other realm, of a class that is not ours. */
function isOverdue(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
