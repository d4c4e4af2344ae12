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

/** The order of a list by time. */
export const TimeSort = z.enum(["newest", "oldest"]);
export type TimeSort = z.infer<typeof TimeSort>;

/** A new password. */
export const Password = z.string().min(8, "use at least 8 characters").max(1_024);

/** Creates the owner's account, with the setup code if it is required. */
export const SetupRequest = z.strictObject({
  username: Username,
  password: Password,
  displayName: z.string().trim().min(1).max(100).optional(),
  setupCode: z.string().optional(),
});
export type SetupRequest = z.infer<typeof SetupRequest>;

/** A change of an account. A new password ends all of that person's sessions and revokes their tokens. */
export const AccountEdit = z.strictObject({ role: AccountRole.optional(), password: Password.optional() });
export type AccountEdit = z.infer<typeof AccountEdit>;

/** Signs in with name and password. Longer values are refused before hashing. */
export const LoginRequest = z.strictObject({ username: z.string().max(64), password: z.string().max(1_024) });
export type LoginRequest = z.infer<typeof LoginRequest>;

/** Signs in to a public profile as a guest, who may only chat. */
export const GuestLoginRequest = z.strictObject({ guestOf: Username });
export type GuestLoginRequest = z.infer<typeof GuestLoginRequest>;

/** A change of one's own password. */
export const PasswordChange = z.strictObject({ current: z.string().max(1_024), next: Password });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** An offered function that a person accepts, with the values they saw or changed. */
export const AcceptedOffer = z.strictObject({
  functionId: FunctionId,
  /** The offered version; another current version is answered with 409. */
  version: z.int().positive(),
  values: z.record(z.string(), z.unknown()),
  /** The run that offered it. Its request becomes another wording of the function. */
  runId: RunId.optional(),
});
export type AcceptedOffer = z.infer<typeof AcceptedOffer>;

export const OperatorRequest = z.strictObject({
  goal: z.string().max(MAX_GOAL),
  conversationId: ConversationId.optional(),
  /** 0 off, 1 quick, 2 focused, 3 deep. */
  reasoningDepth: z.int().min(0).max(3).optional(),
  /** Earlier text to continue from. */
  taskContext: z.string().max(MAX_GOAL).optional(),
  sessionId: z.string().max(128).optional(),
  agentId: AgentId.optional(),
  /** If true, answers 202 at once while the run continues. */
  background: z.boolean().optional(),
  /** The time zone for relative dates; default: that of the profile, else of the server. */
  timeZone: TimeZone.optional(),
  /** The locale for dates and numbers; default: that of the profile, else of the server. */
  locale: Locale.optional(),
  /** Executes this function instead of planning the goal. */
  follow: AcceptedOffer.optional(),
});
export type OperatorRequest = z.infer<typeof OperatorRequest>;

/** The answer to a request whose run has ended. */
export const OperatorAnswer = z.strictObject({
  runId: z.string(),
  conversationId: z.string(),
  outcome: RunOutcome,
  result: z.string(),
  /** The called skills, in order, without those of category `agent`. */
  actions: z.array(z.string()),
  scratchpad: z.array(ScratchpadEntry),
  /** The thoughts, one per line. */
  reasoning: z.string(),
  functionsUsed: z.array(FunctionUse),
  learnedFunction: z.strictObject({ id: z.string(), title: z.string() }).optional(),
  verbatim: z.boolean(),
  /** Requests that would work instead of what could not be done. */
  suggestions: z.array(z.string()).optional(),
  /** Learned functions that the request may mean, most likely first; send one back as `follow`. */
  offers: z.array(FunctionOffer).optional(),
  status: RunStatus,
  usage: Usage,
  planner: PlannerName,
});
export type OperatorAnswer = z.infer<typeof OperatorAnswer>;

/** Sent with status 202 if a run waits for a person or continues in the background. */
export const OperatorPending = z.strictObject({
  runId: z.string(),
  conversationId: z.string(),
  status: RunStatus,
  pending: Pending.optional(),
});
export type OperatorPending = z.infer<typeof OperatorPending>;

/** A person's answer to a run's question. */
export const RunAnswerRequest = z.strictObject({ text: z.string().min(1).max(20_000) });
export type RunAnswerRequest = z.infer<typeof RunAnswerRequest>;

/** A person's feedback on a run. */
export const Feedback = z.strictObject({
  verdict: Verdict,
  note: z.string().max(2_000).optional(),
  /** For an offered function, `not_useful` prevents it from being offered for the same words again. */
  functionId: FunctionId.optional(),
});
export type Feedback = z.infer<typeof Feedback>;

