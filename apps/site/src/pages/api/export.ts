import type { Readable } from "node:stream";
import { z } from "zod";
import { route } from "../../server/api/route.ts";
import { startOptions } from "../../server/api/caller.ts";

export const GET = route(
  {
    summary:
      "The profile as a zip that can be restored: memories, tasks, functions, conversations, runs, permissions, files, settings, counters",
    needs: "canExport",
    input: {},
    output: z.string().describe("a zip"),
    media: "application/zip",
  },
  async ({ caller, request }) => {
    const { surface } = startOptions(caller);
    const { name, zip } = await caller.profile.transfer.export({ surface, signal: request.signal });
    return new Response(streamOf(zip), {
      headers: {
        "Content-Type": "application/zip",
        "Content-Disposition": `attachment; filename="${name}"`,
        "Cache-Control": "no-store",
      },
    });
  },
);

/** Compresses as fast as the client reads, and stops when the client disconnects. */
function streamOf(zip: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<unknown, unknown> = zip[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (value instanceof Uint8Array) controller.enqueue(value);
      if (done === true) controller.close();
    },
    cancel: () => void zip.destroy(),
  });
}
