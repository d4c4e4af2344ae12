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

/** The fields that show their own problems. */
const SELF_REPORTING_FIELDS = new Set(["title", "summary", "skillsUsed", "tags", "parameters"]);

/** The editing of a function: the draft is kept until it is saved or discarded. */
export class FunctionEditorState {
  readonly draft: FunctionDraft;
  readonly form = new FormState();
  /** A version that somebody else saved meanwhile; nothing is saved until the conflict is resolved. */
  theirs = $state.raw<FunctionMemory>();

  /** The problems that the last check of this version found. */
  readonly failedChecks = $derived.by(
    () => this.draft.base?.verification?.checks.filter(({ ok }) => !ok) ?? [],
  );

  /** The three texts of a conflict, and what both sides changed. */
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

  /** Edits `item`, or a new function if it is absent, optionally with a draft of the curator. */
  constructor(
    api: Pick<FunctionsApi, "create" | "edit" | "get">,
    item: FunctionMemory | undefined,
    written?: CodeDraft,
  ) {
    this.#api = api;
    this.draft = new FunctionDraft(item);
    if (written) this.draft.fill(written);
  }

  /** The problems of fields that do not show them. */
  readonly otherProblems = $derived.by(() =>
    Object.entries(this.form.problems)
      .filter(([field]) => !SELF_REPORTING_FIELDS.has(field))
      .map(([field, problem]) => `${field}: ${problem}`),
  );

  /** Resolves to the saved function; undefined if the server refused, or somebody else saved first. */
  async save(): Promise<Saved | undefined> {
    if (this.form.busy || this.theirs) return undefined;
    this.draft.recipe.isSubmitted = true;
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

  /** Rebases the draft onto the other version: only the changed fields, or all of them. */
  keepMine(what: "changes" | "all"): void {
    if (!this.theirs) return;
    this.draft.rebase(this.theirs, what);
    this.theirs = undefined;
  }

  /** Discards the draft in favor of the other version. */
  takeTheirs(): void {
    this.draft.take(this.theirs);
    this.theirs = undefined;
  }
}
