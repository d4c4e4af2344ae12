import { confine, type ConfinedPath } from "../paths/file-names.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { UnexpectedError } from "../errors/run-errors.ts";
import { type Anchor, type Folder, inFolder, platformAnchor, spelledOnDisk } from "./folder.ts";
import { isFolderError } from "./regular-file.ts";
import { type AddedRoots, openRoots, type Root, type RootOptions } from "./roots.ts";

/** A confined path and its root. */
export interface Place extends ConfinedPath {
  readonly home: Root;
}

export interface EntryOptions {
  /** Creates missing parent folders. */
  create?: boolean;
  signal?: AbortSignal | undefined;
}

/** Runs one write at a time. */
export type RunExclusively = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The roots of one workspace and confined access to them; the basis of files and archive. */
export interface Workspace {
  readonly roots: ReadonlyMap<string, Root>;
  /** Replaces the added roots. Operations that have begun keep their root. */
  changeAddedRoots(added: AddedRoots): void;
  /** Runs a change under the cross-process write lock. Calls must not nest. */
  readonly exclusively: RunExclusively;
  place(path: string): Place;
  /** Like `place`, but throws `PermissionDeniedError` for a read-only root. */
  writablePlace(path: string): Place;
  /** Opens the folder at `place` for `use`. */
  inside<Result>(
    place: Place,
    options: EntryOptions,
    use: (folder: Folder) => Promise<Result>,
  ): Promise<Result>;
  /** Opens the parent of `place` for `use`, with the name of the entry on disk. Throws for a root itself. */
  at<Result>(
    place: Place,
    options: EntryOptions,
    use: (folder: Folder, name: string) => Promise<Result>,
  ): Promise<Result>;
}

export interface WorkspaceOptions extends RootOptions {
  /** Overrides the anchor of the platform, for tests. */
  anchor?: Anchor;
}

/** Opens the roots. `openLocalWorkspace` also deletes temporary files of killed processes. */
export async function openWorkspace(
  options: WorkspaceOptions,
  exclusively: RunExclusively,
): Promise<Workspace> {
  const rootsWith = await openRoots(options);
  let roots = rootsWith(options.added ?? {});
  const anchor = options.anchor ?? platformAnchor;

  const place = (path: string): Place => {
    const confined = confine(path, [...roots.keys()]);
    const home = roots.get(confined.root);
    if (!home) throw new UnexpectedError(`The workspace has no root ${confined.root}/.`);
    return { ...confined, home };
  };

  const inside: Workspace["inside"] = (where, { create = false, signal }, use) =>
    inFolder(where.home, where.segments, { anchor, create, signal }, use);

  return {
    get roots() {
      return roots;
    },
    changeAddedRoots(added) {
      roots = rootsWith(added);
    },
    exclusively,
    place,
    writablePlace: (path) => {
      const where = place(path);
      if (!where.home.writable)
        throw new PermissionDeniedError(`${where.root}/ may only be read.`, {
          context: { path: where.path },
        });
      return where;
    },
    inside,
    at: async (where, { create = false, signal }, use) => {
      const name = where.segments.at(-1);
      if (name === undefined) throw isFolderError(where.path);
      return await inFolder(
        where.home,
        where.segments.slice(0, -1),
        { anchor, create, signal },
        async (folder) => use(folder, await spelledOnDisk(folder, name)),
      );
    },
  };
}
