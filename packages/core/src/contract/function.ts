import { z } from "zod";
import { FunctionId, SkillId, Timestamp } from "./ids.ts";
import { MemoryRecord } from "./memory.ts";
import { Locale, TimeZone } from "./region.ts";
import { Task } from "./task.ts";

/**
 * The form of a function: `guide` is text for a planner, `recipe` a sequence of calls, `code` TypeScript for the
 * sandbox.
 */
export const FunctionKind = z.enum(["guide", "recipe", "code"]);
export type FunctionKind = z.infer<typeof FunctionKind>;

/** `verified` if every check of the current version passed. */
export const FunctionTrust = z.enum(["draft", "verified"]);
export type FunctionTrust = z.infer<typeof FunctionTrust>;

/** The life cycle of a function; only `active` functions are offered and replayed. */
export const FunctionStatus = z.enum(["active", "pending_approval", "rejected", "disabled"]);
export type FunctionStatus = z.infer<typeof FunctionStatus>;

/** The name of a function, unique per scope and valid as a file name. */
export const FunctionName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "use lower-case letters, digits and hyphens, such as weekly-report");
export type FunctionName = z.infer<typeof FunctionName>;

export const FunctionParameter = z.strictObject({
  name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/),
  type: z.enum(["string", "number", "boolean", "path", "date", "list", "object"]),
  description: z.string(),
  required: z.boolean(),
  default: z.unknown().optional(),
});
export type FunctionParameter = z.infer<typeof FunctionParameter>;

/** One path of the workspace in its state before a run; `absent` if nothing existed. */
export const FixturePath = z.discriminatedUnion("kind", [
  z.strictObject({ path: z.string().min(1), kind: z.literal("absent") }),
  z.strictObject({ path: z.string().min(1), kind: z.literal("folder") }),
  z.strictObject({ path: z.string().min(1), kind: z.literal("file"), content: z.string().max(64_000) }),
]);
export type FixturePath = z.infer<typeof FixturePath>;

/** The state, before a run, of exactly what the run used, so that it can run again in an empty workspace. */
export const FunctionFixture = z.strictObject({
  paths: z.array(FixturePath).max(200),
  tasks: z.array(Task).max(200),
  memories: z.array(MemoryRecord).max(200),
  /** The time of the run, which determines `${today}` and words like "tomorrow". */
  at: Timestamp,
  /** The person's time zone; default: that of the profile. */
  timeZone: TimeZone.optional(),
  locale: Locale.optional(),
});
export type FunctionFixture = z.infer<typeof FunctionFixture>;

/** A request that the function carried out, with its inputs and results. */
export const FunctionExample = z.strictObject({
  prompt: z.string().min(1).max(20_000),
  resultPath: z.string().optional(),
  skillSequence: z.array(SkillId).optional(),
  executionTimeMs: z.number().nonnegative().optional(),
  /** The values of the parameters; read from the prompt if absent. */
  parameters: z.record(z.string(), z.unknown()).optional(),
  /** If absent, the example cannot be replayed and does not count in verification. */
  fixture: FunctionFixture.optional(),
});
export type FunctionExample = z.infer<typeof FunctionExample>;

/** A condition that the result of a call must meet. */
export const Expectation = z.strictObject({
  field: z.string(),
  is: z.enum(["equals", "matches", "type", "present"]),
  value: z.unknown().optional(),
});
export type Expectation = z.infer<typeof Expectation>;

/** `args` may contain `${parameter}`, `${steps.N.field}` and `${today}`. Every call must succeed. */
export const Recipe = z.strictObject({
  promptTemplates: z.array(z.string()),
  actions: z
    .array(
      z.strictObject({
        skill: SkillId,
        args: z.record(z.string(), z.unknown()),
        expect: z.array(Expectation),
      }),
    )
    .min(1),
});
export type Recipe = z.infer<typeof Recipe>;

/** The source, tests and grants of a code function. */
export const FunctionCode = z.strictObject({
  language: z.literal("typescript"),
  source: z.string(),
  entry: z.literal("main"),
  tests: z.string(),
  grants: z.array(z.string()),
});
export type FunctionCode = z.infer<typeof FunctionCode>;

/** The report of a verification. */
export const Verification = z.strictObject({
  at: Timestamp,
  contentHash: z.string(),
  ok: z.boolean(),
  /** The version of the rules that the checks followed; 1 if absent. */
  rules: z.int().positive().optional(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      detail: z.string().optional(),
      /**
       * True if the check could not be carried out (a crash, a full disk, no model). It decides nothing; a failed one is
       * repeated later.
       */
      inconclusive: z.literal(true).optional(),
    }),
  ),
});
export type Verification = z.infer<typeof Verification>;

/** The source of a value in a learned call; `composed` by the model if it occurs in no request, answer or output. */
export const ValueOrigin = z.enum(["request", "answer", "output", "constant", "composed"]);
export type ValueOrigin = z.infer<typeof ValueOrigin>;

