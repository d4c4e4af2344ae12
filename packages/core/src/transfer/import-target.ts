import type { AgentCopies } from "../agents/agent-copies.ts";
import type { ImportItem } from "../contract/transfer.ts";
import type { EvidenceTable } from "../functions/upkeep/evidence-table.ts";
import type { MemoryPort } from "../memory/memory-port.ts";
import type { TasksPort } from "../memory/tasks/tasks-port.ts";
import type { MemoryUses } from "../memory/evolution/memory-uses.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { ProfileQuota } from "../profiles/profile-quota.ts";
import type { ProfileStore } from "../profiles/profile-store.ts";
import type { RunCopies } from "../runs/run-copies.ts";
import type { ScheduleRecords } from "../schedules/schedule-records.ts";
import type { RecordExport } from "./record-export.ts";
import type { StoredFiles } from "./stored-files.ts";
import type { ArchivePort } from "../workspace/archive.ts";

/** The stores of the profile that an import writes to. */
export interface ImportTarget {
  username: string;
  paths: Pick<ProfilePaths, "root" | "memory">;
  files: StoredFiles;
  store: Pick<ProfileStore, "settings" | "changeSettings" | "persona" | "changePersona">;
  memory: Pick<MemoryPort, "get" | "importMany" | "edit" | "keepCopy" | "list" | "archived">;
  /** The records, if they are not among the files. */
  records?: Pick<RecordExport, "add"> | undefined;
  tasks: Pick<TasksPort, "get" | "remove" | "list">;
  schedules: Pick<ScheduleRecords, "get" | "create" | "remove">;
  archive: Pick<ArchivePort, "keepCopy">;
  uses: Pick<MemoryUses, "restore" | "batches">;
  evidence: Pick<EvidenceTable, "restore" | "row">;
  runs: RunCopies;
  agents: AgentCopies;
  quota: ProfileQuota;
  clock: () => Date;
}

export interface ImportOptions {
  /** If false, only reports what an import would do. */
  apply: boolean;
  /** Replaces existing records that differ and archives them. */
  replace: boolean;
  /** Whether folders outside the profile may become workspace roots; for owners only. */
  mayOpenFolders: boolean;
  signal: AbortSignal;
}

/** The options that importers need besides the target. */
export interface ImportContext extends ImportOptions {
  /** Whether settings and grants are imported: the profile is new, or differing items are to be replaced. */
  importsSettings: boolean;
  report: (item: ImportItem) => void;
}
