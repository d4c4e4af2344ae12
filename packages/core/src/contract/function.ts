import { z } from "zod";
import { FunctionId, SkillId, Timestamp } from "./ids.ts";
import { MemoryRecord } from "./memory.ts";
import { Locale, TimeZone } from "./region.ts";
import { Task } from "./task.ts";

export const FunctionKind = z.enum(["guide", "recipe", "code"]);
export type FunctionKind = z.infer<typeof FunctionKind>;

export const FunctionTrust = z.enum(["draft", "verified"]);
export type FunctionTrust = z.infer<typeof FunctionTrust>;

export const FunctionStatus = z.enum(["active", "pending_approval", "rejected", "disabled"]);
export type FunctionStatus = z.infer<typeof FunctionStatus>;

/** Unique per scope; checked before it touches a path. */
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

/** One place of the workspace as it was before a run; `absent` where nothing was. */
export const FixturePath = z.discriminatedUnion("kind", [
  z.strictObject({ path: z.string().min(1), kind: z.literal("absent") }),
  z.strictObject({ path: z.string().min(1), kind: z.literal("folder") }),
  z.strictObject({ path: z.string().min(1), kind: z.literal("file"), content: z.string().max(64_000) }),
]);
export type FixturePath = z.infer<typeof FixturePath>;

/** The state, before a run, of exactly what it touched: enough to run it again in an empty place. */
export const FunctionFixture = z.strictObject({
  paths: z.array(FixturePath).max(200),
  tasks: z.array(Task).max(200),
  memories: z.array(MemoryRecord).max(200),
  /** When the run took place: what `${today}` and words like "tomorrow" meant. */
  at: Timestamp,
  /** Where the person was; the profile's region when missing. */
  timeZone: TimeZone.optional(),
  locale: Locale.optional(),
});
export type FunctionFixture = z.infer<typeof FunctionFixture>;

export const FunctionExample = z.strictObject({
  prompt: z.string().min(1).max(20_000),
  resultPath: z.string().optional(),
  skillSequence: z.array(SkillId).optional(),
  executionTimeMs: z.number().nonnegative().optional(),
  /** What the parameters were bound to; read from the prompt when missing. */
  parameters: z.record(z.string(), z.unknown()).optional(),
  /** Missing: the example cannot be replayed and proves nothing. */
  fixture: FunctionFixture.optional(),
});
export type FunctionExample = z.infer<typeof FunctionExample>;

export const Expectation = z.strictObject({
  field: z.string(),
  is: z.enum(["equals", "matches", "type", "present"]),
  value: z.unknown().optional(),
});
export type Expectation = z.infer<typeof Expectation>;

/** `args` may hold `${parameter}`, `${steps.N.field}` and `${today}`; success is always expected. */
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

export const FunctionCode = z.strictObject({
  language: z.literal("typescript"),
  source: z.string(),
  entry: z.literal("main"),
  tests: z.string(),
  grants: z.array(z.string()),
});
export type FunctionCode = z.infer<typeof FunctionCode>;

export const Verification = z.strictObject({
  at: Timestamp,
  contentHash: z.string(),
  ok: z.boolean(),
  /** Which rules the checks followed; the first ones when missing. */
  rules: z.int().positive().optional(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      detail: z.string().optional(),
      /** The check could not be carried out (a crash, a full disk): it decides nothing and is repeated later. */
      inconclusive: z.literal(true).optional(),
    }),
  ),
});
export type Verification = z.infer<typeof Verification>;

/** Where a value of a learned call comes from; `composed` by the model when it is in nothing that was said or found. */
export const ValueOrigin = z.enum(["request", "answer", "output", "constant", "composed"]);
export type ValueOrigin = z.infer<typeof ValueOrigin>;

/** `step` counts the calls from 1; `detail` is for people. */
export const ValueProvenance = z.strictObject({
  step: z.int().positive(),
  argument: z.string().min(1).max(200),
  from: ValueOrigin,
  detail: z.string().max(300),
});
export type ValueProvenance = z.infer<typeof ValueProvenance>;

/** What a person, the learner or the curator says about a function. */
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
  /** Of a learned function: why it is a recipe or a guide. Absent once somebody changes what it does by hand. */
  provenance: z.array(ValueProvenance).max(500).optional(),
};

