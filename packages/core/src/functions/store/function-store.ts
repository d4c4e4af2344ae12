import { join } from "node:path";
import { FunctionId } from "../../contract/ids.ts";
import {
  EVERY_AGENT,
  type FunctionContent,
  type FunctionMemory,
  FunctionProposal,
  FunctionVersion,
} from "../../contract/function.ts";
import { plainIssue, plainReason } from "../../contract/plain-issue.ts";
import { AlreadyExistsError, InvalidArgsError } from "../../errors/request-errors.ts";
import { FunctionNotFoundError } from "../../errors/not-found-errors.ts";
import { shortSlug } from "../../text/slug.ts";
import type { WorkerClient } from "../../worker/worker-client.ts";
import type { EvidenceTable } from "../upkeep/evidence-table.ts";
import type { FunctionActor } from "../functions-port.ts";
import type { FunctionIndexCalls, LocatedFunction, Scope } from "../index/protocol.ts";
import { createFunctionFiles, type FunctionFiles, functionPath, newFunctionId } from "./function-files.ts";
import { openRecordFolder, type RecordFolder } from "./record-folder.ts";
import { contentOf, FunctionFile, StoredFunction, withEvidence } from "./stored-function.ts";
import type { ArchiveEntry } from "../../contract/http.ts";
import { type FileLock, openFileLock } from "../../database/file-lock.ts";
import { makeFolder } from "../../files/durable-file.ts";
import { parseFile } from "../../files/file-content.ts";
import { createRecordArchive } from "../../memory/store/record-archive.ts";
import type { ArchiveMetadata } from "../../memory/store/record-storage.ts";
import type { ProfilePaths } from "../../paths/profile-paths.ts";

export interface FunctionStoreDependencies {
  files: FunctionFiles;
  index: Pick<WorkerClient<FunctionIndexCalls>, "call">;
  history: RecordFolder<FunctionVersion>;
  evidence: EvidenceTable;
  clock: () => Date;
  /** Called when an added index entry needs an embedding. */
  onIndexed: () => void;
}

/** A new version of a function with its history entry. */
export interface NewVersion {
  stored: StoredFunction;
  content: FunctionContent;
  actor: FunctionActor;
  /** One sentence. */
  change: string;
}

/** Stores functions and keeps files, index, history and counters consistent. Callers hold the lock to write. */
export interface FunctionStore {
  /** Throws `FunctionNotFoundError` for an id outside the scope. */
  find(scope: Scope, id: string): Promise<LocatedFunction>;
  findByName(scope: Scope, name: string): Promise<LocatedFunction | undefined>;
  /** A free name in the scope, `wanted` or a numbered variant. */
  freeName(scope: Scope, wanted: string): Promise<string>;
  create(stored: Omit<StoredFunction, "id">): Promise<StoredFunction>;
  /** Writes trust, status or verification, without a new version. */
  replace(path: string, stored: StoredFunction): Promise<StoredFunction>;
  /** Writes the next version and keeps earlier ones in the history. */
  revise(path: string, version: NewVersion): Promise<StoredFunction>;
  /** Every version, newest first. */
  versions(stored: StoredFunction): Promise<FunctionVersion[]>;
  /** Updates the index for moved files. */
  reindex(paths: readonly string[]): Promise<void>;
  withEvidence(stored: readonly StoredFunction[]): Promise<FunctionMemory[]>;
}

const MAX_NAMES_TRIED = 10_000;

