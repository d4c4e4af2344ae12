import { z } from "zod";
import { ArchivedAnswer } from "@metahuman/core/contract/answers";
import { FilePage, FilePath, FileRename, FileRenamed, FileSort } from "@metahuman/core/contract/files";
import { auditAction } from "../../../server/api/caller.ts";
import { Flag, listQuery, paginate } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary:
      "List a workspace folder, or the roots without ?path=; with ?query=, search file and folder names below it",
    needs: "canReadRuns",
    input: {
      query: listQuery("name").extend({
        path: z.string().max(1_024).default(""),
        sort: FileSort.default("name"),
      }),
    },
    output: FilePage,
  },
  async ({ query: { path, sort, ...page }, caller, request: { signal } }) => {
    const isRecursive = page.query !== undefined;
    const entries = await caller.profile.fileManager.list(path, { recursive: isRecursive, sort, signal });
    return paginate(entries, page, (entry) => [entry.path]);
  },
);

export const POST = route(
  {
    summary: "Rename or move a file or folder; never overwrites another",
    needs: "canWriteMemory",
    // The operator asks for approval before it moves or deletes, so a token that cannot approve may do neither.
    scope: "manage",
    input: { body: FileRename },
    output: FileRenamed,
  },
  async ({ body, caller, request: { signal } }) => {
    const renamed = await caller.profile.fileManager.rename(body, signal);
    await auditAction(caller, "file_renamed", renamed);
    return renamed;
  },
);

export const DELETE = route(
  {
    summary: "Delete a file, or with recursive=true a folder with all that is in it: into the archive",
    needs: "canWriteMemory",
    scope: "manage",
    input: { query: z.object({ path: FilePath, recursive: Flag.default(false) }) },
    output: ArchivedAnswer,
  },
  async ({ query: { path, recursive }, caller, request: { signal } }) => {
    const archived = await caller.profile.fileManager.remove(path, { recursive, signal });
    await auditAction(caller, "file_deleted", { path: archived.origin, archiveId: archived.id });
    return { archived };
  },
);