/** The origin of one value of a learned call. `step` counts from 1; `detail` is for people. */
export const ValueProvenance = z.strictObject({
  step: z.int().positive(),
  argument: z.string().min(1).max(200),
  from: ValueOrigin,
  detail: z.string().max(300),
});
export type ValueProvenance = z.infer<typeof ValueProvenance>;

/** The content of a function, which a person, the learner or the curator writes. */
const content = {
  name: FunctionName,
  title: z.string().trim().min(1).max(200),
  summary: z.string().max(2_000),
  tags: z.array(z.string().trim().min(1).max(64)).max(64),
  steps: z.array(z.string().trim().min(1).max(2_000)).max(100),
  skillsUsed: z.array(SkillId).max(100),
  examples: z.array(FunctionExample).max(50),
  parameters: z.array(FunctionParameter).max(50),
  kind: FunctionKind,
  recipe: Recipe.optional(),
  code: FunctionCode.optional(),
  /** For a learned function: why it is a recipe or a guide. Absent once a person has edited the function. */
  provenance: z.array(ValueProvenance).max(500).optional(),
};

/** The content of a function. A change of any of these fields creates a new version. */
export const FunctionContent = z.strictObject(content);
export type FunctionContent = z.infer<typeof FunctionContent>;

/** The use of a function; stored apart from its content, so that use creates no new version. */
const evidence = {
  /** The number of runs that followed it. */
  usageCount: z.int().nonnegative(),
  lastUsedAt: Timestamp.optional(),
  /** The number of runs whose planner saw it. */
  offeredCount: z.int().nonnegative(),
  stats: z.strictObject({
    executions: z.int().nonnegative(),
    successes: z.int().nonnegative(),
    failures: z.int().nonnegative(),
    lastFailure: z.string().optional(),
  }),
};

/** The counts of a function's uses and results. */
export const FunctionEvidence = z.strictObject(evidence);
export type FunctionEvidence = z.infer<typeof FunctionEvidence>;

/** How a function was created. */
export const FunctionOrigin = z.enum(["learned", "written", "curated", "imported", "pattern"]);
export type FunctionOrigin = z.infer<typeof FunctionOrigin>;

/** Selects the functions of all agents, for people; an agent finds only its own. */
export const EVERY_AGENT = "*";
/** The agent that answers if none is named. */
export const DEFAULT_AGENT = "operator";

/** The owner of a function; every query filters by both fields. */
export const FunctionScope = z.strictObject({ agentId: z.string(), userId: z.string() });
export type FunctionScope = z.infer<typeof FunctionScope>;

/**
 * A wording: a request for a function in words of a person, learned from an accepted offer. Stored apart from the
 * verified content: it applies at once, and is undone without a new version.
 */
export const TaughtWording = z.strictObject({
  id: z.string().regex(/^tmpl-[0-9a-z]{26}$/),
  /** The request with `{parameter}` in place of each value. */
  template: z.string().min(1).max(4_000),
  prompt: z.string().min(1).max(4_000),
  values: z.record(z.string(), z.unknown()),
  by: z.string(),
  at: Timestamp,
  runId: z.string().optional(),
});
export type TaughtWording = z.infer<typeof TaughtWording>;

/** A wording for which a person did not want this function; it is not offered for it again. */
export const RefusedWording = TaughtWording.omit({ values: true });
export type RefusedWording = z.infer<typeof RefusedWording>;

/** A wording as an entry of the function's history. It creates no version. */
export const FunctionWording = RefusedWording.extend({ kind: z.enum(["taught", "refused"]) });
export type FunctionWording = z.infer<typeof FunctionWording>;

