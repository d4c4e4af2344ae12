import { z } from "zod";
import { KeyVariable, ModelInfo, ProviderId } from "./models.ts";

/** The address of a server with its API version. Without credentials, because addresses are shown and logged. */
const ServerUrl = z
  .url({ protocol: /^https?$/, error: "write an address such as http://127.0.0.1:8000/v1" })
  .max(500)
  .refine((text) => {
    const url = URL.parse(text);
    return url === null || `${url.username}${url.password}${url.search}${url.hash}` === "";
  }, "write the address without a user name, a query or a fragment");

/** The key of a server in a person's request; null removes it. An absent key keeps the current one. */
const ServerKey = z.union([
  z.strictObject({
    value: z
      .string()
      .trim()
      .min(1)
      .max(2_000)
      .regex(/^[\x21-\x7e]+$/, "a key has no spaces"),
  }),
  z.strictObject({
    // Otherwise, anybody who is signed in as the owner could send any variable to any server.
    variable: KeyVariable.regex(/_API_KEY$/, "the name must end in _API_KEY"),
  }),
]);

/** An OpenAI-compatible server to add, or to change under its id. */
export const ModelServerEdit = z.strictObject({
  id: ProviderId,
  baseUrl: ServerUrl,
  key: ServerKey.nullable().optional(),
  contextTokens: z.int().min(512).max(10_000_000).nullable().optional(),
});
export type ModelServerEdit = z.infer<typeof ModelServerEdit>;

/** A server to try before it is saved. Without a key, the stored one is used if the server has this address. */
export const ModelServerTest = ModelServerEdit.omit({ contextTokens: true });
export type ModelServerTest = z.infer<typeof ModelServerTest>;

/** The answer of a server that was tried. */
export const ModelServerTestResult = z.strictObject({
  latencyMs: z.number().nonnegative(),
  models: z.array(ModelInfo),
});
export type ModelServerTestResult = z.infer<typeof ModelServerTestResult>;

/** An OpenAI-compatible server in the configuration; the key itself is never returned. */
export const ConfiguredServer = z.strictObject({
  id: ProviderId,
  baseUrl: z.string(),
  enabled: z.boolean(),
  contextTokens: z.int().positive().optional(),
  key: z.discriminatedUnion("from", [
    z.strictObject({ from: z.literal("none") }),
    /** `readable` is false if it was stored for another address or with another secret. */
    z.strictObject({ from: z.literal("stored"), readable: z.boolean() }),
    z.strictObject({ from: z.literal("environment"), variable: z.string(), isSet: z.boolean() }),
  ]),
});
export type ConfiguredServer = z.infer<typeof ConfiguredServer>;

/** The OpenAI-compatible servers of the configuration. */
export const ConfiguredServers = z.strictObject({ servers: z.array(ConfiguredServer) });
export type ConfiguredServers = z.infer<typeof ConfiguredServers>;
