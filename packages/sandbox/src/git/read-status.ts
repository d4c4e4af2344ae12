export interface GitChange {
  /** Workspace path. */
  path: string;
  change: "added" | "modified" | "deleted" | "renamed" | "untracked" | "conflicted";
  /** True when the change, or a part of it, is marked for the next commit. */
  staged: boolean;
}

/** What git says of a work tree (`status --porcelain=v2 --branch -z --no-renames`). */
export function readStatus(text: string): { branch: string; changes: GitChange[] } {
  let branch = "";
  const changes: GitChange[] = [];
  for (const line of text.split("\0")) {
    const [kind = "", state = ""] = line.split(" ", 2);
    if (line.startsWith("# branch.head ")) branch = line.slice("# branch.head ".length);
    else if (kind === "1") changes.push({ path: after(line, 8), ...changeOf(state) });
    else if (kind === "u") changes.push({ path: after(line, 10), change: "conflicted", staged: false });
    else if (kind === "?") changes.push({ path: after(line, 1), change: "untracked", staged: false });
  }
  return { branch, changes };
}

/** The rest of a line behind so many words; the rest may hold spaces. */
function after(line: string, words: number): string {
  let at = 0;
  for (let word = 0; word < words; word += 1) at = line.indexOf(" ", at) + 1;
  return line.slice(at);
}

/** `XY`: X is the change in the index, Y the one in the work tree, a dot none. */
function changeOf(state: string): Pick<GitChange, "change" | "staged"> {
  const staged = !state.startsWith(".");
  const letters = new Set(state);
  if (letters.has("A")) return { change: "added", staged };
  if (letters.has("D")) return { change: "deleted", staged };
  if (letters.has("R")) return { change: "renamed", staged };
  return { change: "modified", staged };
}