/** The wordings that a function was taught and refused for, newest first. */
export function wordingsOf({
  taught = [],
  refused = [],
}: Pick<FunctionMemory, "taught" | "refused">): FunctionWording[] {
  return [
    ...taught.map(({ values: _values, ...one }) => ({ ...one, kind: "taught" as const })),
    ...refused.map((one) => ({ ...one, kind: "refused" as const })),
  ].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/** A function with its state and evidence: one item of procedural memory. */
export const FunctionMemory = z.strictObject({
  id: FunctionId,
  ...content,
  /** Newest last. */
  taught: z.array(TaughtWording).max(100).optional(),
  refused: z.array(RefusedWording).max(100).optional(),
  trust: FunctionTrust,
  status: FunctionStatus,
  /** The reason for the status `rejected` or `disabled`. */
  statusReason: z.string().max(2_000).optional(),
  /** The time when a person last enabled it; earlier failures no longer disable it. */
  enabledAt: Timestamp.optional(),
  verification: Verification.optional(),
  ...evidence,
  origin: FunctionOrigin,
  sourceConversationId: z.string().optional(),
  sourceOperatorRunId: z.string().optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.int().positive(),
  scope: FunctionScope,
});
export type FunctionMemory = z.infer<typeof FunctionMemory>;

/** Code and recipe as callers supply them: fields with only one sensible value are optional. */
const GivenCode = FunctionCode.extend({
  language: FunctionCode.shape.language.default("typescript"),
  entry: FunctionCode.shape.entry.default("main"),
  tests: FunctionCode.shape.tests.default(""),
  grants: FunctionCode.shape.grants.default([]),
});
const GivenAction = Recipe.shape.actions.element;
const GivenRecipe = Recipe.extend({
  promptTemplates: Recipe.shape.promptTemplates.default([]),
  actions: z
    .array(
      GivenAction.extend({
        args: GivenAction.shape.args.default({}),
        expect: GivenAction.shape.expect.default([]),
      }),
    )
    .min(1),
});

/** A new function as callers supply it; the store adds the other fields. */
export const NewFunction = z.strictObject({
  name: FunctionName.optional(),
  title: content.title,
  summary: content.summary,
  steps: content.steps,
  skillsUsed: content.skillsUsed,
  tags: content.tags.optional(),
  examples: content.examples.optional(),
  parameters: content.parameters.optional(),
  kind: FunctionKind.optional(),
  recipe: GivenRecipe.optional(),
  code: GivenCode.optional(),
  provenance: content.provenance,
});
export type NewFunction = z.infer<typeof NewFunction>;

/** A change of some fields; `null` removes the recipe or the code. */
export const FunctionChange = z.strictObject({
  name: FunctionName.optional(),
  title: content.title.optional(),
  summary: content.summary.optional(),
  tags: content.tags.optional(),
  steps: content.steps.optional(),
  skillsUsed: content.skillsUsed.optional(),
  examples: content.examples.optional(),
  parameters: content.parameters.optional(),
  kind: FunctionKind.optional(),
  recipe: GivenRecipe.nullable().optional(),
  code: GivenCode.nullable().optional(),
  provenance: content.provenance,
});
export type FunctionChange = z.infer<typeof FunctionChange>;

/** A change with the version that it is based on. */
export const FunctionEdit = z.strictObject({ ...FunctionChange.shape, version: z.int().positive() });
export type FunctionEdit = z.infer<typeof FunctionEdit>;

/** The id of a proposal; sorts by time. */
export const ProposalId = z.string().regex(/^prop-[0-9a-z]{26}$/, "a proposal id looks like prop-01jd…");
export type ProposalId = z.infer<typeof ProposalId>;

/** A proposed change of a function; the live version stays in use until a person accepts it. */
export const FunctionProposal = z.strictObject({
  id: ProposalId,
  functionId: FunctionId,
  /** The version it is based on, and the hash of what that version did. */
  baseVersion: z.int().positive(),
  baseContentHash: z.string(),
  /** The complete content after the change. */
  content: FunctionContent,
  origin: z.enum(["edit", "learned", "curated", "failure", "merge"]),
  /** One sentence: the change and its reason. */
  reason: z.string().max(2_000),
  status: z.enum(["pending", "accepted", "rejected"]),
  verification: Verification.optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  sourceOperatorRunId: z.string().optional(),
  decidedBy: z.string().optional(),
  decidedAt: Timestamp.optional(),
  decisionReason: z.string().optional(),
});
export type FunctionProposal = z.infer<typeof FunctionProposal>;

export const FunctionVersion = z.strictObject({
  version: z.int().positive(),
  at: Timestamp,
  by: z.string(),
  /** The change in one sentence: "Widened: the name may contain spaces." */
  change: z.string(),
  runId: z.string().optional(),
  content: FunctionContent,
});
export type FunctionVersion = z.infer<typeof FunctionVersion>;

/** The order of a list: newest, most used and best first, titles from A. */
export const FunctionSort = z.enum(["updated", "created", "title", "used", "success"]);
export type FunctionSort = z.infer<typeof FunctionSort>;

/** The body of a decision about a function. */
export const FunctionDecision = z.strictObject({ reason: z.string().max(2_000).optional() });
export type FunctionDecision = z.infer<typeof FunctionDecision>;

/** The body of a request to promote a function. */
export const FunctionPromotion = z.strictObject({ id: FunctionId, ...FunctionDecision.shape });
export type FunctionPromotion = z.infer<typeof FunctionPromotion>;

/** The body of a request to restore a version. */
export const FunctionVersionChoice = z.strictObject({ version: z.int().positive() });
export type FunctionVersionChoice = z.infer<typeof FunctionVersionChoice>;

/** The body of a decision about a proposal. */
export const ProposalDecision = z.strictObject({
  id: ProposalId,
  decision: z.enum(["accept", "reject"]),
  ...FunctionDecision.shape,
});
export type ProposalDecision = z.infer<typeof ProposalDecision>;