export function createFunctionStore(parts: FunctionStoreDependencies): FunctionStore {
  const { files, index, history, evidence, clock } = parts;

  async function reindex(paths: readonly string[]): Promise<void> {
    await index.call("reindex", paths);
    parts.onIndexed();
  }

  async function findByName(scope: Scope, name: string): Promise<LocatedFunction | undefined> {
    return (await index.call("loadByName", { scope, name })) ?? undefined;
  }

  async function replace(path: string, stored: StoredFunction): Promise<StoredFunction> {
    const checked = parseAsStored(stored);
    await files.replace(path, checked);
    await reindex([path]);
    return checked;
  }

  return {
    async find(scope, id) {
      if (!FunctionId.safeParse(id).success) throw unknown(id);
      const known = await index.call("load", { scope, id });
      if (known) return known;
      // The index may not have read the file yet.
      const path = await files.find(id);
      const stored = path === undefined ? undefined : await files.read(path);
      if (path === undefined || stored?.id !== id || !isOf(scope, stored)) throw unknown(id);
      await reindex([path]);
      return { function: stored, path };
    },
    findByName,
    async freeName(scope, wanted) {
      const base = shortSlug(wanted, "function");
      for (let number = 1; number < MAX_NAMES_TRIED; number += 1) {
        const name = number === 1 ? base : `${base}-${number}`;
        if (!(await findByName(scope, name))) return name;
      }
      throw new AlreadyExistsError(`All names like ${base} are taken.`);
    },
    async create(draft) {
      for (;;) {
        try {
          const stored = parseAsStored({ ...draft, id: newFunctionId(clock()) });
          if (await files.find(stored.id)) continue;
          const { path } = await files.create(stored);
          await reindex([path]);
          return stored;
        } catch (error) {
          if (!(error instanceof AlreadyExistsError)) throw error;
        }
      }
    },
    replace,
    async revise(path, { stored, content, actor, change }) {
      const now = clock().toISOString();
      const next = parseAsStored({
        ...withoutContent(stored),
        ...content,
        version: stored.version + 1,
        updatedAt: now,
      });
      if (!(await history.get(stored.id, String(stored.version))))
        await history.put(stored.id, String(stored.version), firstVersion(stored));
      // History is written before the function: after a crash between them, the extra version is not listed.
      await history.put(stored.id, String(next.version), {
        version: next.version,
        at: now,
        by: actor.by,
        change,
        ...(actor.runId !== undefined && { runId: actor.runId }),
        content: contentOf(next),
      });
      return replace(path, next);
    },
    async versions(stored) {
      const earlierVersions = (await history.list(stored.id)).filter(
        ({ version }) => version <= stored.version,
      );
      const all = earlierVersions.some(({ version }) => version === stored.version)
        ? earlierVersions
        : [...earlierVersions, firstVersion(stored)];
      return all.sort((a, b) => b.version - a.version);
    },
    reindex,
    async withEvidence(all) {
      // Most people have no function, and every request looks for some.
      if (all.length === 0) return [];
      const counted = await evidence.of(all.map(({ id }) => id));
      return all.map((stored) => withEvidence(stored, counted.get(stored.id)));
    },
  };
}

