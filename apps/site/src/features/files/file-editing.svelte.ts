import type { FileContent } from "@metahuman/core/contract/files";
import { ApiProblem } from "../../lib/api/api-problem.ts";
import { FormState } from "../../lib/ui/form-state.svelte.ts";
import { withLineBreaksOf } from "./file-paths.ts";
import type { FilesApi } from "./files-api.ts";

/** The line breaks of a textarea, which are those of typed text. */
const typed = (content: string): string => content.replaceAll(/\r\n?/g, "\n");

/** The text of one file as it is edited, based on the version that was read. */
export class FileEditing {
  text = $state("");
  readonly form = new FormState();
  /** The version that the text is based on. */
  base = $state.raw<FileContent>();
  /** The version that somebody else saved meanwhile. */
  theirs = $state.raw<FileContent>();
  /** Whether somebody else deleted or renamed the file meanwhile. */
  isGone = $state(false);
  /** Whether both changed the same lines. */
  overlaps = $state(false);
  readonly dirty = $derived.by(() => this.text !== typed(this.base?.content ?? ""));

  readonly #api: Pick<FilesApi, "read" | "write">;
  readonly #path: string;

  constructor(api: Pick<FilesApi, "read" | "write">, file: FileContent) {
    this.#api = api;
    this.#path = file.path;
    this.base = file;
    this.text = typed(file.content);
  }

  /** Resolves to the saved file; undefined if it was not saved, with the reason in the fields above. */
  async save(): Promise<FileContent | undefined> {
    let saved: FileContent | undefined;
    await this.form.submit(async () => {
      saved = await this.#write().catch(async (error: unknown) => {
        if (!(error instanceof ApiProblem) || error.code !== "STALE_VERSION") throw error;
        await this.#readTheirs();
        return undefined;
      });
    });
    return saved;
  }

  /** Bases the typed text on theirs: only its changes, or all of it. Resolves to whether that worked. */
  async keepMine(what: "changes" | "all"): Promise<boolean> {
    if (!this.theirs) return false;
    if (what === "changes") {
      const { applyPatch, structuredPatch } = await import("diff");
      // One line of context locates a change; more would cause conflicts between neighboring changes.
      const patch = structuredPatch("", "", typed(this.base?.content ?? ""), this.text, "", "", {
        context: 1,
      });
      const merged = applyPatch(typed(this.theirs.content), patch);
      this.overlaps = merged === false;
      if (merged === false) return false;
      this.text = merged;
    }
    this.#baseOn(this.theirs);
    return true;
  }

  takeTheirs(): void {
    if (!this.theirs) return;
    this.text = typed(this.theirs.content);
    this.#baseOn(this.theirs);
  }

  #baseOn(theirs: FileContent): void {
    this.base = theirs;
    this.theirs = undefined;
    this.overlaps = false;
  }

  async #write(): Promise<FileContent> {
    const content = withLineBreaksOf(this.base?.content ?? "", this.text);
    const version = this.isGone ? undefined : this.base?.version;
    const written = await this.#api.write({
      path: this.#path,
      content,
      ...(version !== undefined && { version }),
    });
    return { path: written.path, content, bytes: written.bytes, truncated: false, version: written.version };
  }

  async #readTheirs(): Promise<void> {
    try {
      this.theirs = await this.#api.read(this.#path);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== "FILE_NOT_FOUND") throw error;
      this.isGone = true;
    }
  }
}
