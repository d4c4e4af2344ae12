import type { ImportReport } from "@metahuman/core/contract/transfer";
import { FormState } from "../../lib/ui/form-state.svelte.ts";
import type { App } from "../shell/app.svelte.ts";

/** A selected backup, its preview, and the restore. */
export class ImportState {
  /** Whether items that differ are replaced with those of the backup. */
  replace = $state(false);
  report = $state.raw<ImportReport>();
  /** Its problem belongs to the selected backup, and goes with it. */
  readonly form = new FormState();

  readonly #app: Pick<App, "background" | "interruptedImport" | "toasts">;
  #zip: File | undefined;

  constructor(app: Pick<App, "background" | "interruptedImport" | "toasts">) {
    this.#app = app;
  }

  get busy(): boolean {
    return this.form.busy;
  }

  /** Selects another backup, or none. */
  async pick(zip: File | undefined): Promise<void> {
    this.#zip = zip;
    this.form.reset();
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
      this.#app.toasts.show("Restored.", { variant: "success" });
    }
  }

  /** Resolves to true if the server accepted the backup. */
  async #send({ preview }: { preview: boolean }): Promise<boolean> {
    const zip = this.#zip;
    if (!zip) return false;
    return await this.form.submit(async () => {
      this.report = await this.#app.background.importProfile(zip, { preview, replace: this.replace });
    });
  }
}
