/** A request, and the files in `inbox/` that it is about. */
export interface AttachedRequest {
  text: string;
  files: readonly string[];
}

const FILE = String.raw`(?:"inbox/[^"\n]+"|inbox/[^\s":]+)`;
const HEADING = new RegExp(`^in (${FILE}(?: and ${FILE})*):(?: |$)`, "u");

/** Whether a path can be written in the heading of a request. */
export const isAttachable = (path: string): boolean => path.startsWith("inbox/") && !/["\n]/u.test(path);

/** The paths as words of a request. */
const named = (files: readonly string[]): string =>
  files.map((path) => (/[\s:]/u.test(path) ? `"${path}"` : path)).join(" and ");

/**
 * The request with its files before it, in the form in which the operator reads best what a request is about:
 * `in inbox/fees.csv: who has not paid`. `splitAttachments` takes it apart again.
 */
export function joinAttachments({ text, files }: AttachedRequest): string {
  return files.length === 0 ? text : `in ${named(files)}: ${text}`;
}

/** The request to send. Files without words are read. */
export function attachedRequest({ text, files }: AttachedRequest): string {
  return files.length > 0 && text.trim() === "" ? `read ${named(files)}` : joinAttachments({ text, files });
}

export function splitAttachments(request: string): AttachedRequest {
  const [heading, files = ""] = HEADING.exec(request) ?? [];
  if (heading === undefined) return { text: request, files: [] };
  const paths = (files.match(new RegExp(FILE, "gu")) ?? []).map((path) => path.replaceAll('"', ""));
  return { text: request.slice(heading.length), files: paths };
}
