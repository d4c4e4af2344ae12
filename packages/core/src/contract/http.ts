import { z } from "zod";
import { FunctionApproval } from "./function-approval.ts";
import { Approval, ApprovalDecision, Grant } from "./approval.ts";
import { AccountRole } from "./account.ts";
import { Conversation, Message } from "./conversation.ts";
import { AgentId, ConversationId, FunctionId, RunId, Username } from "./ids.ts";
import { MAX_GOAL } from "./limits.ts";
import { Persona } from "./profile.ts";
import { Locale, TimeZone } from "./region.ts";
import { MemoryRecord, NewMemory, RecalledMemory } from "./memory.ts";
import {
  FunctionOffer,
  FunctionUse,
  PlannerName,
  RunOutcome,
  RunStatus,
  RunSummary,
  ScratchpadEntry,
  Pending,
  Usage,
  Verdict,
} from "./run.ts";
import { Task } from "./task.ts";
import { CognitiveMode, SkillOverride, TrustLevel } from "./trust.ts";

/** Orders of what happened: the latest first, or as it came. */
export const TimeSort = z.enum(["newest", "oldest"]);
export type TimeSort = z.infer<typeof TimeSort>;

export const Password = z.string().min(8, "use at least 8 characters").max(1_024);

export const SetupRequest = z.strictObject({
  username: Username,
  password: Password,
  displayName: z.string().trim().min(1).max(100).optional(),
  setupCode: z.string().optional(),
});
export type SetupRequest = z.infer<typeof SetupRequest>;

/** What an owner changes of somebody's account; a new password ends all of that person's sessions and tokens. */
export const AccountEdit = z.strictObject({ role: AccountRole.optional(), password: Password.optional() });
export type AccountEdit = z.infer<typeof AccountEdit>;

export const LoginRequest = z.strictObject({ username: z.string().max(64), password: z.string().max(1_024) });
export type LoginRequest = z.infer<typeof LoginRequest>;

/** Signs in to a public profile as a guest, who may only chat. */
export const GuestLoginRequest = z.strictObject({ guestOf: Username });
export type GuestLoginRequest = z.infer<typeof GuestLoginRequest>;

export const PasswordChange = z.strictObject({ current: z.string().max(1_024), next: Password });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** An offered function that a person wants carried out, with the values that they saw or changed. */
export const FollowedOffer = z.strictObject({
  functionId: FunctionId,
  /** The version that was offered; another one is refused with 409. */
  version: z.int().positive(),
  values: z.record(z.string(), z.unknown()),
  /** The run that offered it: its request becomes a wording of the function. */
  runId: RunId.optional(),
});
export type FollowedOffer = z.infer<typeof FollowedOffer>;

export const OperatorRequest = z.strictObject({
  goal: z.string().max(MAX_GOAL),
  conversationId: ConversationId.optional(),
  /** 0 off, 1 quick, 2 focused, 3 deep. */
  reasoningDepth: z.int().min(0).max(3).optional(),
  /** Earlier text to continue from. */
  taskContext: z.string().max(MAX_GOAL).optional(),
  sessionId: z.string().max(128).optional(),
  agentId: AgentId.optional(),
  /** Answer 202 at once and let the run go on. */
  background: z.boolean().optional(),
  /** Relative dates are read in this time zone; the profile's, else the server's, when missing. */
  timeZone: TimeZone.optional(),
  /** How the person writes dates and numbers; the profile's, else the server's, when missing. */
  locale: Locale.optional(),
  /** Carries out this function instead of planning the goal. */
  follow: FollowedOffer.optional(),
});
export type OperatorRequest = z.infer<typeof OperatorRequest>;

export const OperatorAnswer = z.strictObject({
  runId: z.string(),
  conversationId: z.string(),
  outcome: RunOutcome,
  result: z.string(),
  /** The skills called, in order, without those of category `agent`. */
  actions: z.array(z.string()),
  scratchpad: z.array(ScratchpadEntry),
  /** The thoughts, one a line. */
  reasoning: z.string(),
  functionsUsed: z.array(FunctionUse),
  learnedFunction: z.strictObject({ id: z.string(), title: z.string() }).optional(),
  verbatim: z.boolean(),
  /** Requests that would work in place of what could not be done. */
  suggestions: z.array(z.string()).optional(),
  /** Learned functions that the request may mean, the likeliest first; send one back as `follow`. */
  offers: z.array(FunctionOffer).optional(),
  status: RunStatus,
  usage: Usage,
  planner: PlannerName,
});
export type OperatorAnswer = z.infer<typeof OperatorAnswer>;

