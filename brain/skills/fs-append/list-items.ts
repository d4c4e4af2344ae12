import { listMarkLength } from "@metahuman/core/text/list-marks";

/** What begins the next line of a list: "- ", "  4. ", "- [ ] ", or the indentation of its lines. */
const NUMBERED = /^(\s*)(\d{1,3})([.)]\s+)/u;
const CHECKED = /\[x\]/iu;

/**
 * What a further line begins with, if the last line of the text is one of a list: its indentation and mark, with the next
 * number and an empty checkbox. A list without marks is two lines of the same indentation. Undefined for any other text.
 */
export function nextListMark(text: string): string | undefined {
  const [last = "", before = ""] = text
    .split(/\r?\n/u)
    .filter((line) => line.trim() !== "")
    .toReversed();
  const length = listMarkLength(last);
  if (length === 0 || length === last.length) {
    const indentation = /^\s*/u.exec(last)?.[0] ?? "";
    const isShared = indentation !== "" && /^\s*/u.exec(before)?.[0] === indentation;
    return isShared ? indentation : undefined;
  }
  const mark = last.slice(0, length).replace(CHECKED, "[ ]");
  // Some number every line "1.", which Markdown counts by itself.
  const isCounted = NUMBERED.exec(before)?.[2] !== NUMBERED.exec(last)?.[2];
  return isCounted ? incrementMark(mark, 1) : mark;
}

const incrementMark = (mark: string, more: number): string =>
  mark.replace(
    NUMBERED,
    (_, indentation: string, number: string, end: string) => `${indentation}${Number(number) + more}${end}`,
  );

/** Begins each line with the mark, and counts on where it is a number. Lines that have a mark, and empty ones, stay as they are. */
export function withListMarks(text: string, mark: string): string {
  let items = 0;
  return text
    .split("\n")
    .map((line) =>
      line.trim() === "" || listMarkLength(line) > 0 ? line : incrementMark(mark, items++) + line,
    )
    .join("\n");
}
