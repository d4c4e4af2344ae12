import { confine, type ConfinedPath } from "../paths/confine.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { UnexpectedError } from "../errors/run-errors.ts";
import { type Anchor, type Folder, inFolder, platformAnchor, spelledOnDisk } from "./folder.ts";
import { isFolder } from "./regular-file.ts";
import { openRoots, type Root, type RootOptions } from "./roots.ts";

/** A confined path and the root it lies in. */
export interface Place extends ConfinedPath {
  readonly home: Root;
}

export interface EntryOptions {
  /** Makes missing folders on the way to the entry. */
  create?: boolean;
  signal?: AbortSignal | undefined;
}

/** Lets one piece of work write at a time. */
export type Alone = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The roots of one workspace and the ways into them; what files and archive are built on. */
export interface Workspace {
  readonly roots: ReadonlyMap<string, Root>;
  /** For everything that changes files: no other writer, of this process or another, comes in between. Does not nest. */
  readonly alone: Alone;
  place(path: string): Place;
  /** The same, for writing: throws `PermissionDeniedError` in a root that may only be read. */
  writablePlace(path: string): Place;
  /** Holds the folder at `place` open for `use`. */
  inside<Result>(
    place: Place,
    options: EntryOptions,
    use: (folder: Folder) => Promise<Result>,
  ): Promise<Result>;
  /** Holds the parent of `place` open for `use`, with the entry's name as the disk spells it. Throws for a root itself. */
  at<Result>(
    place: Place,
    options: EntryOptions,
    use: (folder: Folder, name: string) => Promise<Result>,
  ): Promise<Result>;
}

export interface WorkspaceOptions extends RootOptions {
  /** For tests: the portable way of holding folders, on any system. */
  anchor?: Anchor;
}

/** Opens the roots and nothing else; unfinished writes of dead processes are removed by `openLocalWorkspace`. */
export async function openWorkspace(options: WorkspaceOptions, alone: Alone): Promise<Workspace> {
  const roots = await openRoots(options);
  const names = [...roots.keys()];
  const anchor = options.anchor ?? platformAnchor;

  const place = (path: string): Place => {
    const confined = confine(path, names);
    const home = roots.get(confined.root);
    if (!home) throw new UnexpectedError(`The workspace has no root ${confined.root}/.`);
    return { ...confined, home };
  };

  const inside: Workspace["inside"] = (where, { create = false, signal }, use) =>
    inFolder(where.home, where.segments, { anchor, create, signal }, use);

  return {
    roots,
    alone,
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
      if (name === undefined) throw isFolder(where.path);
      return await inFolder(
        where.home,
        where.segments.slice(0, -1),
        { anchor, create, signal },
        async (folder) => use(folder, await spelledOnDisk(folder, name)),
      );
    },
  };
}
