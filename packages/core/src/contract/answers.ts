import { z } from "zod";
import { FunctionDefaults, FunctionSettingsEdit } from "./function-settings.ts";
import { Account } from "./account.ts";
import { AgentCard, AgentLogLine } from "./agents.ts";
import { FunctionMemory, FunctionProposal, FunctionVersion, Verification } from "./function.ts";
import { ArchiveEntry, Page } from "./http.ts";
import { LinkedMemory, MemoryRecord, UseCounts } from "./memory.ts";
import { Persona, ProfileSettings } from "./profile.ts";
import { Locale, TimeZone } from "./region.ts";
import { OperatorFlag, RuntimeConfig } from "./config.ts";
import { SkillCard } from "./skill.ts";
import { Task } from "./task.ts";
import { CheckEvent, Reverification } from "./verification.ts";

/** Where something deleted went; `archived.id` restores it. */
export const ArchivedAnswer = z.strictObject({ archived: ArchiveEntry });
export type ArchivedAnswer = z.infer<typeof ArchivedAnswer>;

/** What came back from the archive. */
export const RestoredAnswer = z.strictObject({ restored: ArchiveEntry });
export type RestoredAnswer = z.infer<typeof RestoredAnswer>;

export const MemoryAnswer = z.strictObject({ memory: MemoryRecord });
export type MemoryAnswer = z.infer<typeof MemoryAnswer>;

/** What a person decides about a fact that was proposed, and what became of it. */
export const ProposalDecision = z.strictObject({ decision: z.enum(["keep", "drop"]) });
export type ProposalDecision = z.infer<typeof ProposalDecision>;
export const ProposalAnswer = z.union([MemoryAnswer, ArchivedAnswer]);

/** One memory whole: how often it was of use, and what it is linked with. */
export const MemoryDetail = z.strictObject({
  memory: MemoryRecord,
  uses: UseCounts,
  linked: z.array(LinkedMemory),
});
export type MemoryDetail = z.infer<typeof MemoryDetail>;

/** How many memories went into the archive. */
export const MemoriesArchived = z.strictObject({ archived: z.int().nonnegative() });
export type MemoriesArchived = z.infer<typeof MemoriesArchived>;

/** One memory, or as many as were sent. */
export const MemoriesCreated = z.union([MemoryAnswer, z.strictObject({ memories: z.array(MemoryRecord) })]);
export type MemoriesCreated = z.infer<typeof MemoriesCreated>;

export const MemoryPage = Page(MemoryRecord);

/** The first page of every kind of memory, of tasks and of functions, with how many there are of each. */
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

export const PersonaEdit = Persona.partial();
export type PersonaEdit = z.infer<typeof PersonaEdit>;

export const ModeAnswer = ProfileSettings.pick({ mode: true });
export type ModeAnswer = z.infer<typeof ModeAnswer>;

export const TrustAnswer = ProfileSettings.pick({ trustLevel: true, skillOverrides: true });
export type TrustAnswer = z.infer<typeof TrustAnswer>;

/** The profile's settings, beside the switches of the installation. */
export const SettingsAnswer = z.strictObject({
  settings: ProfileSettings,
  /** Guests may chat with the persona without a password. */
  publicProfile: z.boolean(),
  flags: RuntimeConfig,
  /** What applies where the profile's `settings.functions` say nothing. */
  functionDefaults: FunctionDefaults,
  /** Why the files in `etc/` are not in use as they stand. */
  configProblem: z.string().optional(),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/** `publicProfile`, `workspaceRoots` and `flags` are the owner's to change; mode and trust have doors of their own. */
export const SettingsEdit = z.strictObject({
  displayName: ProfileSettings.shape.displayName.optional(),
  publicProfile: z.boolean().optional(),
  workspaceRoots: z
    .record(
      ProfileSettings.shape.workspaceRoots
        .unwrap()
        .keyType.refine((name) => name !== "out" && name !== "inbox", "out and inbox are there already"),
      z.string().regex(/^(\/|[A-Za-z]:[\\/])/, "write the whole path of the folder"),
    )
    .optional(),
  flags: z.strictObject({ operator: z.partialRecord(OperatorFlag, z.boolean()) }).optional(),
  /** Null: the server's own. */
  timeZone: TimeZone.nullable().optional(),
  locale: Locale.nullable().optional(),
  functions: FunctionSettingsEdit.optional(),
});
export type SettingsEdit = z.infer<typeof SettingsEdit>;

export const AccountPage = Page(Account);
export const AccountAnswer = z.strictObject({ account: Account });

export const SkillPage = Page(SkillCard);

export const AgentPage = Page(AgentCard);
export const AgentLogPage = Page(AgentLogLine);

export const FunctionAnswer = z.strictObject({ function: FunctionMemory });
export type FunctionAnswer = z.infer<typeof FunctionAnswer>;

export const FunctionPage = Page(FunctionMemory).extend({
  /** How far verified functions have been checked anew since the start; missing when none had to be. */
  reverification: Reverification.optional(),
});

/** What changed at once, and what of it waits beside the live version. */
export const FunctionUpdated = z.strictObject({
  function: FunctionMemory,
  proposal: FunctionProposal.optional(),
});
export type FunctionUpdated = z.infer<typeof FunctionUpdated>;

export const FunctionPromoted = z.strictObject({ function: FunctionMemory, verification: Verification });
export type FunctionPromoted = z.infer<typeof FunctionPromoted>;

export const VerificationAnswer = z.strictObject({ verification: Verification });
export type VerificationAnswer = z.infer<typeof VerificationAnswer>;

/** What came of learning from one run. */
export const FunctionLearned = z.strictObject({
  function: FunctionMemory,
  /** False where the run is another example of a function that was there. */
  isNew: z.boolean(),
  /** What it adds to a function in service waits as a proposal. */
  isProposed: z.boolean(),
});
export type FunctionLearned = z.infer<typeof FunctionLearned>;

/** A verification or a promotion that is followed: its checks, then what came of it. */
export const VerifyingEvent = z.discriminatedUnion("type", [
  ...CheckEvent.options,
  z.strictObject({ type: z.literal("function-verified"), ...VerificationAnswer.shape }),
  z.strictObject({ type: z.literal("function-promoted"), ...FunctionPromoted.shape }),
]);
export type VerifyingEvent = z.infer<typeof VerifyingEvent>;

/** One function whole: also whether it is something else by now than its report was made of. */
export const FunctionDetail = z.strictObject({ function: FunctionMemory, reportIsStale: z.boolean() });
export type FunctionDetail = z.infer<typeof FunctionDetail>;

export const FunctionVersionPage = Page(FunctionVersion);
export const FunctionProposalPage = Page(FunctionProposal);

/** What became of a proposal, and the function as it is now. */
export const ProposalDecided = z.strictObject({ function: FunctionMemory, proposal: FunctionProposal });
export type ProposalDecided = z.infer<typeof ProposalDecided>;

export const DeletedFunctionPage = Page(
  z.strictObject({ id: z.string(), title: z.string(), deletedAt: z.string(), purgedAt: z.string() }),
);
