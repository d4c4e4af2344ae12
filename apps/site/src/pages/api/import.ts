import { z } from "zod";
import { ImportReport, ImportStatus } from "@metahuman/core/contract/transfer";
import { Flag } from "../../server/api/paging.ts";
import { route } from "../../server/api/route.ts";
import { startOptions } from "../../server/api/caller.ts";
import { readUpload } from "../../server/api/read-upload.ts";

export const GET = route(
  {
    summary: "Whether the last import was interrupted, and how much of it was restored",
    needs: "canReadMemory",
    input: {},
    output: ImportStatus,
  },
  async ({ caller }) => {
    const cutOff = await caller.profile.transfer.interrupted();
    return cutOff ? { cutOff } : {};
  },
);

export const DELETE = route(
  {
    summary: "Dismiss the notice of an interrupted import; restored records stay",
    needs: "canWriteMemory",
    input: {},
    output: ImportStatus,
  },
  async ({ caller }) => {
    await caller.profile.transfer.forgetInterrupted();
    return {};
  },
);

export const POST = route(
  {
    summary:
      "Restore an export into this profile; with ?preview=true, only report what would happen; with ?replace=true, replace records that differ",
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
