import { showAddress } from "../../lib/ui/address.ts";
import { showItemAddress, showListAddress } from "../../lib/ui/list-address.ts";
import { mayFollow, mayLeave } from "../../lib/ui/unsaved-changes.svelte.ts";
import { fileAddress, readAddress } from "./file-paths.ts";
import type { FilesState, ListedFile } from "./files-state.svelte.ts";

/** Keeps the address in sync with the open folder, search and file. Asks before unsaved changes are lost. */
export class FilesNavigation {
  readonly #files: FilesState;

  constructor(files: FilesState) {
    this.#files = files;
  }

  /** Applies the address after Back or Forward. */
  async follow(): Promise<void> {
    const files = this.#files;
    if (!(await mayFollow(this.#address()))) return;
    const { folder, file, query } = readAddress(location.search);
    if (folder !== files.folder || query !== files.entries.query) void files.show(folder, query);
    if (file === null) files.close();
    else if (file !== files.opened?.path) await files.open(file);
  }

  async openFolder(folder: string): Promise<void> {
    if (!(await mayLeave())) return;
    this.#files.close();
    showAddress(fileAddress({ folder }));
    await this.#files.show(folder);
  }

  async open(entry: ListedFile): Promise<void> {
    if (entry.kind === "folder") return this.openFolder(entry.path);
    if (!(await mayLeave())) return;
    showItemAddress(this.addressOf(entry));
    await this.#files.open(entry.path);
  }

  async closeFile(): Promise<void> {
    if (!(await mayLeave())) return;
    this.#files.close();
    this.replaceAddress();
  }

  search(query: string): void {
    void this.#files.entries.search(query);
    this.replaceAddress();
  }

  /** The address that opens an entry of the list. */
  addressOf({ kind, path }: ListedFile): string {
    return kind === "folder" ? fileAddress({ folder: path }) : this.#address(path);
  }

  /** Replaces the address with that of the open file and folder. Once the file is closed, that is the folder's. */
  replaceAddress(): void {
    if (this.#files.opened) showAddress(this.#address(), { replace: true });
    else showListAddress(this.#address());
  }

  #address(file = this.#files.opened?.path): string {
    return fileAddress({ folder: this.#files.folder, file, query: this.#files.entries.query.trim() });
  }
}
