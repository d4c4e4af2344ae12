/** A bullet or a number, and the checkbox after it, at the beginning of a line. */
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?/iu;

/** The length of the list mark at the beginning of a line, with the white space around it; 0 without one. */
export const listMarkLength = (line: string): number => LIST_MARK.exec(line)?.[0].length ?? 0;

export const withoutListMark = (line: string): string => line.slice(listMarkLength(line));

/** True for a line with a list mark and a text after it. */
export function isListItem(line: string): boolean {
  const mark = listMarkLength(line);
  return mark > 0 && mark < line.length;
}

const CHECKBOX = /^(?<before>\s*(?:[-*+•]|\d{1,3}[.)])\s+\[)(?<mark>[ x])(?<after>\]\s+)(?<text>\S.*)$/iu;

/** An item of a checklist: a line such as `- [x] milk`. */
export interface CheckItem {
  /** The index of its line. */
  index: number;
  text: string;
  isChecked: boolean;
  /** The line with the box ticked, or not. */
  withBox: (isChecked: boolean) => string;
}

/** The items of a checklist in Markdown; none for other lines. */
export function checkItems(lines: readonly string[]): CheckItem[] {
  return lines.flatMap((line, index) => {
    const { before, mark = " ", after = "", text = "" } = CHECKBOX.exec(line)?.groups ?? {};
    if (before === undefined) return [];
    const withBox = (isChecked: boolean): string => `${before}${isChecked ? "x" : " "}${after}${text}`;
    return [{ index, text: text.trim(), isChecked: mark !== " ", withBox }];
  });
}
