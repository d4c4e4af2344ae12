import { copy } from "./copy.ts";
import type {
  FileContent,
  FileEntry,
  FileRename,
  FileRenamed,
  FileSort,
} from "@metahuman/core/contract/files";
import type { Page } from "@metahuman/core/contract/http";
import { ApiProblem, describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import { PagedList } from "../../lib/ui/paged-list.svelte.ts";
import type { App } from "../shell/app.svelte.ts";
import { nameOf, parentOf, previewKind } from "./file-paths.ts";
import { FilesApi } from "./files-api.ts";

/** A file or folder of the list; its path is its id. */
export interface ListedFile extends FileEntry {
  id: string;
}

function withIds({ items, ...rest }: Page<FileEntry>): Page<ListedFile> {
  return { ...rest, items: items.map((entry) => ({ ...entry, id: entry.path })) };
}

/** The file in the detail pane. */
export interface OpenedFile {
  path: string;
  /** Its text; absent while it loads, for pictures, and for files that are not text. */
  text?: FileContent;
  /** Whether the file was found not to be text. */
  isBinary?: boolean;
  problem?: ErrorDescription;
  /** Whether there is no file at the path. */
  isMissing?: boolean;
}

/** The target of a dialog: a new file in a folder, whose path ends with a slash, or an existing file or folder. */
export interface FileAction {
  about: "new" | "rename" | "delete";
  path: string;
  kind: FileEntry["kind"];
}

/** A file that is in another folder was moved, maybe under another name. */
function renamedText(from: string, to: string): string {
  if (parentOf(from) === parentOf(to)) return copy.renamed(nameOf(from), nameOf(to));
  return copy.moved(nameOf(from), nameOf(from) === nameOf(to) ? `${parentOf(to)}/` : to);
}

/** Whether a path is the other one, or below it. */
const isWithin = (path: string, other: string): boolean => `${path}/`.startsWith(`${other}/`);

type FilesApp = Pick<App, "http" | "attempt" | "toasts" | "restore">;

/** A folder of the workspace, and the file that is open beside it. */
export class FilesState {
  /** Empty for the list of the roots. */
  folder = $state("");
  sort = $state<FileSort>("name");
  readonly entries: PagedList<ListedFile>;
  opened = $state.raw<OpenedFile>();
  /** Whether the open file is being edited. */
  editing = $state(false);
  /** The number of renames that this page has made and shows, undone ones included. */
  renameCount = $state(0);

  readonly api: FilesApi;

  readonly #app: FilesApp;
  /** The saved texts whose toasts offer to undo them, by the subject of the toast. */
  readonly #undoable = new Map<string, FileContent>();
  /** The renames that were made on this page, the latest last. */
  readonly #renames: { from: string; to: string }[] = [];
  /** The number of renames that the server has not answered yet: a change that it reports meanwhile may be one of them. */
  #renaming = 0;

  constructor(app: FilesApp, { folder, query }: { folder: string; query: string }, first?: Page<FileEntry>) {
    this.#app = app;
    this.api = new FilesApi(app.http);
    this.folder = folder;
    this.entries = new PagedList(async (page) => {
      const listed = await this.api.list({ ...page, path: this.folder, sort: this.sort });
      return withIds(listed);
    });
    this.entries.query = query;
    if (first) this.entries.begin(withIds(first));
  }

  /** The folder that takes uploads: the open one, `inbox` in the list of the roots. */
  get uploadFolder(): string {
    return this.folder || "inbox";
  }

  /** The size and time of the open file, where the list knows them. */
  get entry(): ListedFile | undefined {
    return this.entries.items.find(({ path }) => path === this.opened?.path);
  }

  async show(folder: string, query = ""): Promise<void> {
    this.folder = folder;
    this.entries.items = [];
    this.entries.loaded = false;
    await this.entries.search(query);
  }

  async open(path: string): Promise<void> {
    this.editing = false;
    this.opened = { path };
    if (previewKind(nameOf(path)) !== "image") await this.reload();
  }

  /** Reads the text of the open file again. */
  async reload(): Promise<void> {
    const path = this.opened?.path;
    if (path === undefined) return;
    const opened = await this.#read(path);
    // Another file may have been opened meanwhile.
    if (this.opened?.path === path) this.opened = opened;
  }

  /** The path of a file that may have been renamed on this page since it had `path`. */
  presentPath(path: string): string {
    return this.#renames.reduce(
      (now, { from, to }) => (isWithin(now, from) ? to + now.slice(from.length) : now),
      path,
    );
  }

  close(): void {
    this.opened = undefined;
    this.editing = false;
  }

  /** Shows the saved text, and offers to undo it for as long as the file has it. */
  async saved(before: FileContent, after: FileContent): Promise<void> {
    this.editing = false;
    this.opened = { path: after.path, text: after };
    const about = `saved ${after.path}`;
    this.#app.toasts.show(`Saved ${nameOf(after.path)}.`, {
      variant: "success",
      about,
      action: {
        label: "Undo",
        run: () => {
          this.#undoable.delete(about);
          void this.#writeBack(before.content, after);
        },
      },
      onclose: () => this.#undoable.delete(about),
    });
    this.#undoable.set(about, after);
    await this.entries.refresh();
  }

  /** Shows what was changed elsewhere. A text that is being edited stays. */
  async refresh(): Promise<void> {
    await Promise.all([
      this.entries.refresh(),
      this.editing ? undefined : this.reload(),
      ...[...this.#undoable].map(([about, saved]) => this.#withdrawUndo(about, saved)),
    ]);
  }

  /** Dismisses the offer to undo a saved text that is not the text of the file any more. */
  async #withdrawUndo(about: string, saved: FileContent): Promise<void> {
    const path = this.presentPath(saved.path);
    const { text, isMissing = false } = await this.#read(path);
    // This page may be moving the file, or have moved it meanwhile.
    if (this.#renaming > 0 || path !== this.presentPath(saved.path)) return;
    const isReplaced = text !== undefined && text.content !== saved.content;
    if ((isReplaced || isMissing) && this.#undoable.get(about) === saved) this.#app.toasts.withdraw(about);
  }

  /** Creates an empty file and opens it for editing. Throws as the API does. */
  async create(path: string): Promise<void> {
    const written = await this.api.write({ path, content: "" });
    await this.show(parentOf(written.path));
    await this.open(written.path);
    this.editing = true;
  }

  /** Renames a file or folder and shows it at its new path. Throws as the API does. */
  async rename(from: string, to: string, kind: FileEntry["kind"]): Promise<void> {
    const renamed = await this.#move({ from, to }, kind);
    this.#app.toasts.show(renamedText(renamed.from, renamed.to), {
      variant: "success",
      action: {
        label: "Undo",
        run: () =>
          void this.#app.attempt(async () => {
            const { createdFolder: removeEmpty } = renamed;
            const back = await this.#move({ from: renamed.to, to: renamed.from, removeEmpty }, kind);
            this.#app.toasts.show(renamedText(back.from, back.to), { variant: "success" });
          }),
      },
    });
  }

  /** Moves a file or folder to the archive. Resolves to whether that succeeded. */
  async remove(path: string, kind: FileEntry["kind"]): Promise<boolean> {
    return await this.#app.attempt(async () => {
      const { archived } = await this.api.remove(path, kind === "folder");
      if (kind === "folder") await this.show(parentOf(path));
      else this.entries.drop(path);
      if (this.opened && isWithin(this.opened.path, path)) this.close();
      this.#app.toasts.show(`Deleted ${nameOf(path)}.`, {
        about: archived.id,
        action: {
          label: "Undo",
          restores: archived.id,
          run: () =>
            void this.#app.restore(archived.id, nameOf(path)).then(async (done) => {
              if (done) await this.entries.refresh();
            }),
        },
      });
    });
  }

  async #read(path: string): Promise<OpenedFile> {
    try {
      const text = await this.api.read(path);
      return { path: text.path, text };
    } catch (error) {
      if (error instanceof ApiProblem && error.code === "INVALID_ARGS") return { path, isBinary: true };
      const isMissing = error instanceof ApiProblem && error.status === 404;
      return { path, problem: describeError(error), isMissing };
    }
  }

  async #writeBack(content: string, saved: FileContent): Promise<void> {
    await this.#app.attempt(async () => {
      const path = this.presentPath(saved.path);
      await this.api.write({ path, content, version: await this.#versionAt(path, saved) });
      if (this.opened?.path === path && !this.editing) await this.reload();
      await this.entries.refresh();
    });
  }

  /** The version of a saved text at its current path: the path is part of it. */
  async #versionAt(path: string, saved: FileContent): Promise<string> {
    if (path === saved.path) return saved.version;
    const present = await this.api.read(path);
    return present.content === saved.content ? present.version : saved.version;
  }

  async #move(rename: FileRename, kind: FileEntry["kind"]): Promise<FileRenamed> {
    this.#renaming += 1;
    try {
      const moved = await this.api.rename(rename);
      // The folder in view may be the one that was removed.
      if (rename.removeEmpty !== undefined && isWithin(this.folder, rename.removeEmpty))
        await this.show(parentOf(moved.to));
      await this.#showRenamed(moved.from, moved.to, kind);
      this.renameCount += 1;
      return moved;
    } finally {
      this.#renaming -= 1;
    }
  }

  async #showRenamed(from: string, to: string, kind: FileEntry["kind"]): Promise<void> {
    this.#renames.push({ from, to });
    if (kind === "folder") {
      if (this.folder === from) await this.show(to);
      else await this.entries.refresh();
      return;
    }
    if (parentOf(to) === this.folder || this.entries.query !== "") await this.entries.refresh();
    else await this.show(parentOf(to));
    if (this.opened === undefined || this.opened.path === from) await this.open(to);
  }
}
