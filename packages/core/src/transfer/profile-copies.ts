import { createHash } from "node:crypto";
import type { AgentCopies } from "../agents/agent-copies.ts";
import type { AuditCopies } from "../audit/audit-copies.ts";
import type { ProfileChannels, SealedSecret } from "../contract/channels.ts";
import type { Persona, ProfileSettings } from "../contract/profile.ts";
import type { EvidenceTable } from "../functions/upkeep/evidence-table.ts";
import type { MemoryUses } from "../memory/evolution/memory-uses.ts";
import { canonicalJson } from "../runs/canonical-json.ts";
import type { RunCopies } from "../runs/run-copies.ts";
import type { WorkspaceCopies } from "../workspace/workspace-copies.ts";
import { OPERATIONAL_TABLES, type OperationalCopies } from "./operational-tables.ts";
import type { RecordCopies, RecordEntry } from "./record-copies.ts";

/** The settings, the persona and the channels of a profile. */
export interface ProfileDocuments {
  settings: ProfileSettings;
  persona: Persona;
  channels: ProfileChannels;
}

/** All stored data of a profile, to move it completely. Nobody may use the profile meanwhile. */
export interface ProfileCopies {
  documents(): Promise<ProfileDocuments>;
  /** Stores the documents of a profile that has none. */
  putDocuments(documents: ProfileDocuments): Promise<void>;
  /** Reads a secret of a channel; undefined if it cannot be read here. */
  openSecret(sealed: SealedSecret, purpose: string): string | undefined;
  sealSecret(secret: string, purpose: string): SealedSecret;
  records: RecordCopies;
  runs: Pick<
    RunCopies,
    | "conversationIds"
    | "conversation"
    | "runIds"
    | "run"
    | "grants"
    | "restoreConversation"
    | "migrateRun"
    | "restoreGrant"
  >;
  agents: Pick<AgentCopies, "all" | "restore">;
  evidence: Pick<EvidenceTable, "copies" | "restore">;
  uses: Pick<MemoryUses, "batches" | "record">;
  tables: OperationalCopies;
  audit: AuditCopies;
  workspace: WorkspaceCopies;
}

/** How many there are of a kind, and a hash of them all, which is the same for the same ones in any order. */
export interface KindDigest {
  count: number;
  hash: string;
}

/** What a profile consists of, by kind. */
export type ProfileDigest = Record<string, KindDigest>;

/** Receives how many items of a kind were handled so far. */
export type CopyProgress = (kind: string, done: number) => void;

interface DigestOptions {
  signal: AbortSignal;
  onProgress: CopyProgress;
}

/**
 * Reads everything that is stored of a profile. Kinds without any are left out. U+0000 and halves of surrogate pairs in texts of
 * runs count as U+FFFD, because that is how a database stores them.
 */
export async function digestProfile(
  copies: ProfileCopies,
  { signal, onProgress }: DigestOptions,
): Promise<ProfileDigest> {
  const digests = createDigests(signal, onProgress);
  const { settings, persona, channels } = await copies.documents();
  digests.add("settings", settings);
  digests.add("persona", persona);
  for (const [channel, entry] of Object.entries(channels))
    // Sealed with the key of each installation.
    digests.add("channels", { channel, ...entry, token: undefined, secret: undefined });
  for await (const entries of copies.records.each())
    for (const entry of entries) digests.add(kindOf(entry), { ...entry, path: undefined });
  const { runs } = copies;
  for await (const id of runs.conversationIds()) digests.add("conversations", await runs.conversation(id));
  for await (const id of runs.runIds()) {
    const run = await runs.run(id);
    digests.add("runs", run);
    for (const event of run.events) digests.add("events", event);
  }
  for (const grant of await runs.grants()) digests.add("permissions", grant);
  for (const { log, runs: ran, ...agent } of await copies.agents.all()) {
    digests.add("agents", agent);
    // The work of an agent whose process ended counts as interrupted.
    for (const run of ran)
      digests.add("agent runs", run.status === "running" ? { ...run, status: "interrupted" } : run);
    for (const line of log) digests.add("agent log lines", line);
  }
  for await (const evidence of copies.evidence.copies()) digests.add("evidence of functions", evidence);
  for await (const batch of copies.uses.batches())
    for (const use of batch) digests.add("uses of memories", use);
  for (const table of OPERATIONAL_TABLES)
    for await (const rows of copies.tables.rows(table))
      for (const row of rows) digests.add(table.name.replaceAll("_", " "), row);
  for await (const lines of copies.audit.lines()) for (const line of lines) digests.add("audit lines", line);
  for await (const { path, kind } of copies.workspace.each())
    if (kind !== "link")
      digests.add(kind === "file" ? "files" : "empty folders", {
        path,
        ...(kind === "file" && { hash: await hashOf(copies.workspace.read(path)) }),
      });
  return digests.done();
}

/** The kinds whose items are not the same in both. */
export function differingKinds(one: ProfileDigest, other: ProfileDigest): string[] {
  const kinds = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...kinds].filter((kind) => one[kind]?.hash !== other[kind]?.hash);
}

/** The names of the kinds of records, also of their folders in an archive. */
export const RECORD_NAMES = {
  memory: "memories",
  task: "tasks",
  function: "functions",
  schedule: "schedules",
} as const;
const PARTS = { version: "versions of functions", proposal: "proposals for functions" } as const;

/** The name of the kind of an entry: "archived tasks". */
export function kindOf(entry: RecordEntry): string {
  if (entry.part === "record") return RECORD_NAMES[entry.kind];
  return entry.part === "archived" ? `archived ${RECORD_NAMES[entry.kind]}` : PARTS[entry.part];
}

function createDigests(signal: AbortSignal, onProgress: CopyProgress) {
  const hashes = new Map<string, Buffer[]>();
  return {
    add(kind: string, value: unknown): void {
      signal.throwIfAborted();
      const known = hashes.get(kind) ?? [];
      hashes.set(kind, known);
      known.push(createHash("sha256").update(storedText(value)).digest());
      onProgress(kind, known.length);
    },
    done: (): ProfileDigest =>
      Object.fromEntries(
        [...hashes].map(([kind, known]) => {
          const all = createHash("sha256");
          for (const hash of known.sort(Buffer.compare)) all.update(hash);
          return [kind, { count: known.length, hash: all.digest("hex") }];
        }),
      ),
  };
}

/** JSON with sorted keys and without the characters that a database cannot store. */
function storedText(value: unknown): string {
  return canonicalJson(value)
    .replaceAll(/\\(?:u0000|.)/g, (escape) => (escape === "\\u0000" ? "\ufffd" : escape))
    .replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, "\ufffd");
}

async function hashOf(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of content) hash.update(chunk);
  return hash.digest("hex");
}
