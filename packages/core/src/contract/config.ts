import { z } from "zod";
import { AgentsConfig } from "./agents.ts";
import { ChannelsConfig } from "./channels.ts";
import { ContextBudgets } from "./context.ts";
import { ModelRole, ModelsConfig, ThinkSetting } from "./models.ts";
import { SchedulesConfig } from "./schedule.ts";
import { SkillsConfig } from "./skills-config.ts";

const Similarity = z.number().min(0).max(1);

/** Cosine similarity thresholds of one embedder, measured on labelled texts. */
export const Similarities = z
  .strictObject({
    /** The similarity that unrelated texts reach. */
    unrelated: Similarity,
    /** The similarity that is sufficient for a match on its own. */
    convincing: Similarity,
    /** The similarity at which two texts are linked. */
    alike: Similarity,
  })
  .refine(({ unrelated, convincing }) => unrelated < convincing, "unrelated must lie below convincing");
export type Similarities = z.infer<typeof Similarities>;

export const OperatorFlag = z.enum(["reactV2", "useReasoningService", "useContextPackage", "useFunctions"]);
export type OperatorFlag = z.infer<typeof OperatorFlag>;

/** `etc/runtime.json`: flags of the operator. Each takes effect with the next run. */
export const RuntimeConfig = z.strictObject({
  operator: z
    .strictObject({
      reactV2: z.boolean().default(true),
      useReasoningService: z.boolean().default(false),
      useContextPackage: z.boolean().default(true),
      useFunctions: z.boolean().default(true),
    })
    .prefault({}),
});
export type RuntimeConfig = z.infer<typeof RuntimeConfig>;

/** `etc/operator.json`: the operator. Durations in milliseconds, budgets in tokens. */
export const OperatorConfig = z.strictObject({
  scratchpad: z
    .strictObject({
      maxSteps: z.int().min(1).max(100).default(10),
      trimToLastN: z.int().min(1).max(100).default(10),
      enableVerbatimMode: z.boolean().default(true),
      enableErrorRetry: z.boolean().default(true),
    })
    .prefault({}),
  models: z
    .strictObject({
      useSingleModel: z.boolean().default(false),
      /** The roles that plan and answer. `etc/models.json` assigns models to roles. */
      planningModel: ModelRole.default("planner"),
      responseModel: ModelRole.default("persona"),
      /**
       * Whether models think while they plan, check, answer and summarize. Code and reflections use the model's own
       * default.
       */
      think: ThinkSetting.default("off"),
    })
    .prefault({}),
  logging: z
    .strictObject({
      enableScratchpadDump: z.boolean().default(false),
      /** The folder for run dumps, relative to the profile. */
      logDirectory: z
        .string()
        .regex(/^logs(\/\w[\w.-]*)*$/, "name a folder under logs/, e.g. logs/runs")
        .default("logs/runs"),
      verboseErrors: z.boolean().default(true),
    })
    .prefault({}),
  performance: z
    .strictObject({
      cacheCatalog: z.boolean().default(true),
      catalogTTL: z.int().nonnegative().default(60_000),
      parallelSkillExecution: z.boolean().default(false),
    })
    .prefault({}),
  approvals: z
    .strictObject({
      expireAfterMs: z
        .int()
        .positive()
        .default(7 * 86_400_000),
      grantExpireAfterMs: z
        .int()
        .positive()
        .default(90 * 86_400_000),
    })
    .prefault({}),
  answers: z
    .strictObject({
      /** Whether a model checks the sentences of its answer that code doubts or can neither confirm nor refute. */
      checkWithModel: z.boolean().default(true),
    })
    .prefault({}),
  runs: z.strictObject({ maxConcurrent: z.int().min(1).max(64).default(2) }).prefault({}),
  functions: z
    .strictObject({
      autoLearn: z.boolean().default(true),
      minSkillCalls: z.int().min(1).default(2),
      /** Whether the operator may register functions on its own. */
      autoRegister: z.boolean().default(true),
      requireApproval: z.boolean().default(true),
      maxPerProfile: z.int().min(1).default(1_000),
      searchThreshold: z.union([z.literal("auto"), z.number().min(0).max(1)]).default("auto"),
      prefer: z.boolean().default(true),
      /** The time limit of code that calls no skills, and of the tests of code, in milliseconds. */
      timeLimitMs: z.int().min(100).max(45_000).default(5_000),
    })
    .prefault({}),
  budgets: ContextBudgets.extend({
    catalog: z.int().nonnegative().default(1_000),
    observation: z.int().positive().default(1_500),
  }).prefault({}),
});
export type OperatorConfig = z.infer<typeof OperatorConfig>;

