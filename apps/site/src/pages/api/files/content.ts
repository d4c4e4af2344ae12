import { z } from "zod";
import {
  ExistingFile,
  FileContent,
  FilePath,
  FileUploaded,
  FileWrite,
  FileWritten,
} from "@metahuman/core/contract/files";
import { MAX_UPLOAD_BYTES } from "@metahuman/core/contract/limits";
import { auditAction } from "../../../server/api/caller.ts";
import { downloadResponse } from "../../../server/api/download.ts";
import { Flag } from "../../../server/api/paging.ts";
import { readUpload } from "../../../server/api/read-upload.ts";
import { Reply, route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "A text file with its version; with download=true, the bytes of any file",
    needs: "canReadRuns",
    input: { query: z.object({ path: FilePath, download: Flag.default(false) }) },
    output: FileContent,
  },
  async ({ query: { path, download }, caller, request: { signal } }) => {
    const { fileManager } = caller.profile;
    return download
      ? await downloadResponse(fileManager, path, signal)
      : await fileManager.read(path, signal);
  },
);

export const PUT = route(
  {
    summary:
      "Write a text file: without a version a new one, with a version that exact version; the previous text is archived",
    needs: "canWriteMemory",
    scope: "manage",
    input: { body: FileWrite },
    output: FileWritten,
  },
  async ({ body: { path, content, version }, caller, request: { signal } }) => {
    const written = await caller.profile.fileManager.write(
      { path, content, ...(version !== undefined && { version }) },
      signal,
    );
    await auditAction(caller, "file_written", {
      path: written.path,
      bytes: written.bytes,
      created: written.created,
    });
    return new Reply(written, { status: written.created ? 201 : 200 });
  },
);

export const POST = route(
  {
    summary:
      "Upload a file of any kind, up to 25 MB, to ?path=; ?existing= says what happens to another file there",
    needs: "canWriteMemory",
    scope: "manage",
    input: { query: z.object({ path: FilePath, existing: ExistingFile.default("refuse") }) },
    upload: "application/octet-stream",
    output: FileUploaded,
    status: 201,
  },
  async ({ query: { path, existing }, caller, request }) => {
    const pieces = readUpload(request, { types: ["application/octet-stream"], maxBytes: MAX_UPLOAD_BYTES });
    const received = await caller.profile.fileManager.receive(path, pieces, {
      existing,
      signal: request.signal,
    });
    await auditAction(caller, "file_received", { path: received.path, bytes: received.bytes });
    return received;
  },
);
