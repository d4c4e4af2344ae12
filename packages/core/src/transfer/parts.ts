import type { z } from "zod";
import { AgentCopy } from "../agents/agent-copies.ts";
import { Grant } from "../contract/approval.ts";
import { MemoryRecord } from "../contract/memory.ts";
import { Persona, ProfileSettings } from "../contract/profile.ts";
import { Schedule } from "../contract/schedule.ts";
import { Task } from "../contract/task.ts";
import type { ExportManifest, TransferKind } from "../contract/transfer.ts";
import { EvidenceCopy } from "../functions/upkeep/evidence-table.ts";
import type { MemoryUse } from "../memory/evolution/memory-uses.ts";
import { ConversationCopy, RunCopy } from "../runs/run-copy.ts";

/** The schema of each kind of file in an export. */
export const PART_SCHEMAS = {
  settings: ProfileSettings,
  persona: Persona,
  memory: MemoryRecord,
  task: Task,
  schedule: Schedule,
  conversation: ConversationCopy,
  run: RunCopy,
  grant: Grant,
  agent: AgentCopy,
  evidence: EvidenceCopy,
} as const satisfies Record<string, z.ZodType>;
export type CheckedKind = keyof typeof PART_SCHEMAS;

/** A validated part of an export with its content. */
export type Part =
  | { [Of in CheckedKind]: { of: Of; path: string; value: z.output<(typeof PART_SCHEMAS)[Of]> } }[CheckedKind]
  | { of: "manifest"; path: string; value: ExportManifest }
  | { of: "counters"; path: string; value: MemoryUse[] }
  /** Kept byte for byte. */
  | { of: "file" | "archive" | "function"; path: string; value: Uint8Array }
  | { of: "refused"; path: string; kind?: TransferKind; reason: string };

/** Imports the items of one kind. */
export interface Importer<Of extends Exclude<Part["of"], "refused">> {
  add(part: Extract<Part, { of: Of }>): Promise<void>;
}

/** An importer whose outcomes are final only after `finish`. */
export interface BatchImporter<Of extends Exclude<Part["of"], "refused">> extends Importer<Of> {
  finish(): Promise<void>;
}
