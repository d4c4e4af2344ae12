import { z } from "zod";

/** The parts a model can play. */
export const ModelRole = z.enum(["planner", "persona", "curator", "summarizer", "embedder"]);
export type ModelRole = z.infer<typeof ModelRole>;

/** `provider/model`, e.g. `ollama/qwen3:4b`; the model's own name may hold further slashes. */
export const ModelRef = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}\/\S{1,200}$/, "write provider/model, e.g. ollama/qwen3:4b");
export type ModelRef = z.infer<typeof ModelRef>;

/** The provider and model names of a reference. */
export function splitModelRef(ref: ModelRef): { provider: string; model: string } {
  const slash = ref.indexOf("/");
  return { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}

/** A model as its server calls it. */
export const ModelName = z.string().regex(/^\S{1,200}$/, "write the model's name, e.g. qwen3:4b");
export type ModelName = z.infer<typeof ModelName>;

export const ProviderId = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);
export type ProviderId = z.infer<typeof ProviderId>;

/** One model server. Addresses come from configuration only, never from a request; keys only from the environment. */
export const ProviderConfig = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ollama"),
    /** Absent: `OLLAMA_HOST`, else `http://127.0.0.1:11434`. */
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
    /** Up to and including the version, e.g. `http://127.0.0.1:8000/v1`. */
    baseUrl: z.url({ protocol: /^https?$/ }),
    /** The environment variable that holds the key. */
    apiKeyVariable: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
      .optional(),
    /** Tokens of context of its models, where the server does not say. */
    contextTokens: z.int().positive().optional(),
    enabled: z.boolean().default(true),
  }),
]);
export type ProviderConfig = z.infer<typeof ProviderConfig>;

/** Whether reasoning models think before they reply: never, always, or as each model does by itself. */
export const ThinkSetting = z.enum(["off", "on", "auto"]);
export type ThinkSetting = z.infer<typeof ThinkSetting>;

/** `etc/models.json`: where models come from and which one plays which role. Durations are milliseconds. */
export const ModelsConfig = z.strictObject({
  providers: z.record(ProviderId, ProviderConfig).prefault({ ollama: { kind: "ollama" } }),
  /** For each role the model to use and then those to fall back on; an absent role is chosen from what the servers have. */
  roles: z.partialRecord(ModelRole, z.array(ModelRef).min(1).max(8)).default({}),
  limits: z
    .strictObject({
      firstByteMs: z.int().positive().default(120_000),
      silenceMs: z.int().positive().default(60_000),
      totalMs: z.int().positive().default(600_000),
    })
    .prefault({}),
  /** The largest context to reserve on a server that must be told, in tokens. */
  maxContextTokens: z.int().min(1_024).default(16_384),
});
export type ModelsConfig = z.infer<typeof ModelsConfig>;

/** What a server says of one of its models; absent fields were not said. */
export const ModelInfo = z.strictObject({
  name: z.string(),
  family: z.string().optional(),
  /** As the server words it, e.g. `4.0B`. */
  parameterSize: z.string().optional(),
  bytes: z.number().nonnegative().optional(),
  contextTokens: z.int().positive().optional(),
  abilities: z.array(z.enum(["chat", "tools", "thinking", "vision", "embedding"])).optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

export const PullProgress = z.strictObject({
  status: z.string(),
  /** 0–1 of the layer that is on its way, where the server says how large it is. */
  fraction: z.number().min(0).max(1).optional(),
  completedBytes: z.number().nonnegative().optional(),
  totalBytes: z.number().nonnegative().optional(),
});
export type PullProgress = z.infer<typeof PullProgress>;

/** Why a call to a model failed; each is told apart where it arises. */
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

/** One model server as it stands. */
export const ModelServerState = z.strictObject({
  id: ProviderId,
  kind: z.enum(["ollama", "openai-compatible"]),
  /** Without credentials. */
  address: z.string(),
  reachable: z.boolean(),
  /** One sentence when it is not. */
  problem: z.string().optional(),
  /** How long it took to say which models it has, in milliseconds. */
  latencyMs: z.number().nonnegative().optional(),
  models: z.array(ModelInfo),
});
export type ModelServerState = z.infer<typeof ModelServerState>;

/** Which models play a role, in the order they are asked. */
export const RoleState = z.strictObject({
  role: ModelRole,
  models: z.array(ModelRef),
  /** True when a person chose them; otherwise they are chosen from what the servers have. */
  configured: z.boolean(),
  /** What a person chose for exactly this role, whether it is there or not. */
  assigned: z.array(ModelRef).optional(),
  /** One sentence when nothing plays the role, or not what was chosen for it. */
  missing: z.string().optional(),
  /** What the first of its models cannot do although the role needs it, each with what to do about it. */
  warnings: z.array(z.string()).optional(),
});
export type RoleState = z.infer<typeof RoleState>;

/** What there is to think with. */
export const ModelSituation = z.strictObject({
  /** Whether a model can plan. */
  available: z.boolean(),
  /** One plain sentence: what was found, and what would help. */
  summary: z.string(),
  /** What turns text into vectors. */
  embedder: z.string(),
  servers: z.array(ModelServerState),
  roles: z.array(RoleState),
  /** How fast each model that was used answered last. */
  tokensPerSecond: z.record(ModelRef, z.number().nonnegative()),
});
export type ModelSituation = z.infer<typeof ModelSituation>;

/** Gives a role its models, in the order they are asked; null leaves the choice to the system again. */
export const RoleAssignment = z.strictObject({
  role: ModelRole,
  models: z.array(ModelRef).min(1).max(8).nullable(),
});
export type RoleAssignment = z.infer<typeof RoleAssignment>;

export const PullRequest = z.strictObject({ provider: ProviderId, model: ModelName });
export type PullRequest = z.infer<typeof PullRequest>;

export const ModelTestRequest = z.strictObject({
  model: ModelRef,
  prompt: z.string().trim().min(1).max(4_000).default("Say in one sentence what you are good at."),
});
export type ModelTestRequest = z.infer<typeof ModelTestRequest>;

/** How a test went. Durations are milliseconds. */
export const ModelTestResult = z.strictObject({
  /** Until the first sign of an answer, loading the model included. */
  latencyMs: z.number().nonnegative(),
  durationMs: z.number().nonnegative(),
  promptTokens: z.int().nonnegative().optional(),
  completionTokens: z.int().nonnegative().optional(),
  /** As the server measured it; by our own clock where it did not. */
  tokensPerSecond: z.number().nonnegative().optional(),
  /** Length of a vector, of a model that embeds. */
  dimensions: z.int().positive().optional(),
});
export type ModelTestResult = z.infer<typeof ModelTestResult>;

export const ModelTestPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("thinking"), text: z.string() }),
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("done"), result: ModelTestResult }),
]);
export type ModelTestPart = z.infer<typeof ModelTestPart>;

/** A test as one answer; the text is empty for a model that embeds. */
export const ModelTestAnswer = z.strictObject({ text: z.string(), result: ModelTestResult });
export type ModelTestAnswer = z.infer<typeof ModelTestAnswer>;

/** What a download tells while it goes on; `done` is the last, with the reference to use. */
export const PullEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("progress"), progress: PullProgress }),
  z.strictObject({ type: z.literal("done"), model: ModelRef }),
]);
export type PullEvent = z.infer<typeof PullEvent>;
