import { z } from "zod";

/** The roles that a model can play. */
export const ModelRole = z.enum(["planner", "persona", "chooser", "curator", "summarizer", "embedder"]);
export type ModelRole = z.infer<typeof ModelRole>;

/** `provider/model`, for example `ollama/qwen3:4b`. The model name may contain further slashes. */
export const ModelRef = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}\/\S{1,200}$/, "write provider/model, e.g. ollama/qwen3:4b");
export type ModelRef = z.infer<typeof ModelRef>;

/** Splits a reference into provider and model name. */
export function splitModelRef(ref: ModelRef): { provider: string; model: string } {
  const slash = ref.indexOf("/");
  return { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}

/** The name of a model on its server. */
export const ModelName = z.string().regex(/^\S{1,200}$/, "write the model's name, e.g. qwen3:4b");
export type ModelName = z.infer<typeof ModelName>;

/** The id of a model server in `etc/models.json`. */
export const ProviderId = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    "must begin with a lower-case letter and have lower-case letters, digits and hyphens only: home-server",
  );
export type ProviderId = z.infer<typeof ProviderId>;

/** The id of a stored key. */
export const ModelKeyId = z.string().regex(/^model-key-[0-9a-f]{16}$/);
export type ModelKeyId = z.infer<typeof ModelKeyId>;

/** The name of an environment variable that contains a key. */
export const KeyVariable = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/);

/**
 * One model server. Its key is never in the configuration: it is in the environment, or stored encrypted under an id.
 */
export const ProviderConfig = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ollama"),
    /** Default: `OLLAMA_HOST`, else `http://127.0.0.1:11434`. */
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    /** How long the server keeps an idle model in memory, in Ollama's notation. */
    keepAlive: z
      .string()
      .regex(/^-?\d+(ms|s|m|h)?$/)
      .default("5m"),
    enabled: z.boolean().default(true),
  }),
  z.strictObject({
    kind: z.literal("openai-compatible"),
    /** Includes the version, for example `http://127.0.0.1:8000/v1`. */
    baseUrl: z.url({ protocol: /^https?$/ }),
    /** The environment variable that contains the key. */
    apiKeyVariable: KeyVariable.optional(),
    /** The stored key, which counts if no variable is named. */
    apiKeyId: ModelKeyId.optional(),
    /** The context length of its models in tokens, if the server does not report it. */
    contextTokens: z.int().positive().optional(),
    enabled: z.boolean().default(true),
  }),
]);
export type ProviderConfig = z.infer<typeof ProviderConfig>;

/** Whether reasoning models think before they reply: never, always, or by the model's own default. */
export const ThinkSetting = z.enum(["off", "on", "auto"]);
export type ThinkSetting = z.infer<typeof ThinkSetting>;

/** `etc/models.json`: model servers, and which model plays which role. Durations in milliseconds. */
export const ModelsConfig = z.strictObject({
  providers: z.record(ProviderId, ProviderConfig).prefault({ ollama: { kind: "ollama" } }),
  /**
   * For each role, the preferred model and its fallbacks in order. For an absent role, a model is chosen from those
   * available.
   */
  roles: z.partialRecord(ModelRole, z.array(ModelRef).min(1).max(8)).default({}),
  limits: z
    .strictObject({
      firstByteMs: z.int().positive().default(120_000),
      silenceMs: z.int().positive().default(60_000),
      totalMs: z.int().positive().default(600_000),
    })
    .prefault({}),
  /** The maximum context to request from a server that needs this setting, in tokens. */
  maxContextTokens: z.int().min(1_024).default(16_384),
});
export type ModelsConfig = z.infer<typeof ModelsConfig>;

