import type { StoredAmount } from "@metahuman/core/profiles/profile-quota";
import type { StoredFiles } from "@metahuman/core/transfer/stored-files";
import type { LocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";

/** The files of a profile that are not in its folder. */
export interface RemoteFiles {
  workspace: Pick<LocalWorkspace, "files" | "folders" | "archive">;
  stored: StoredFiles;
  amount: () => Promise<StoredAmount>;
}
