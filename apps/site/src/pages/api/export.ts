import { Readable } from "node:stream";
import { z } from "zod";
import { route } from "../../server/api/route.ts";
import { startOptions } from "../../server/api/surface.ts";

export const GET = route(
  {
    summary:
      "The profile as a zip that can be restored: memories, tasks, functions, files, settings, counters",
    needs: "canExport",
    takes: {},
    answer: z.string().describe("a zip"),
    media: "application/zip",
  },
  async ({ caller, request }) => {
    const { surface } = startOptions(caller);
    const { name, zip } = await caller.profile.transfer.export({ surface, signal: request.signal });
    return new Response(Readable.toWeb(zip), {
      headers: {
        "Content-Type": "application/zip",
        "Content-Disposition": `attachment; filename="${name}"`,
        "Cache-Control": "no-store",
      },
    });
  },
);
