import type { Run } from "@metahuman/core/contract/run";
import { isRecord } from "@metahuman/core/text/is-record";
import { addressWith } from "../../lib/ui/address.ts";

/** The path of the folder that contains a path; empty for a root. */
export function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path to which a typed path moves a file or folder. One that ends with a slash is a folder that takes the file. */
export function movedPath(from: string, typed: string, isFolder: boolean): string {
  return typed.endsWith("/") && !isFolder ? `${typed}${nameOf(from)}` : typed;
}

/** Every folder from the root down to `path`. */
export function foldersTo(path: string): string[] {
  const names = path === "" ? [] : path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

export type PreviewKind = "text" | "markdown" | "json" | "csv" | "image";

const KINDS: Readonly<Record<string, PreviewKind>> = {
  md: "markdown",
  markdown: "markdown",
  json: "json",
  csv: "csv",
  tsv: "csv",
  avif: "image",
  bmp: "image",
  gif: "image",
  jpeg: "image",
  jpg: "image",
  png: "image",
  svg: "image",
  webp: "image",
};

/** Chooses the preview by the extension of a name; every other file is tried as text. */
export function previewKind(name: string): PreviewKind {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return KINDS[extension] ?? "text";
}

/** Restores the line breaks of the original file in the text of a textarea, which uses only `\n`. */
export function withLineBreaksOf(file: string, text: string): string {
  const isWindows = file.includes("\r\n") && !/(?<!\r)\n/.test(file);
  return isWindows ? text.replaceAll("\n", "\r\n") : text;
}

/** The paths of the files that a run wrote or read and that are still there, as far as the run knows. */
export function filesOf({ scratchpad }: Pick<Run, "scratchpad">): string[] {
  const paths = new Set<string>();
  for (const { action, observation } of scratchpad) {
    const outputs = observation?.success === true ? observation.outputs : undefined;
    if (!outputs || action === undefined) continue;
    const { path, from, to } = outputs;
    if (typeof path === "string" && outputs["removed"] !== undefined) paths.delete(path);
    else if (typeof path === "string" && FILE_SKILLS.has(action.tool)) paths.add(path);
    if (typeof from === "string") paths.delete(from);
    if (typeof to === "string" && action.tool === "fs_move") paths.add(to);
    const { restored, origin } = outputs;
    if (isRecord(restored) && restored["kind"] === "file" && typeof origin === "string") paths.add(origin);
  }
  return [...paths];
}

/** The skills whose `path` names one file. */
const FILE_SKILLS: ReadonlySet<string> = new Set([
  "fs_write",
  "fs_append",
  "fs_edit",
  "fs_read",
  "json_update",
  "table_edit",
]);

/** The address of a folder, with the open file and the search text. */
export function fileAddress(place: {
  folder: string;
  file?: string | undefined;
  query?: string | undefined;
}): string {
  return addressWith("/files", place);
}

/** Parses the query parameters. A file without a folder is shown in its own folder. */
export function readAddress(address: string): { folder: string; file: string | null; query: string } {
  const asked = new URLSearchParams(address);
  const file = asked.get("file");
  const folder = asked.get("folder") ?? (file === null ? "" : parentOf(file));
  return { folder, file, query: asked.get("query") ?? "" };
}
