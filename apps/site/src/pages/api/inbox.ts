import { z } from "zod";
import { receiveFile } from "@metahuman/boot/file-manager";
import { InboxAnswer, InboxName } from "@metahuman/core/contract/inbox";
import { MAX_INBOX_BYTES } from "@metahuman/core/contract/limits";
import { auditAction } from "../../server/api/caller.ts";
import { route } from "../../server/api/route.ts";
import { readUpload } from "../../server/api/read-upload.ts";

export const POST = route(
  {
    summary:
      "Upload a text file to inbox/ as ?name=, from where it is read into memory; never overwrites another",
    needs: "canWriteMemory",
    input: { query: z.object({ name: InboxName }) },
    upload: "application/octet-stream",
    output: InboxAnswer,
    status: 201,
  },
  async ({ query: { name }, caller, request }) => {
    const upload = readUpload(request, { types: ["application/octet-stream"], maxBytes: MAX_INBOX_BYTES });
    const received = await receiveFile(caller.profile.files, name, upload, request.signal);
    await auditAction(caller, "file_received", received);
    return received;
  },
);
