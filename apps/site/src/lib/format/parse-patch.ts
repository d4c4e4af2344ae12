import { copy } from "../copy.ts";
export interface PatchLine {
  kind: "kept" | "added" | "removed" | "place" | "note";
  text: string;
}

/** The change of one file in a patch. */
export interface PatchedFile {
  path: string;
  change: "new" | "deleted" | "changed";
  lines: PatchLine[];
}

/** Parses a unified diff of git, also a truncated one. Names with unusual characters stay quoted as in git. */
export function parsePatch(text: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  let isInHunk = false;
  for (const line of text.replace(/\n$/u, "").split("\n")) {
    const header = /^diff --git (?<names>.+)$/u.exec(line)?.groups?.["names"];
    if (header !== undefined) {
      // Without renames both names are the same.
      const path = header.slice(header.length / 2 + 1).replace(/^(?:"?)b\//u, "");
      files.push({ path, change: "changed", lines: [] });
      isInHunk = false;
      continue;
    }
    const file = files.at(-1);
    if (!file) continue;
    if (line.startsWith("@@")) {
      file.lines.push({ kind: "place", text: line });
      isInHunk = true;
    } else if (isInHunk) {
      file.lines.push(hunkLine(line));
    } else if (line.startsWith("new file")) file.change = "new";
    else if (line.startsWith("deleted file")) file.change = "deleted";
    else if (line.startsWith("Binary files")) file.lines.push({ kind: "note", text: copy.notText });
  }
  return files;
}

function hunkLine(line: string): PatchLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", text };
  if (line.startsWith("-")) return { kind: "removed", text };
  if (line.startsWith("\\")) return { kind: "note", text: text.trim() };
  return { kind: "kept", text };
}
