import { Health } from "@metahuman/core/contract/http";
import { publicRoute } from "../../server/api/route.ts";

export const GET = publicRoute(
  {
    summary: "Whether the process is alive. For the state of the storage, see /api/ready",
    needs: "nothing",
    input: {},
    output: Health,
  },
  ({ brain }) => ({
    status: "ok" as const,
    version: brain.version,
    uptimeMs: Math.round(process.uptime() * 1_000),
    ...(brain.node !== undefined && { node: brain.node }),
  }),
);
