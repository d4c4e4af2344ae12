/**
 * Extracts the `answer` from a planner's JSON reply while the reply streams. Takes each piece of text and returns the new
 * part of the answer. Only the string under the key `answer` of the outermost object counts; other replies return "".
 */
export function streamedAnswer(): (piece: string) => string {
  let reply = "";
  let index = 0;
  let depth = 0;
  /** The start of the current string, after its quotation mark. */
  let stringStart: number | undefined;
  let lastString = "";
  let key = "";
  /** The end of the escaped text of the answer that was already returned. */
  let passedTo: number | undefined;
  let isComplete = false;

  /** Advances by one character outside the answer; true when the answer begins after it. */
  function step(character: string): boolean {
    if (stringStart !== undefined) {
      if (character === "\\") index += 1;
      else if (character === '"') {
        lastString = reply.slice(stringStart, index);
        stringStart = undefined;
      }
    } else if (character === '"') {
      if (depth === 1 && key === "answer") return true;
      stringStart = index + 1;
    } else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    else if (character === ":" && depth === 1) key = lastString;
    else if (character === "," && depth === 1) key = "";
    return false;
  }

  return (piece) => {
    reply += piece;
    while (passedTo === undefined && index < reply.length) {
      if (step(reply.charAt(index))) passedTo = index + 1;
      index += 1;
    }
    if (passedTo === undefined || isComplete) return "";
    let end = passedTo;
    while (end < reply.length && reply[end] !== '"') {
      const length = reply[end] === "\\" ? (reply[end + 1] === "u" ? 6 : 2) : 1;
      if (end + length > reply.length) break;
      end += length;
    }
    isComplete = reply[end] === '"';
    // Half of a surrogate pair waits for its other half.
    if (
      !isComplete &&
      /(?:[\uD800-\uDBFF]|\\u[dD][89abAB][\da-fA-F]{2})$/u.test(reply.slice(passedTo, end))
    ) {
      end -= reply[end - 1]?.match(/[\uD800-\uDBFF]/u) ? 1 : 6;
    }
    const text = decodeJsonText(reply.slice(passedTo, end));
    passedTo = end;
    return text;
  };
}

/** The text of a JSON string without its quotation marks. Unescaped line breaks stay. */
function decodeJsonText(escaped: string): string {
  try {
    const text: unknown = JSON.parse(
      `"${escaped.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}"`,
    );
    return typeof text === "string" ? text : "";
  } catch (error) {
    if (error instanceof SyntaxError) return escaped;
    throw error;
  }
}
