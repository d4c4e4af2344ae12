import { z } from "zod";
import { Account } from "./account.ts";
import { AgentCard, AgentLogLine } from "./agents.ts";
import {
  FunctionMemory,
  FunctionProposal,
  FunctionWording,
  FunctionVersion,
  Verification,
} from "./function.ts";
import { ArchiveEntry, Page } from "./http.ts";
import { LinkedMemory, MemoryRecord, RecallPart, UseCounts } from "./memory.ts";
import { Persona, ProfileSettings } from "./profile.ts";
import { SkillCard } from "./skill.ts";
import { Task } from "./task.ts";
import { CheckEvent, Reverification } from "./verification.ts";

/** The archive entry of a deleted item; `archived.id` restores it. */
export const ArchivedAnswer = z.strictObject({ archived: ArchiveEntry });
export type ArchivedAnswer = z.infer<typeof ArchivedAnswer>;

/** The archive entry that was restored, and the entry of the file that it replaced. */
export const RestoredAnswer = z.strictObject({ restored: ArchiveEntry, replaced: ArchiveEntry.optional() });
export type RestoredAnswer = z.infer<typeof RestoredAnswer>;

export const MemoryAnswer = z.strictObject({ memory: MemoryRecord });
export type MemoryAnswer = z.infer<typeof MemoryAnswer>;

/** A person's decision about a proposed fact. */
export const ProposalDecision = z.strictObject({ decision: z.enum(["keep", "drop"]) });
export type ProposalDecision = z.infer<typeof ProposalDecision>;
/** The result of a decision: the kept memory, or the archived proposal. */
export const ProposalAnswer = z.union([MemoryAnswer, ArchivedAnswer]);

/** One memory with its links and usage counts. */
export const MemoryDetail = z.strictObject({
  memory: MemoryRecord,
  uses: UseCounts,
  linked: z.array(LinkedMemory),
});
export type MemoryDetail = z.infer<typeof MemoryDetail>;

/** The number of memories that were archived. */
export const MemoriesArchived = z.strictObject({ archived: z.int().nonnegative() });
export type MemoriesArchived = z.infer<typeof MemoriesArchived>;

/** The created memory, or the number of created memories if a list was sent. */
export const MemoriesCreated = z.union([MemoryAnswer, z.strictObject({ memories: z.array(MemoryRecord) })]);
export type MemoriesCreated = z.infer<typeof MemoriesCreated>;

/** One page of memories. */
export const MemoryPage = Page(MemoryRecord);

/** A memory that a search has found; if it was ranked, with its score (0–1) and the terms of it. */
export const FoundMemory = z.strictObject({
  memory: MemoryRecord,
  score: z.number().optional(),
  parts: z.array(RecallPart).optional(),
});
export type FoundMemory = z.infer<typeof FoundMemory>;

/** The results of a search of memories and tasks. */
export const MemorySearchAnswer = z.strictObject({
  /** Facts, then conversations, then skill calls; in each group the best match first, or the newest. */
  memories: z.array(FoundMemory),
  tasks: z.array(Task),
  /** Whether the memories were found by keywords only. */
  keywordOnly: z.boolean(),
});
export type MemorySearchAnswer = z.infer<typeof MemorySearchAnswer>;

/** The first page of every kind of memory, of tasks and of functions, with the total of each. */
export const MemoriesAll = z.strictObject({
  episodic: z.array(MemoryRecord),
  reflections: z.array(MemoryRecord),
  dreams: z.array(MemoryRecord),
  curated: z.array(MemoryRecord),
  tasks: z.array(Task),
  curiosity: z.array(MemoryRecord),
  audio: z.array(MemoryRecord),
  patterns: z.array(MemoryRecord),
  functions: z.array(FunctionMemory),
  totals: z.strictObject({
    episodic: z.int().nonnegative(),
    reflections: z.int().nonnegative(),
    dreams: z.int().nonnegative(),
    curated: z.int().nonnegative(),
    tasks: z.int().nonnegative(),
    curiosity: z.int().nonnegative(),
    audio: z.int().nonnegative(),
    patterns: z.int().nonnegative(),
    functions: z.int().nonnegative(),
  }),
});
export type MemoriesAll = z.infer<typeof MemoriesAll>;