/** Answered with 202 when a run waits for a person or goes on in the background. */
export const OperatorPending = z.strictObject({
  runId: z.string(),
  conversationId: z.string(),
  status: RunStatus,
  pending: Pending.optional(),
});
export type OperatorPending = z.infer<typeof OperatorPending>;

export const RunAnswerRequest = z.strictObject({ text: z.string().min(1).max(20_000) });
export type RunAnswerRequest = z.infer<typeof RunAnswerRequest>;

export const Feedback = z.strictObject({
  verdict: Verdict,
  note: z.string().max(2_000).optional(),
  /** Of an offered function: `not_useful` keeps it from being offered for these words again. */
  functionId: FunctionId.optional(),
});
export type Feedback = z.infer<typeof Feedback>;

export const ApprovalRequest = z.strictObject({
  decision: ApprovalDecision,
  reason: z.string().max(2_000).optional(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

export const ModeChange = z.strictObject({ mode: CognitiveMode });
export type ModeChange = z.infer<typeof ModeChange>;

export const TrustChange = z.strictObject({
  trustLevel: TrustLevel.optional(),
  skillOverrides: z.record(z.string(), SkillOverride.nullable()).optional(),
});
export type TrustChange = z.infer<typeof TrustChange>;

export const PersonaAnswer = z.strictObject({ persona: Persona });
export type PersonaAnswer = z.infer<typeof PersonaAnswer>;

export const ConversationRename = z.strictObject({ title: z.string().trim().min(1).max(200) });
export type ConversationRename = z.infer<typeof ConversationRename>;

export const ConversationAnswer = z.strictObject({
  conversation: Conversation,
  messages: z.array(Message),
  runs: z.array(RunSummary),
});
export type ConversationAnswer = z.infer<typeof ConversationAnswer>;

export const MemoryCreate = z.union([NewMemory, z.array(NewMemory).min(1).max(1_000)]);
export type MemoryCreate = z.infer<typeof MemoryCreate>;

export const MemoryEdit = z.strictObject({
  content: MemoryRecord.shape.content.optional(),
  tags: MemoryRecord.shape.tags.optional(),
  entities: MemoryRecord.shape.entities.optional(),
  links: MemoryRecord.shape.links.optional(),
  context: MemoryRecord.shape.context.optional(),
  metadata: MemoryRecord.shape.metadata.optional(),
  importance: MemoryRecord.shape.importance.optional(),
  pinned: z.boolean().optional(),
  /** The one this change starts from: refused when it is no longer the current one. Without it, the last to save wins. */
  version: MemoryRecord.shape.version,
});
export type MemoryEdit = z.infer<typeof MemoryEdit>;

export const RecallAnswer = z.strictObject({ items: z.array(RecalledMemory) });
export type RecallAnswer = z.infer<typeof RecallAnswer>;

export const Health = z.strictObject({ status: z.literal("ok"), version: z.string(), uptimeMs: z.number() });
export type Health = z.infer<typeof Health>;

export const IndexStatus = z.strictObject({
  items: z.int(),
  embedded: z.int(),
  pending: z.int(),
  rebuilding: z.boolean(),
  progress: z.number().min(0).max(1),
  /** Whose vectors every record has or is to have. */
  embedder: z.string(),
  /** Whose vectors are searched now: the built-in one's, until the embedder has seen every record. */
  searchedWith: z.string(),
  quarantined: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
});
export type IndexStatus = z.infer<typeof IndexStatus>;

/** What one deleted thing can be restored from. */
export const ArchiveEntry = z.strictObject({
  id: z.string(),
  kind: z.enum(["file", "memory", "task", "function"]),
  title: z.string(),
  /** Where it was, in the words people know it by. */
  origin: z.string(),
  archivedAt: z.string(),
  runId: z.string().optional(),
});
export type ArchiveEntry = z.infer<typeof ArchiveEntry>;

export const Page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().nullable(), total: z.int().nonnegative() });
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
  total: number;
}

export const ApprovalPage = Page(Approval).extend({
  /** The functions that wait; on the first page of what is pending, when there are any. */
  functions: z.array(FunctionApproval).optional(),
});
export const GrantPage = Page(Grant);
export const TaskPage = Page(Task);
export const RunPage = Page(RunSummary);
export const ConversationPage = Page(Conversation);
export const ArchivePage = Page(ArchiveEntry);

/** How much a profile holds, and how much it may: bytes and files of its workspace and its memory. */
export const StorageUsage = z.strictObject({
  bytes: z.int().nonnegative(),
  files: z.int().nonnegative(),
  maxBytes: z.int().positive(),
  maxFiles: z.int().positive(),
});
export type StorageUsage = z.infer<typeof StorageUsage>;
