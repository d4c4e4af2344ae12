import type { ActionPreview } from "@metahuman/core/contract/approval";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { keepingReplaced } from "@metahuman/core/workspace/archive";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { approvedContentCheck, type Assessment, type SkillCall } from "../define-skill.ts";
import { textDiff } from "./text-diff.ts";

/** The maximum number of attempts while the file changes meanwhile. */
const ATTEMPTS = 5;

/** The file changed after it was read. */
class ChangedMeanwhile extends Error {}

/** The written text, and the old text in the archive. */
export interface RewriteResult<Plan> {
  plan: Plan;
  archived: ArchiveEntry;
  /** The size of the whole file afterwards. */
  bytes: number;
}

/**
 * Replaces the text of a file with one that `plan` derives from it, and keeps the old text in the archive. Plans
 * again if another writer changed the file meanwhile, so that no change is lost. Throws `ConflictError` if the file
 * keeps changing.
 */
export async function rewriteFile<Plan extends { text: string }>(
  path: string,
  call: SkillCall,
  plan: () => Promise<Plan>,
): Promise<RewriteResult<Plan>> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      return await rewriteOnce(path, call, plan);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
  }
  throw new ConflictError(`${path} is being changed at the same time, so nothing was done.`, {
    suggestions: ["Make the call again."],
  });
}

async function rewriteOnce<Plan extends { text: string }>(
  path: string,
  call: SkillCall,
  plan: () => Promise<Plan>,
): Promise<RewriteResult<Plan>> {
  const { ports, runId, signal } = call;
  const { files } = ports;
  const { hash } = await files.content([path], signal);
  const planned = await plan();
  const assertApproved = approvedContentCheck(call);
  // The write calls this under the lock of the workspace.
  const verify = async (): Promise<void> => {
    await assertApproved?.();
    if ((await files.content([path], signal)).hash !== hash) throw new ChangedMeanwhile();
  };
  const { bytes, archived } = await keepingReplaced(ports, path, { runId, verify, signal }, (verify) =>
    files.writeText(path, planned.text, { expect: "any", verify, signal }),
  );
  // It was there to be planned.
  if (!archived) throw new ChangedMeanwhile();
  return { plan: planned, archived, bytes };
}

/** A change of the text of one file, before it is made. */
export interface PlannedRewrite {
  /** The canonical path of the file. */
  path: string;
  before: string;
  after: string;
  /** True if the file does not exist yet. */
  isNew?: boolean;
  /** What the preview says besides the path. */
  facts: ActionPreview["facts"];
}

/** Assesses a change of the text of one file: the preview shows its diff, and an approval covers only the current content. */
export function assessRewrite(
  files: Pick<WorkspaceFiles, "resolve" | "content">,
  { path, before, after, isNew = false, facts }: PlannedRewrite,
): Assessment {
  return {
    risk: files.resolve(path).root === "out" ? "medium" : "high",
    preview: {
      title: `${isNew ? "Create" : "Change"} ${path}?`,
      target: path,
      diff: textDiff({ text: before, clipped: false }, after),
      facts: [{ label: "path", value: path }, ...facts],
    },
    content: (signal) => files.content([path], signal),
    overwrites: !isNew,
    paths: [path],
    hosts: [],
    grant: { pathPrefix: path },
  };
}
