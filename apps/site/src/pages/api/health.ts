import { Health } from "@metahuman/core/contract/http";
import { openRoute } from "../../server/api/route.ts";

export const GET = openRoute(
  { summary: "Whether requests are answered", needs: "nothing", takes: {}, answer: Health },
  ({ brain }) => ({
    status: "ok" as const,
    version: brain.version,
    uptimeMs: Math.round(process.uptime() * 1_000),
  }),
);
