import { z } from "zod";
import { openApi } from "../../server/api/openapi.ts";
import { route, type Route } from "../../server/api/route.ts";
import { routeTable } from "../../server/api/route-table.ts";

export const GET: Route = route(
  {
    summary: "This API, described",
    needs: "sign-in",
    scope: "read",
    input: {},
    output: z.record(z.string(), z.unknown()),
  },
  ({ brain }) =>
    openApi(new Map([...routeTable, ["/api/openapi.json", new Map([["GET", GET]])]]), brain.version),
);
