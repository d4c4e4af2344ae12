import { z } from "zod";
import { ImportReport, ImportStatus } from "@metahuman/core/contract/transfer";
import { Flag } from "../../server/api/paging.ts";
import { route } from "../../server/api/route.ts";
import { startOptions } from "../../server/api/caller.ts";
import { readUpload } from "../../server/api/read-upload.ts";

export const GET = route(
  {
    summary: "Whether an import was cut off by the end of its process, and how much of it is in place",
    needs: "canReadMemory",
    input: {},
    output: ImportStatus,
  },
  async ({ caller }) => {
    const cutOff = await caller.profile.transfer.cutOff();
    return cutOff ? { cutOff } : {};
  },
);

export const DELETE = route(
  {
    summary: "Dismiss the notice of an import that was cut off; what is in place stays",
    needs: "canWriteMemory",
    input: {},
    output: ImportStatus,
  },
  async ({ caller }) => {
    await caller.profile.transfer.forgetCutOff();
    return {};
  },
);

export const POST = route(
  {
    summary:
      "Restore an export into this profile; with ?preview=true only tell what that would do, with ?replace=true take the export's side where something else is there",
    needs: "canWriteMemory",
    input: { query: z.object({ preview: Flag.default(false), replace: Flag.default(false) }) },
    upload: "application/zip",
    output: ImportReport,
  },
  ({ query, caller, brain, request }) =>
    caller.profile.transfer.import(
      readUpload(request, {
        types: ["application/zip", "application/x-zip-compressed", "application/octet-stream"],
        maxBytes: brain.config.current().server.maxImportBytes,
      }),
      {
        apply: !query.preview,
        replace: query.replace,
        mayOpenFolders: caller.policy.canAdminister,
        surface: startOptions(caller).surface,
        signal: request.signal,
      },
    ),
);
