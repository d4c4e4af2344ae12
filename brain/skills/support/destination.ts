import type { ActionPreview } from "@metahuman/core/contract/approval";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import { AlreadyExistsError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { EXTENSIONLESS_NAME } from "@metahuman/core/language/slots/path";
import { formatCount } from "@metahuman/core/text/format";
import { keepingReplaced } from "@metahuman/core/workspace/archive";
import type { FileState, WorkspaceFiles } from "@metahuman/core/workspace/files";
import { approvedContentCheck, type Assessment, type SkillCall } from "../define-skill.ts";
import { currentText, textDiff } from "./text-diff.ts";
import { nameOf } from "./workspace-path.ts";

/** The arguments of a skill that moves or copies. */
interface Transfer {
  from: string;
  to: string;
  overwrite: boolean;
}

/** Returns the extension, such as ".md"; empty for a name without one. */
export function extensionOf(path: string): string {
  return /[^/](\.\w+)$/.exec(path)?.[1] ?? "";
}

/** Returns a new name with the extension of its source if it has none: "rota-backup" is `rota-backup.md`. */
export async function withExtension(
  files: WorkspaceFiles,
  { from, to }: Pick<Transfer, "from" | "to">,
): Promise<string> {
  const { path } = files.resolve(to);
  const isName = !to.endsWith("/") && extensionOf(path) === "" && !EXTENSIONLESS_NAME.test(nameOf(path));
  const isFree = isName && (await files.state(path)).kind === "absent";
  return isFree ? `${to}${extensionOf(files.resolve(from).path)}` : to;
}

/**
 * Returns the final path of a file that is moved or copied. An existing folder or a path with a trailing slash means
 * "into it, under the same name".
 */
export async function destinationOf(files: WorkspaceFiles, from: string, to: string): Promise<string> {
  const { path } = files.resolve(to);
  const source = files.resolve(from).path;
  const isIntoFolder = path !== source && (to.endsWith("/") || (await files.state(path)).kind === "folder");
  return isIntoFolder ? `${path}/${nameOf(source)}` : path;
}

/**
 * Returns what a file or folder replaces at its destination, as parts of a preview. Throws `AlreadyExistsError` if something is
 * there and may not be replaced, and `InvalidArgsError` for folders, which never are.
 */
export async function replacementAt(
  files: WorkspaceFiles,
  source: Pick<FileState, "path" | "kind">,
  target: string,
  overwrite: boolean,
): Promise<{ isReplaced: boolean } & Pick<ActionPreview, "diff" | "facts">> {
  const taken = await files.state(target);
  if (taken.kind === "absent" || source.path === target) return { isReplaced: false, facts: [] };
  const isFile = taken.kind === "file" && source.kind === "file";
  if (!overwrite)
    throw new AlreadyExistsError(`${target} already exists.`, {
      suggestions: [await files.freePath(target)],
      context: { path: target, ...(isFile && { instead: [{ overwrite: true }] }) },
    });
  if (!isFile) throw new InvalidArgsError(`${target} cannot be replaced: folders are never overwritten.`);
  const [before, after] = [await currentText(files, target), await currentText(files, source.path)];
  return {
    isReplaced: true,
    ...(before &&
      after && { diff: { ...textDiff(before, after.text), clipped: before.clipped || after.clipped } }),
    facts: [{ label: "old file", value: `${formatCount(taken.bytes, "byte")}, kept in the archive` }],
  };
}

/** The common parts of the assessments of a move and a copy. */
export function transferAssessment(
  files: WorkspaceFiles,
  {
    source,
    target,
    replacement: { isReplaced, diff, facts },
    title,
    detail,
    paths,
  }: {
    source: string;
    target: string;
    replacement: Awaited<ReturnType<typeof replacementAt>>;
    title: string;
    /** The fact about the source. */
    detail: ActionPreview["facts"][number];
    paths: string[];
  },
): Omit<Assessment, "risk"> {
  return {
    preview: {
      title,
      target,
      ...(diff && { diff }),
      facts: [{ label: "from", value: source }, { label: "to", value: target }, detail, ...facts],
    },
    content: (signal) => files.content([source, target], signal),
    overwrites: isReplaced,
    paths,
    hosts: [],
    grant: { paths },
  };
}

/** Moves or copies with `make`. A file that is replaced as it was approved is kept in the archive first. */
export async function transferFile<Made extends object>(
  { from, to, overwrite }: Transfer,
  call: Pick<SkillCall, "ports" | "signal" | "runId" | "assessment" | "approvedContent">,
  make: (
    files: WorkspaceFiles,
    target: string,
    options: { overwrite: boolean; verify?: (() => Promise<void>) | undefined; signal: AbortSignal },
  ) => Promise<Made>,
): Promise<Made & { archived?: ArchiveEntry }> {
  const { ports, signal, runId, assessment } = call;
  const { files } = ports;
  const verify = approvedContentCheck(call);
  const target = await destinationOf(files, from, to);
  const replaces =
    overwrite && assessment.overwrites === true && (await files.state(target, signal)).kind === "file";
  if (!replaces) return make(files, target, { overwrite: false, verify, signal });
  return await keepingReplaced(ports, target, { runId, verify, signal }, (verify) =>
    make(files, target, { overwrite: true, verify, signal }),
  );
}

/** What a sentence about a move or a copy says of the file that was replaced. */
export const replacedFileNote = (archived: ArchiveEntry | undefined): string =>
  archived ? ", replacing the file that was there; the old one is in the archive" : "";
