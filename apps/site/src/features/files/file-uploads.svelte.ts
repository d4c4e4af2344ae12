import type { ExistingFile, FileUploaded } from "@metahuman/core/contract/files";
import { MAX_UPLOAD_BYTES } from "@metahuman/core/contract/limits";
import { formatBytes, formatCount } from "@metahuman/core/text/format";
import { ApiProblem, describeError, isAbort } from "../../lib/api/api-problem.ts";
import type { App } from "../shell/app.svelte.ts";
import { copy } from "./copy.ts";
import { nameOf, parentOf } from "./file-paths.ts";
import type { FilesState } from "./files-state.svelte.ts";

/** `asking` waits for the person to say what happens to the file that has its name. */
type UploadState = "waiting" | "sending" | "asking" | "failed" | "done";

/** One file on its way to a folder of the workspace. */
export class Upload {
  readonly id: number;
  readonly file: File;
  readonly folder: string;
  state = $state<UploadState>("waiting");
  /** The part that has been sent, from 0 to 1. */
  fraction = $state(0);
  problem = $state<string>();
  existing: ExistingFile = "refuse";
  result: FileUploaded | undefined;
  readonly cancelling = new AbortController();

  constructor(id: number, file: File, folder: string) {
    this.id = id;
    this.file = file;
    this.folder = folder;
  }

  /** Whether it is larger than what can be uploaded, so that another attempt fails too. */
  get isTooLarge(): boolean {
    return this.file.size > MAX_UPLOAD_BYTES;
  }

  get path(): string {
    return `${this.folder}/${this.file.name}`;
  }
}

type UploadsApp = Pick<App, "toasts" | "restore" | "attempt" | "announce">;

/** Uploads files one after another, asks about taken names, and offers to undo what was uploaded. */
export class FileUploads {
  /** Those that are not done, in the order of their choice. */
  items = $state.raw<readonly Upload[]>([]);
  readonly asking = $derived(this.items.filter(({ state }) => state === "asking"));
  /** Whether a file is being sent or waits for its turn. */
  readonly busy = $derived(this.items.some(({ state }) => state === "sending" || state === "waiting"));

  readonly #app: UploadsApp;
  readonly #files: FilesState;
  /** Those that are done and not yet reported. */
  #done: Upload[] = [];
  #running = false;
  #next = 1;

  constructor(app: UploadsApp, files: FilesState) {
    this.#app = app;
    this.#files = files;
  }

  /** Uploads files to a folder. A name that the list shows as taken is asked about before anything is sent. */
  add(files: Iterable<File>, folder: string): void {
    const taken = new Set(
      this.#files.entries.items.filter(({ kind }) => kind === "file").map(({ path }) => path),
    );
    const added = [...files].map((file) => {
      const upload = new Upload(this.#next++, file, folder);
      if (upload.isTooLarge) fail(upload, copy.tooLarge(formatBytes(MAX_UPLOAD_BYTES)));
      else if (taken.has(upload.path)) upload.state = "asking";
      return upload;
    });
    this.items = [...this.items, ...added];
    if (this.asking.length > 0) this.#announceQuestion();
    void this.#sendAll();
  }

  /** Answers the question about a taken name; `skip` leaves the file out. */
  decide(uploads: readonly Upload[], existing: "replace" | "keep_both" | "skip"): void {
    for (const upload of uploads) {
      if (existing === "skip") this.#remove(upload);
      else {
        upload.existing = existing;
        upload.state = "waiting";
      }
    }
    void this.#sendAll();
  }

  retry(upload: Upload): void {
    upload.problem = undefined;
    upload.fraction = 0;
    upload.state = "waiting";
    void this.#sendAll();
  }

  /** Stops an upload, or takes a failed one off the list. */
  cancel(upload: Upload): void {
    upload.cancelling.abort();
    this.#remove(upload);
  }

  async #sendAll(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (;;) {
      const next = this.items.find(({ state }) => state === "waiting");
      if (!next) break;
      await this.#send(next);
    }
    this.#running = false;
    await this.#report();
  }

  async #send(upload: Upload): Promise<void> {
    upload.state = "sending";
    try {
      upload.result = await this.#files.api.upload(upload.path, upload.file, {
        existing: upload.existing,
        signal: upload.cancelling.signal,
        onprogress: (fraction) => (upload.fraction = fraction),
      });
      upload.state = "done";
      this.#done.push(upload);
      this.#remove(upload);
    } catch (error) {
      if (isAbort(error)) this.#remove(upload);
      else if (error instanceof ApiProblem && error.code === "ALREADY_EXISTS") {
        upload.state = "asking";
        this.#announceQuestion();
      } else {
        const { text, suggestions } = describeError(error);
        // A file that was moved or deleted after it was chosen fails like a network.
        fail(upload, (await isReadable(upload.file)) ? [text, ...suggestions].join(" ") : copy.unreadable);
        this.#app.announce(`${upload.file.name}: ${upload.problem ?? ""}`);
      }
    }
  }

  #remove(upload: Upload): void {
    this.items = this.items.filter((item) => item !== upload);
  }

  #announceQuestion(): void {
    const [first, ...others] = this.asking;
    if (!first) return;
    this.#app.announce(
      others.length === 0
        ? copy.taken(first.file.name, first.folder)
        : copy.takenNames(others.length + 1, first.folder),
    );
  }

  /** Shows what was uploaded, with an offer to undo all of it. */
  async #report(): Promise<void> {
    const done = this.#done;
    this.#done = [];
    const first = done[0]?.result;
    if (!first) return;
    const what = done.length === 1 ? nameOf(first.path) : formatCount(done.length, "file");
    this.#app.toasts.show(copy.uploaded(what, parentOf(first.path)), {
      variant: "success",
      action: { label: "Undo", run: () => void this.#undo(done, what) },
    });
    if (done.some(({ result }) => result?.path === this.#files.opened?.path)) await this.#files.reload();
    await this.#files.entries.refresh();
  }

  async #undo(done: readonly Upload[], what: string): Promise<void> {
    const undone = await this.#app.attempt(async () => {
      for (const { result } of done) {
        if (result?.archived)
          await this.#app.restore(result.archived.id, nameOf(result.path), { replace: true });
        else if (result) await this.#files.api.remove(this.#files.presentPath(result.path), false);
      }
    });
    if (undone && done.every(({ result }) => !result?.archived))
      this.#app.toasts.show(copy.uploadUndone(what));
    if (!this.#files.editing) await this.#files.reload();
    await this.#files.entries.refresh();
  }
}

function fail(upload: Upload, problem: string): void {
  upload.state = "failed";
  upload.problem = problem;
}

async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