/** `etc/server.json`: the HTTP server. Sizes in bytes, durations in milliseconds. */
export const ServerConfig = z.strictObject({
  allowedHosts: z.array(z.string()).default([]),
  /** The reverse proxies whose `X-Forwarded-For` is trusted: addresses and address ranges. */
  trustedProxies: z
    .array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
        error: "write an address or a range, such as 127.0.0.1 or 10.0.0.0/8",
      }),
    )
    .default([]),
  /** Large enough for the longest memory, or for a thousand memories in one request. */
  maxBodyBytes: z.int().positive().default(32_000_000),
  /** The limit for all request bodies that are in memory at the same time. */
  maxBodiesInFlightBytes: z.int().positive().default(96_000_000),
  /** The maximum size of a profile to import; it is written to disk while it is received. */
  maxImportBytes: z.int().positive().default(4_000_000_000),
  session: z
    .strictObject({
      idleTimeoutMs: z
        .int()
        .positive()
        .default(7 * 86_400_000),
      absoluteTimeoutMs: z
        .int()
        .positive()
        .default(30 * 86_400_000),
    })
    .prefault({}),
  login: z
    .strictObject({
      attempts: z.int().positive().default(10),
      windowMs: z.int().positive().default(900_000),
    })
    .prefault({}),
  profiles: z
    .strictObject({
      /** A profile that nobody has used for this time, and that has nothing to do, is closed; the next request opens it. */
      idleTimeoutMs: z.int().min(1_000).max(86_400_000).default(1_800_000),
      /** While more profiles are open, those that were used the longest ago are closed after a few seconds without use. */
      maxOpen: z.int().min(1).max(100_000).default(150),
    })
    .prefault({}),
  audit: z
    .strictObject({
      /**
       * A file to which the signed end of each profile's audit log is appended once a day; best on another machine or
       * append-only.
       */
      anchorFile: z
        .string()
        .regex(/^(?:\/|[A-Za-z]:[\\/])/u, "give an absolute path")
        .nullable()
        .default(null),
    })
    .prefault({}),
});
export type ServerConfig = z.infer<typeof ServerConfig>;

/** `etc/memory.json`: retention and recall. */
export const MemoryConfig = z.strictObject({
  maxMemories: z.int().positive().default(100_000),
  patternThreshold: z.int().min(2).default(3),
  contextMemories: z.int().nonnegative().default(4),
  /** Measured similarity thresholds by embedder (`ollama/nomic-embed-text`); cautious defaults apply to all others. */
  similarities: z.record(z.string(), Similarities).default({}),
});
export type MemoryConfig = z.infer<typeof MemoryConfig>;

/** `etc/storage.json`: the quotas of a profile. Sizes in bytes, durations in milliseconds. */
export const StorageConfig = z.strictObject({
  profile: z
    .strictObject({
      maxBytes: z.int().positive().default(20_000_000_000),
      maxFiles: z.int().positive().default(1_000_000),
    })
    .prefault({}),
  import: z.strictObject({ maxDurationMs: z.int().positive().default(1_800_000) }).prefault({}),
});
export type StorageConfig = z.infer<typeof StorageConfig>;

/** The complete configuration from `etc/`, validated. */
export const Config = z.strictObject({
  runtime: RuntimeConfig,
  operator: OperatorConfig,
  server: ServerConfig,
  models: ModelsConfig,
  memory: MemoryConfig,
  skills: SkillsConfig,
  agents: AgentsConfig,
  schedules: SchedulesConfig,
  channels: ChannelsConfig,
  storage: StorageConfig,
});
export type Config = z.infer<typeof Config>;
