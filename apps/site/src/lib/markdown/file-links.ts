import { getContext, setContext } from "svelte";
import { PAGES } from "./copy.ts";

/** The files that a text may name. */
export interface FileLinks {
  /** Canonical paths, such as `out/notes/today.md`. */
  readonly paths: readonly string[];
}

const KEY = Symbol("file links");

/** Links the paths of these files in texts below the calling component. */
export function provideFileLinks(files: FileLinks): void {
  setContext(KEY, files);
}

/** Undefined if texts do not link files. */
export function getFileLinks(): FileLinks | undefined {
  return getContext<FileLinks | undefined>(KEY);
}

/** A piece of text, and the address of what it names, if it names a file, a section of the settings or the page of functions. */
export interface LinkedPart {
  text: string;
  href?: string;
}

const PAGE = new RegExp(`(${Object.keys(PAGES).join("|")})`, "u");

/** Splits a text at the files and pages that it names. */
export function splitAtLinks(text: string, paths: readonly string[]): LinkedPart[] {
  return text.split(PAGE).flatMap((part, index): LinkedPart[] => {
    if (index % 2 === 0) return part === "" ? [] : splitAtFiles(part, paths);
    return [{ text: part, href: PAGES[part] ?? "/" }];
  });
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Splits a text at the files that it names, by their path or, where only one file has it, by their name. */
function splitAtFiles(text: string, paths: readonly string[]): LinkedPart[] {
  const targets = new Map<string, string>();
  for (const [name, files] of Map.groupBy(paths, (path) => path.slice(path.lastIndexOf("/") + 1))) {
    const [only] = files;
    // A name without an extension may be any word.
    if (files.length === 1 && only !== undefined && name.includes(".")) targets.set(name, only);
  }
  for (const path of paths) targets.set(path, path);
  if (targets.size === 0) return [{ text }];
  const names = [...targets.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}_/.-])(${names.join("|")})(?![\p{L}\p{N}_/-]|\.[\p{L}\p{N}])`,
    "u",
  );
  return text
    .split(pattern)
    .map((part, index) => ({ text: part, path: index % 2 === 1 ? targets.get(part) : undefined }))
    .filter((part) => part.text !== "")
    .map(({ text: piece, path }) =>
      path === undefined ? { text: piece } : { text: piece, href: `/files?file=${encodeURIComponent(path)}` },
    );
}