/** Throws `InvalidArgsError` for a function that could not be read back. */
function parseAsStored(stored: StoredFunction): StoredFunction {
  const parsed = StoredFunction.safeParse(JSON.parse(JSON.stringify(stored)), { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidArgsError(`This is not a function: ${plainReason(parsed.error)}.`);
}

/** Whether a function belongs to this user and agent. */
export function isOf({ agentId, userId }: Scope, { scope }: StoredFunction): boolean {
  return (agentId === EVERY_AGENT || scope.agentId === agentId) && scope.userId === userId;
}

/** How a function came to be, as the sentence of its first version. */
const CREATED: Readonly<Record<StoredFunction["origin"], string>> = {
  learned: "Learned from a request.",
  written: "Written.",
  curated: "Generated.",
  imported: "Imported.",
  pattern: "Made from a repeated request.",
};

/** The first version of a function without a stored history. */
function firstVersion(stored: StoredFunction): FunctionVersion {
  const { version, updatedAt, createdBy, origin, sourceOperatorRunId } = stored;
  return {
    version,
    at: version === 1 ? stored.createdAt : updatedAt,
    by: createdBy,
    change: version === 1 ? CREATED[origin] : "As it stands.",
    ...(version === 1 && sourceOperatorRunId !== undefined && { runId: sourceOperatorRunId }),
    content: contentOf(stored),
  };
}

/** Content is replaced as a whole, so that a removed recipe or the origin of earlier values does not remain. */
function withoutContent({
  recipe: _recipe,
  code: _code,
  provenance: _provenance,
  ...rest
}: StoredFunction): StoredFunction {
  return rest;
}

function unknown(id: string): FunctionNotFoundError {
  return new FunctionNotFoundError(`There is no function with the id ${id.slice(0, 100)}.`);
}

/** The archive of deleted functions. */
interface FunctionArchive {
  put(filed: LocatedFunction, note: ArchiveMetadata): Promise<ArchiveEntry>;
  /** Newest first. */
  list(): Promise<ArchiveEntry[]>;
  /** The archived function, or why it cannot be read. Throws `NotFoundError`. */
  read(archiveId: string): Promise<{ value: StoredFunction } | { reason: string }>;
  /** Moves a function out of the archive; returns its path. Throws `AlreadyExistsError` if another one has its id. */
  restore(archiveId: string, stored: StoredFunction): Promise<string>;
  /** Deletes an archived function permanently. */
  purge(archiveId: string): Promise<void>;
}

/** The storage of functions. The index is built from its files. */
export interface FunctionStorage {
  files: FunctionFiles;
  /** Every version of a function, by its number. */
  history: RecordFolder<FunctionVersion>;
  /** The proposals of a function, by their ids. */
  proposals: RecordFolder<FunctionProposal>;
  archive: FunctionArchive;
  /**
   * A lock across processes, held while functions are written. Its holder finds the functions of other processes in the
   * index.
   */
  lock: Pick<FileLock, "hold">;
  /**
   * Resolves when the index contains what other processes stored before the call, as far as the storage has seen it.
   */
  load(): Promise<void>;
  /** Whether there is certainly no function, once `load` has resolved. Files may be added at any time. */
  isEmpty(): Promise<boolean>;
  /**
   * Like `load`, but waits only briefly for the first load. Until it completes, searches find only the newest
   * functions.
   */
  catchUp(): Promise<void>;
  /** Indexes what others store until it is closed. */
  follow(): { close(): void };
  /** Call it only when no call is pending. */
  close(): Promise<void>;
}

/** The dependencies of a storage of functions. */
export interface FunctionStoragePlace {
  /** The folder from whose files the index is built. */
  root: string;
  /** Absolute path of the index, which a storage may delete before the first call. */
  database: string;
  /** Reads these files again, present or deleted. */
  reindex(paths: readonly string[]): Promise<void>;
  onWarning: (message: string, cause?: unknown) => void;
}

/** Opens the functions of a profile as JSON files, with their history, proposals and archive. */
export async function openFunctionFiles({
  root,
  archiveRoot,
  clock,
  onWarning,
}: FunctionStoragePlace & {
  /** The folder of the archives of all kinds. */
  archiveRoot: ProfilePaths["memory"]["archive"]["root"];
  clock: () => Date;
}): Promise<FunctionStorage> {
  await makeFolder(root, "the folder of the functions");
  const onUnreadable = (path: string, reason: string): void =>
    onWarning(`${path} cannot be read and was skipped: ${reason}.`);
  const archive = createRecordArchive({ folder: join(archiveRoot, "functions"), kind: "function", clock });
  const lock = openFileLock(join(root, ".lock"), "the functions");
  return {
    files: createFunctionFiles(root),
    history: openRecordFolder({
      root: join(root, "history"),
      schema: FunctionVersion,
      subject: "the history of the function",
      onUnreadable,
    }),
    proposals: openRecordFolder({
      root: join(root, "proposals"),
      schema: FunctionProposal,
      subject: "the proposal",
      onUnreadable,
    }),
    archive: {
      put: ({ function: { id }, path }, note) => archive.put(join(root, path), { id, ...note }),
      list: () => archive.list(),
      async read(archiveId) {
        return parseFile(FunctionFile, await archive.read(archiveId));
      },
      async restore(archiveId, stored) {
        const path = functionPath(stored);
        await archive.restoreTo(archiveId, join(root, path));
        return path;
      },
      purge: (archiveId) => archive.purge(archiveId),
    },
    lock,
    // The index compares a file with its indexed state when it reads it.
    load: async () => undefined,
    isEmpty: async () => false,
    catchUp: async () => undefined,
    follow: () => ({ close: () => undefined }),
    close: async () => lock.close(),
  };
}