/** A decision about a call that waits for approval. */
export const ApprovalRequest = z.strictObject({
  decision: ApprovalDecision,
  reason: z.string().max(2_000).optional(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

export const ModeChange = z.strictObject({ mode: CognitiveMode });
export type ModeChange = z.infer<typeof ModeChange>;

/** A change of the trust level or of overrides for single skills. */
export const TrustChange = z.strictObject({
  trustLevel: TrustLevel.optional(),
  skillOverrides: z.record(z.string(), SkillOverride.nullable()).optional(),
});
export type TrustChange = z.infer<typeof TrustChange>;

/** The persona of a profile. */
export const PersonaAnswer = z.strictObject({ persona: Persona });
export type PersonaAnswer = z.infer<typeof PersonaAnswer>;

/** A change of a conversation: a new title, or whether it is pinned. Absent fields stay unchanged. */
export const ConversationEdit = z
  .strictObject({
    title: z.string().trim().min(1).max(200).exactOptional(),
    pinned: z.boolean().exactOptional(),
  })
  .refine(({ title, pinned }) => title !== undefined || pinned !== undefined, "Give a title, or pinned.");
export type ConversationEdit = z.infer<typeof ConversationEdit>;

/** A conversation with its messages. */
export const ConversationAnswer = z.strictObject({
  conversation: Conversation,
  messages: z.array(Message),
  runs: z.array(RunSummary),
});
export type ConversationAnswer = z.infer<typeof ConversationAnswer>;

/** One new memory, or a list. */
export const MemoryCreate = z.union([NewMemory, z.array(NewMemory).min(1).max(1_000)]);
export type MemoryCreate = z.infer<typeof MemoryCreate>;

/** A change of a memory; absent fields stay unchanged. */
export const MemoryEdit = z.strictObject({
  content: MemoryRecord.shape.content.optional(),
  tags: MemoryRecord.shape.tags.optional(),
  entities: MemoryRecord.shape.entities.optional(),
  links: MemoryRecord.shape.links.optional(),
  context: MemoryRecord.shape.context.optional(),
  metadata: MemoryRecord.shape.metadata.optional(),
  importance: MemoryRecord.shape.importance.optional(),
  pinned: z.boolean().optional(),
  /**
   * The version this change is based on. If it is no longer current, the change is refused; without it, the last change
   * wins.
   */
  version: MemoryRecord.shape.version,
});
export type MemoryEdit = z.infer<typeof MemoryEdit>;

/** The recalled memories, best first. */
export const RecallAnswer = z.strictObject({ items: z.array(RecalledMemory) });
export type RecallAnswer = z.infer<typeof RecallAnswer>;

/** The state of the server. */
export const Health = z.strictObject({
  status: z.literal("ok"),
  version: z.string(),
  uptimeMs: z.number(),
  /** The name of this server among those that share a database. */
  node: z.string().optional(),
});
export type Health = z.infer<typeof Health>;

/** The server answers requests now. */
export const Ready = z.strictObject({ status: z.literal("ready"), node: z.string().optional() });
export type Ready = z.infer<typeof Ready>;

/** The state of the search index. */
export const IndexStatus = z.strictObject({
  items: z.int(),
  embedded: z.int(),
  pending: z.int(),
  rebuilding: z.boolean(),
  progress: z.number().min(0).max(1),
  /** The embedder of the index; records without its vectors are pending. */
  embedder: z.string(),
  /**
   * The embedder whose vectors are searched now: the built-in one until the chosen embedder has processed every record.
   */
  searchedWith: z.string(),
  quarantined: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
});
export type IndexStatus = z.infer<typeof IndexStatus>;

/** One entry of the archive, from which a deleted or overwritten item can be restored. */
export const ArchiveEntry = z.strictObject({
  id: z.string(),
  kind: z.enum(["file", "memory", "task", "function", "schedule"]),
  title: z.string(),
  /** The place of the item, in the person's terms. */
  origin: z.string(),
  archivedAt: z.string(),
  runId: z.string().optional(),
  /** The archive id of the memory with which this one was archived: restoring that one restores this one, too. */
  forgottenWith: z.string().optional(),
  /** What happened to a file; only in lists. */
  reason: z.enum(["deleted", "overwritten"]).optional(),
  /** The size of a file; only in lists. */
  bytes: z.int().nonnegative().optional(),
});
export type ArchiveEntry = z.infer<typeof ArchiveEntry>;

/** Returns the schema of one page of a list. `next` is the cursor of the next page. */
export const Page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().nullable(), total: z.int().nonnegative() });
/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
  total: number;
}

export const ApprovalPage = Page(Approval).extend({
  /** Functions that wait for approval; only on the first page of pending approvals. */
  functions: z.array(FunctionApproval).optional(),
});
/** One page of standing permissions. */
export const GrantPage = Page(Grant);
export const TaskPage = Page(Task);
export const RunPage = Page(RunSummary);
export const ConversationPage = Page(Conversation);
/** One page of archive entries. */
export const ArchivePage = Page(ArchiveEntry);

/** How much a profile stores and may store: bytes and files of its workspace and its memory. */
export const StorageUsage = z.strictObject({
  bytes: z.int().nonnegative(),
  files: z.int().nonnegative(),
  maxBytes: z.int().positive(),
  maxFiles: z.int().positive(),
});
export type StorageUsage = z.infer<typeof StorageUsage>;