/** The fields of which a change makes a new version. */
export const FunctionContent = z.strictObject(content);
export type FunctionContent = z.infer<typeof FunctionContent>;

/** How often a function was offered, used, and of use; kept apart from it, so that use makes no new version. */
const evidence = {
  /** Runs that followed it. */
  usageCount: z.int().nonnegative(),
  lastUsedAt: Timestamp.optional(),
  /** Runs whose planner was shown it. */
  offeredCount: z.int().nonnegative(),
  stats: z.strictObject({
    executions: z.int().nonnegative(),
    successes: z.int().nonnegative(),
    failures: z.int().nonnegative(),
    lastFailure: z.string().optional(),
  }),
};

export const FunctionEvidence = z.strictObject(evidence);
export type FunctionEvidence = z.infer<typeof FunctionEvidence>;

export const FunctionOrigin = z.enum(["learned", "written", "curated", "imported", "pattern"]);
export type FunctionOrigin = z.infer<typeof FunctionOrigin>;

/** Names the functions of all agents, for people: an agent finds only its own. */
export const EVERY_AGENT = "*";
/** The agent that answers when none is named. */
export const USUAL_AGENT = "operator";

/** Whose function it is; every query filters on both. */
export const FunctionScope = z.strictObject({ agentId: z.string(), userId: z.string() });
export type FunctionScope = z.infer<typeof FunctionScope>;

/** A learned or written piece of procedural memory. */
export const FunctionMemory = z.strictObject({
  id: FunctionId,
  ...content,
  trust: FunctionTrust,
  status: FunctionStatus,
  /** Why it is rejected or disabled. */
  statusReason: z.string().max(2_000).optional(),
  /** When a person last enabled it again; failures from before that no longer disable it. */
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

/** What a caller gives of code and recipe: what has only one sensible value may be left out. */
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

/** What may be left out of a new function. */
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

/** A change of some fields; `null` takes recipe or code away. */
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

/** A change together with the version it starts from. */
export const FunctionEdit = z.strictObject({ ...FunctionChange.shape, version: z.int().positive() });
export type FunctionEdit = z.infer<typeof FunctionEdit>;

export const ProposalId = z.string().regex(/^prop-[0-9a-z]{26}$/, "a proposal id looks like prop-01jd…");
export type ProposalId = z.infer<typeof ProposalId>;

/** What a function would become; the live version serves until somebody accepts it. */
export const FunctionProposal = z.strictObject({
  id: ProposalId,
  functionId: FunctionId,
  /** The version it was made from, and the hash of what that did. */
  baseVersion: z.int().positive(),
  baseContentHash: z.string(),
  /** All of the function's content as it would be. */
  content: FunctionContent,
  origin: z.enum(["edit", "learned", "curated", "failure", "merge"]),
  /** One sentence: what changes and why. */
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

/** One version of a function. */
export const FunctionVersion = z.strictObject({
  version: z.int().positive(),
  at: Timestamp,
  by: z.string(),
  /** What changed, as a sentence: "Widened: the name may contain spaces." */
  change: z.string(),
  runId: z.string().optional(),
  content: FunctionContent,
});
export type FunctionVersion = z.infer<typeof FunctionVersion>;

/** Orders of the list: newest, most used and best first, titles from A. */
export const FunctionSort = z.enum(["updated", "created", "title", "used", "success"]);
export type FunctionSort = z.infer<typeof FunctionSort>;

/** Bodies of the API. */
export const FunctionDecision = z.strictObject({ reason: z.string().max(2_000).optional() });
export type FunctionDecision = z.infer<typeof FunctionDecision>;

export const FunctionPromotion = z.strictObject({ id: FunctionId, ...FunctionDecision.shape });
export type FunctionPromotion = z.infer<typeof FunctionPromotion>;

export const FunctionVersionChoice = z.strictObject({ version: z.int().positive() });
export type FunctionVersionChoice = z.infer<typeof FunctionVersionChoice>;

export const ProposalDecision = z.strictObject({
  id: ProposalId,
  decision: z.enum(["accept", "reject"]),
  ...FunctionDecision.shape,
});
export type ProposalDecision = z.infer<typeof ProposalDecision>;
