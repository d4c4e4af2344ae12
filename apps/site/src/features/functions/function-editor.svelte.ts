import { copy } from "./copy.ts";
import type { CodeDraft } from "@metahuman/core/contract/curation";
import { differingFields } from "@metahuman/core/contract/function-fields";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import { ApiProblem } from "../../lib/api/api-problem.ts";
import { FormState } from "../../lib/ui/form-state.svelte.ts";
import { FunctionDraft } from "./function-draft.svelte.ts";
import { functionText } from "./function-text.ts";
import type { FunctionsApi } from "./functions-api.ts";

type Saved = Awaited<ReturnType<FunctionsApi["edit"]>>;

/** The fields that show by themselves what is wrong with them. */
const SELF_REPORTING_FIELDS = new Set(["title", "summary", "skillsUsed", "tags", "parameters"]);

/** A function being edited, and its way to the server: what is typed stays until it is saved or given up. */
export class FunctionEditorState {
  readonly draft: FunctionDraft;
  readonly form = new FormState();
  /** What somebody else saved meanwhile; until it is decided what becomes of it, nothing is saved. */
  theirs = $state.raw<FunctionMemory>();

  /** What the last check of this version found wrong. */
  readonly failedChecks = $derived.by(
    () => this.draft.base?.verification?.checks.filter(({ ok }) => !ok) ?? [],
  );

  /** While somebody else's version waits for a decision: the three texts, and what both sides changed. */
  readonly conflict = $derived.by(() => {
    const { base } = this.draft;
    const { theirs } = this;
    if (!base || !theirs) return undefined;
    const changedHere = differingFields(base, { ...base, ...this.draft.change() });
    return {
      base: functionText(base),
      theirs: functionText(theirs),
      mine: functionText({ ...base, ...this.draft.change() }),
      both: differingFields(base, theirs).filter((field) => changedHere.includes(field)),
    };
  });

  readonly #api: Pick<FunctionsApi, "create" | "edit" | "get">;

  /** Edits `item`, or writes a new one where it is missing; with what the curator wrote already typed in. */
  constructor(
    api: Pick<FunctionsApi, "create" | "edit" | "get">,
    item: FunctionMemory | undefined,
    written?: CodeDraft,
  ) {
    this.#api = api;
    this.draft = new FunctionDraft(item);
    if (written) this.draft.fill(written);
  }

  /** What was wrong with fields that say nothing themselves. */
  readonly otherProblems = $derived.by(() =>
    Object.entries(this.form.problems)
      .filter(([field]) => !SELF_REPORTING_FIELDS.has(field))
      .map(([field, problem]) => `${field}: ${problem}`),
  );

  /** What is kept now; nothing when the server refused, or somebody else was faster. */
  async save(): Promise<Saved | undefined> {
    if (this.form.busy || this.theirs) return undefined;
    this.draft.recipe.tried = true;
    if (this.draft.callsAreFaulty) {
      this.form.reset();
      this.form.problem = { text: copy.callsInvalid, suggestions: [] };
      return undefined;
    }
    let saved: Saved | undefined;
    await this.form.submit(async () => {
      const { base } = this.draft;
      try {
        saved = base
          ? await this.#api.edit(base.id, { ...this.draft.change(), version: base.version })
          : await this.#api.create(this.draft.created());
      } catch (error) {
        if (!base || !(error instanceof ApiProblem) || error.code !== "STALE_VERSION") throw error;
        this.theirs = (await this.#api.get(base.id)).function;
      }
    });
    return saved;
  }

  /** Rests what is typed on their version: only what was changed here, or every field as it stands here. */
  keepMine(what: "changes" | "all"): void {
    if (!this.theirs) return;
    this.draft.rest(this.theirs, what);
    this.theirs = undefined;
  }

  /** Gives up what is typed for what they saved. */
  takeTheirs(): void {
    this.draft.take(this.theirs);
    this.theirs = undefined;
  }
}
