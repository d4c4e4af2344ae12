import { z } from "zod";
import { ImportReport } from "@metahuman/core/contract/transfer";
import { Flag } from "../../server/api/paging.ts";
import { route } from "../../server/api/route.ts";
import { startOptions } from "../../server/api/surface.ts";
import { uploadOf } from "../../server/api/upload.ts";

export const POST = route(
  {
    summary:
      "Restore an export into this profile; with ?preview=true only tell what that would do, with ?replace=true take the export's side where something else is there",
    needs: "canWriteMemory",
    takes: { query: z.object({ preview: Flag.default(false), replace: Flag.default(false) }) },
    upload: "application/zip",
    answer: ImportReport,
  },
  ({ query, caller, brain, request }) =>
    caller.profile.transfer.import(
      uploadOf(request, {
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