/** A model as its server describes it; absent fields were not reported. */
export const ModelInfo = z.strictObject({
  name: z.string(),
  family: z.string().optional(),
  /** As reported by the server, for example `4.0B`. */
  parameterSize: z.string().optional(),
  bytes: z.number().nonnegative().optional(),
  contextTokens: z.int().positive().optional(),
  abilities: z.array(z.enum(["chat", "tools", "thinking", "vision", "embedding"])).optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** The progress of a download. */
export const PullProgress = z.strictObject({
  status: z.string(),
  /** 0–1 of the current layer, if its size is known. */
  fraction: z.number().min(0).max(1).optional(),
  completedBytes: z.number().nonnegative().optional(),
  totalBytes: z.number().nonnegative().optional(),
});
export type PullProgress = z.infer<typeof PullProgress>;

/** Why a call to a model failed. */
export const ModelFailure = z.enum([
  "unreachable",
  "timed-out",
  "server-error",
  "model-missing",
  "key-refused",
  "rate-limited",
  "request-refused",
  "broke-off",
  "truncated",
  "empty",
  "malformed",
  "malformed-call",
]);
export type ModelFailure = z.infer<typeof ModelFailure>;

export const ModelServerState = z.strictObject({
  id: ProviderId,
  kind: z.enum(["ollama", "openai-compatible"]),
  /** The address without credentials. */
  address: z.string(),
  reachable: z.boolean(),
  /** One sentence if the server is not available. */
  problem: z.string().optional(),
  /** How long it took to list its models, in milliseconds. */
  latencyMs: z.number().nonnegative().optional(),
  models: z.array(ModelInfo),
});
export type ModelServerState = z.infer<typeof ModelServerState>;

/** The models that play a role, in the order in which they are asked. */
export const RoleState = z.strictObject({
  role: ModelRole,
  models: z.array(ModelRef),
  /** True if a person chose them; otherwise they were chosen from those available. */
  configured: z.boolean(),
  /** The models that a person chose for this role, including unavailable ones. */
  assigned: z.array(ModelRef).optional(),
  /** One sentence if no model plays the role, or not the chosen one. */
  missing: z.string().optional(),
  /** Abilities that the role needs and its first model lacks, each with advice. */
  warnings: z.array(z.string()).optional(),
});
export type RoleState = z.infer<typeof RoleState>;

/** The available models and the roles they play. */
export const ModelSituation = z.strictObject({
  /** Whether a model can plan. */
  available: z.boolean(),
  /** One sentence: what was found, and what would help. */
  summary: z.string(),
  /** The model that embeds texts. */
  embedder: z.string(),
  servers: z.array(ModelServerState),
  roles: z.array(RoleState),
  /** The speed of the last reply of each model that was used. */
  tokensPerSecond: z.record(ModelRef, z.number().nonnegative()),
});
export type ModelSituation = z.infer<typeof ModelSituation>;

/** Assigns models to a role, in the order in which they are asked; null restores the automatic choice. */
export const RoleAssignment = z.strictObject({
  role: ModelRole,
  models: z.array(ModelRef).min(1).max(8).nullable(),
});
export type RoleAssignment = z.infer<typeof RoleAssignment>;

/** A request to download a model to a server. */
export const PullRequest = z.strictObject({ provider: ProviderId, model: ModelName });
export type PullRequest = z.infer<typeof PullRequest>;

export const ModelTestRequest = z.strictObject({
  model: ModelRef,
  prompt: z.string().trim().min(1).max(4_000).default("Say in one sentence what you are good at."),
});
export type ModelTestRequest = z.infer<typeof ModelTestRequest>;

/** The result of a test. Durations in milliseconds. */
export const ModelTestResult = z.strictObject({
  /** The time until the first part of the reply, including the time to load the model. */
  latencyMs: z.number().nonnegative(),
  durationMs: z.number().nonnegative(),
  promptTokens: z.int().nonnegative().optional(),
  completionTokens: z.int().nonnegative().optional(),
  /** As measured by the server, else by this process. */
  tokensPerSecond: z.number().nonnegative().optional(),
  /** The length of a vector, for an embedding model. */
  dimensions: z.int().positive().optional(),
});
export type ModelTestResult = z.infer<typeof ModelTestResult>;

/** One part of a streamed test; `done` is the last. */
export const ModelTestPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("thinking"), text: z.string() }),
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("done"), result: ModelTestResult }),
]);
export type ModelTestPart = z.infer<typeof ModelTestPart>;

/** The result of a test as one answer; the text is empty for an embedding model. */
export const ModelTestAnswer = z.strictObject({ text: z.string(), result: ModelTestResult });
export type ModelTestAnswer = z.infer<typeof ModelTestAnswer>;

/** One part of a streamed download; `done` is the last and contains the model reference. */
export const PullEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("progress"), progress: PullProgress }),
  z.strictObject({ type: z.literal("done"), model: ModelRef }),
]);
export type PullEvent = z.infer<typeof PullEvent>;
