/** A path made of a folder and the last part of another path, as written: `archive` and `notes/a.md` → `archive/a.md`. */
export function inFolder(folder: string, path: string): string {
  const last =
    path
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? path;
  return `${folder.replace(/[/\\]+$/, "")}/${last}`;
}
