/** The target length of a chunk in UTF-16 code units: one to three paragraphs, enough to be understood alone. */
export const CHUNK_LENGTH = 1_500;

/** Joins short texts and splits long ones into chunks of about `CHUNK_LENGTH`. Drops empty ones. */
export function chunkTexts(texts: readonly string[], joint = "\n\n"): string[] {
  const chunks: string[] = [];
  let open = "";
  for (const text of texts.flatMap(separateParagraphs)) {
    if (open !== "" && open.length + joint.length + text.length > CHUNK_LENGTH) {
      chunks.push(open);
      open = "";
    }
    open = open === "" ? text : open + joint + text;
  }
  return open === "" ? chunks : [...chunks, open];
}

/** Splits a text after a sentence, else after a word, else anywhere but inside a character. */
function separateParagraphs(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > CHUNK_LENGTH) {
    const head = rest.slice(0, CHUNK_LENGTH);
    const end = lastEnd(head, /[.!?…。！？]["'”’)]*\s/gu) ?? lastEnd(head, /\s/gu) ?? characterBoundary(head);
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return [...parts, rest].filter((part) => part !== "");
}

/** Returns the end of the last match if the chunk before it is long enough. */
function lastEnd(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end !== undefined && end > CHUNK_LENGTH / 2 ? end : undefined;
}

function characterBoundary(text: string): number {
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}
