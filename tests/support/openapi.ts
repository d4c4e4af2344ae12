import { z } from "zod";
import type { Client } from "./client.ts";

const Operation = z.looseObject({
  "x-needs": z.string(),
  requestBody: z.unknown().optional(),
  parameters: z.array(z.looseObject({ name: z.string() })),
  responses: z.unknown(),
});
const Description = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

export interface DescribedRoute {
  method: string;
  /** With `{id}` where an id stands. */
  path: string;
  needs: string;
  hasBody: boolean;
  parameters: string[];
  /** It answers with one page of a list. */
  isList: boolean;
}

/** Every route of the running server, by its own description. */
export async function describedRoutes(client: Client): Promise<DescribedRoute[]> {
  const { paths } = Description.parse((await client.get("/api/openapi.json")).body);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      needs: operation["x-needs"],
      hasBody: operation.requestBody !== undefined,
      parameters: operation.parameters.map(({ name }) => name),
      isList: method === "get" && JSON.stringify(operation.responses).includes('"nextCursor"'),
    })),
  );
}
