import { z } from "zod";
import { Problem } from "@metahuman/core/contract/problem";
import { Nothing, scopeOf, type RouteDefinition } from "./route.ts";
import type { RouteTable } from "./route-table.ts";

type Json = Record<string, unknown>;

const json = "application/json";
const events = "text/event-stream";

/** Generates the OpenAPI 3.1 description of the routes from the schemas that parse the requests. */
export function openApi(routes: RouteTable, version: string): Json {
  const paths: Json = {};
  for (const [pattern, methods] of [...routes].sort(([a], [b]) => a.localeCompare(b))) {
    if (methods.size === 0) continue;
    paths[pattern.replaceAll(/\[(\w+)\]/g, "{$1}")] = Object.fromEntries(
      [...methods].map(([method, { definition }]) => [method.toLowerCase(), operation(definition)]),
    );
  }
  return {
    openapi: "3.1.0",
    info: { title: "MetaHuman OS", version },
    paths,
    components: {
      schemas: { Problem: schemaOf(Problem, "output") },
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "metahuman_session" },
        token: { type: "http", scheme: "bearer" },
      },
    },
  };
}

function operation(definition: RouteDefinition): Json {
  const {
    summary,
    needs,
    guests = false,
    input,
    output,
    upload,
    media = json,
    status = 200,
    events: streams,
  } = definition;
  const isEmpty = output === Nothing;
  const schema = isEmpty ? undefined : schemaOf(output, "output");
  return {
    summary,
    "x-needs": needs,
    ...(needs !== "nothing" && { "x-scope": scopeOf(definition) }),
    ...(guests && { "x-guests": true }),
    security: needs === "nothing" ? [] : [{ session: [] }, { token: [] }],
    parameters: [...parameters(input.params, "path"), ...parameters(input.query, "query")],
    ...(input.body && {
      requestBody: { required: true, content: { [json]: { schema: schemaOf(input.body, "input") } } },
    }),
    ...(upload !== undefined && { requestBody: { required: true, content: { [upload]: {} } } }),
    responses: {
      [isEmpty ? 204 : status]: {
        description: "It worked.",
        ...(schema && { content: { [media]: { schema }, ...(streams && { [events]: { schema } }) } }),
      },
      default: {
        description: "It did not.",
        content: { [json]: { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

const Properties = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

function parameters(schema: z.ZodType | undefined, where: "path" | "query"): Json[] {
  if (schema === undefined) return [];
  const { properties, required } = Properties.parse(schemaOf(schema, "input"));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
