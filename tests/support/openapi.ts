import { z } from "zod";
import type { Client } from "./client.ts";

const Operation = z.looseObject({
  "x-needs": z.string(),
  "x-scope": z.enum(["read", "operate", "manage"]).optional(),
  "x-guests": z.boolean().default(false),
  requestBody: z.unknown().optional(),
  parameters: z.array(z.looseObject({ name: z.string() })),
  responses: z.unknown(),
});
const Description = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

export interface DescribedRoute {
  method: string;
  /** The path with `{id}` for an id. */
  path: string;
  needs: string;
  /** The minimum scope of a token. */
  scope: "read" | "operate" | "manage" | undefined;
  guests: boolean;
  hasBody: boolean;
  parameters: string[];
  /** Whether the response is one page of a list. */
  isList: boolean;
}

/** Every route of the running server, from its OpenAPI document. */
export async function describedRoutes(client: Client): Promise<DescribedRoute[]> {
  const { paths } = Description.parse((await client.get("/api/openapi.json")).body);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      needs: operation["x-needs"],
      scope: operation["x-scope"],
      guests: operation["x-guests"],
      hasBody: operation.requestBody !== undefined,
      parameters: operation.parameters.map(({ name }) => name),
      isList: method === "get" && JSON.stringify(operation.responses).includes('"nextCursor"'),
    })),
  );
}
