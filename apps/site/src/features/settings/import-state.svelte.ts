import type { ImportReport } from "@metahuman/core/contract/transfer";
import type { App } from "../shell/app.svelte.ts";

/** A selected backup, its preview, and the restore. */
export class ImportState {
  /** Whether items that differ are replaced with those of the backup. */
  replace = $state(false);
  report = $state.raw<ImportReport>();
  busy = $state(false);

  readonly #app: Pick<App, "attempt" | "background" | "interruptedImport" | "notices">;
  #zip: File | undefined;

  constructor(app: Pick<App, "attempt" | "background" | "interruptedImport" | "notices">) {
    this.#app = app;
  }

  /** Selects another backup, or none. */
  async pick(zip: File | undefined): Promise<void> {
    this.#zip = zip;
    await this.loadPreview();
  }

  /** Loads the preview of a restore. */
  async loadPreview(): Promise<void> {
    this.report = undefined;
    await this.#send({ preview: true });
  }

  async restore(): Promise<void> {
    if (await this.#send({ preview: false })) {
      this.#app.interruptedImport = undefined;
      this.#app.notices.show("Restored.", { variant: "success" });
    }
  }

  /** Resolves to whether that succeeded. */
  async #send({ preview }: { preview: boolean }): Promise<boolean> {
    const zip = this.#zip;
    if (!zip) return false;
    this.busy = true;
    const done = await this.#app.attempt(async () => {
      this.report = await this.#app.background.importProfile(zip, { preview, replace: this.replace });
    });
    this.busy = false;
    return done;
  }
}
