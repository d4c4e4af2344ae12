/** A bare name put beside another path: `b.md` beside `notes/a.md` → `notes/b.md`. What has a folder keeps it. */
export function besidePath(name: string, path: string): string {
  const folder = /^(.*[/\\])[^/\\]+[/\\]*$/.exec(path)?.[1] ?? "";
  return /[/\\]/.test(name) ? name : `${folder}${name}`;
}

/** A path made of a folder and the last part of another path, as written: `archive` and `notes/a.md` → `archive/a.md`. */
export function inFolder(folder: string, path: string): string {
  const last =
    path
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? path;
  return `${folder.replace(/[/\\]+$/, "")}/${last}`;
}