export const TaskAnswer = z.strictObject({ task: Task });
export type TaskAnswer = z.infer<typeof TaskAnswer>;

/** A change of the persona; absent fields stay unchanged. */
export const PersonaEdit = Persona.partial();
export type PersonaEdit = z.infer<typeof PersonaEdit>;

/** The cognitive mode of a profile. */
export const ModeAnswer = ProfileSettings.pick({ mode: true });
export type ModeAnswer = z.infer<typeof ModeAnswer>;

/** The trust level of a profile and its overrides for single skills. */
export const TrustAnswer = ProfileSettings.pick({ trustLevel: true, skillOverrides: true });
export type TrustAnswer = z.infer<typeof TrustAnswer>;

export const AccountPage = Page(Account);
export const AccountAnswer = z.strictObject({ account: Account });

export const SkillPage = Page(SkillCard);

/** One page of background agents. */
export const AgentPage = Page(AgentCard);
/** One page of an agent's log. */
export const AgentLogPage = Page(AgentLogLine);

export const FunctionAnswer = z.strictObject({ function: FunctionMemory });
export type FunctionAnswer = z.infer<typeof FunctionAnswer>;

export const FunctionPage = Page(FunctionMemory).extend({
  /** The progress of re-verification since the start; absent if no function needed it. */
  reverification: Reverification.optional(),
});

/** The result of a change: the function, and a proposal for the part that needs a decision. */
export const FunctionUpdated = z.strictObject({
  function: FunctionMemory,
  proposal: FunctionProposal.optional(),
});
export type FunctionUpdated = z.infer<typeof FunctionUpdated>;

/** A promoted function and the report of its verification. */
export const FunctionPromoted = z.strictObject({ function: FunctionMemory, verification: Verification });
export type FunctionPromoted = z.infer<typeof FunctionPromoted>;

/** The report of a verification. */
export const VerificationAnswer = z.strictObject({ verification: Verification });
export type VerificationAnswer = z.infer<typeof VerificationAnswer>;

/** The result of learning from one run. */
export const FunctionLearned = z.strictObject({
  function: FunctionMemory,
  /** False if the run became another example of an existing function. */
  isNew: z.boolean(),
  /** True if the change of an active function became a proposal. */
  isProposed: z.boolean(),
});
export type FunctionLearned = z.infer<typeof FunctionLearned>;

/** The events of a streamed verification or promotion: its checks, then the result. */
export const VerifyingEvent = z.discriminatedUnion("type", [
  ...CheckEvent.options,
  z.strictObject({ type: z.literal("function-verified"), ...VerificationAnswer.shape }),
  z.strictObject({ type: z.literal("function-promoted"), ...FunctionPromoted.shape }),
]);
export type VerifyingEvent = z.infer<typeof VerifyingEvent>;

/** One function with everything that the page shows, including whether it has changed since its verification report. */
export const FunctionDetail = z.strictObject({ function: FunctionMemory, reportIsStale: z.boolean() });
export type FunctionDetail = z.infer<typeof FunctionDetail>;

/** One page of a function's versions, newest first. */
export const FunctionVersionPage = Page(FunctionVersion).extend({
  /** Taught and refused wordings, newest first, if there are any; each is undone by `DELETE …/templates/:id`. */
  templates: z.array(FunctionWording).optional(),
});
export const FunctionProposalPage = Page(FunctionProposal);

/** The result of a decision about a proposal, with the current function. */
export const ProposalDecided = z.strictObject({ function: FunctionMemory, proposal: FunctionProposal });
export type ProposalDecided = z.infer<typeof ProposalDecided>;

export const DeletedFunctionPage = Page(
  z.strictObject({ id: z.string(), title: z.string(), deletedAt: z.string(), purgedAt: z.string() }),
);
