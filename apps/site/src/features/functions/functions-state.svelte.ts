import { formatCount } from "@metahuman/core/text/format";
import { copy } from "./copy.ts";
import type {
  FunctionKind,
  FunctionMemory,
  FunctionProposal,
  FunctionSort,
  FunctionVersion,
  FunctionWording,
  ProposalDecision,
} from "@metahuman/core/contract/function";
import type { Page } from "@metahuman/core/contract/http";
import type { Reverification } from "@metahuman/core/contract/verification";
import type { FunctionFigures } from "@metahuman/core/contract/function-upkeep";
import { describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { App } from "../shell/app.svelte.ts";
import { FUNCTION_FILTERS, FUNCTION_KINDS, FUNCTION_SORTS, type FunctionFilter } from "./function-labels.ts";
import type { FunctionVerb } from "./functions-api.ts";
import { addressWith } from "../../lib/ui/address.ts";
import { PagedList } from "../../lib/ui/paged-list.svelte.ts";
import { Verification } from "./verification.svelte.ts";

const DONE: Readonly<Record<FunctionVerb, string>> = {
  demote: copy.demoted,
  approve: "Approved.",
  reject: "Rejected.",
  disable: copy.disabled,
  enable: copy.enabled,
  undelete: copy.undeleted,
};

/**
 * The reverse of each decision. Enabling also approves a waiting function, so only active functions can be enabled
 * again.
 */
const UNDO: Partial<Record<FunctionVerb, FunctionVerb>> = { disable: "enable", enable: "disable" };

/** The functions that the server rendered. */
export type FirstFunctions = Page<FunctionMemory> & { reverification?: Reverification };

/** The data of one function on the page. */
export interface FunctionView {
  function: FunctionMemory;
  /** Whether the report belongs to an earlier content. */
  reportIsStale: boolean;
  versions: readonly FunctionVersion[];
  /** Wordings that a person accepted or refused, newest first. */
  templates: readonly FunctionWording[];
  proposals: readonly FunctionProposal[];
}

/** Slow operations. Verifying streams its progress. */
type Work = "verify" | "promote" | "proposal" | "restore";

/** Scrolls to the proposals of the open function, and focuses what can be done with the first. */
function showProposals(): void {
  const button = document.querySelector<HTMLElement>("[data-part=proposals] .actions button:enabled");
  button?.scrollIntoView({ block: "center" });
  button?.focus({ preventScroll: true });
}

/** The functions of a profile, and the selected one. */
export class FunctionsState {
  /** Whether the next proposal that appears takes the focus: the person has just made it. */
  focusesProposal = false;
  filter = $state.raw<FunctionFilter>(FUNCTION_FILTERS[0]);
  kind = $state<FunctionKind>();
  sort = $state<FunctionSort>("updated");
  tag = $state("");
  skill = $state("");
  agent = $state("");
  /** Whether no filter is set. */
  readonly showsAll = $derived.by(
    () =>
      this.filter.value === "all" &&
      this.kind === undefined &&
      this.list.query === "" &&
      this.tag === "" &&
      this.skill === "" &&
      this.agent === "",
  );
  /** Uses by day, by the function's id. */
  days = $state.raw<ReadonlyMap<string, FunctionFigures["days"]>>(new Map());
  readonly list: PagedList<FunctionMemory>;
  /** The progress of the reverification since the server started. */
  reverification = $state.raw<Reverification>();
  picked = $state.raw<FunctionMemory>();
  versions = $state.raw<readonly FunctionVersion[]>([]);
  /** Wordings that a person accepted or refused, newest first. */
  templates = $state.raw<readonly FunctionWording[]>([]);
  proposals = $state.raw<readonly FunctionProposal[]>([]);
  problem = $state.raw<ErrorDescription>();
  /** Whether the report belongs to an earlier content of the selected function. */
  reportIsStale = $state(false);
  readonly verifying = new Verification();
  /** The running operation on the selected function. */
  busy = $state<Work>();

  readonly #app: Pick<App, "api" | "attempt" | "toasts">;

  constructor(app: Pick<App, "api" | "attempt" | "toasts">) {
    this.#app = app;
    this.list = new PagedList(async (query) => {
      const page = await app.api.functions.list({
        ...query,
        ...this.filter.query,
        sort: this.sort,
        ...(this.kind && { kind: this.kind }),
        ...(this.tag !== "" && { tag: this.tag }),
        ...(this.skill !== "" && { skills: this.skill }),
        ...(this.agent !== "" && { agentId: this.agent }),
      });
      this.reverification = page.reverification;
      return page;
    });
  }

  /** Starts with the functions that the server rendered. */
  begin(first: FirstFunctions): void {
    this.list.begin(first);
    this.reverification = first.reverification;
  }

  /** Selects a function that is loaded. */
  show({ function: found, reportIsStale, versions, templates, proposals }: FunctionView): void {
    this.picked = found;
    this.reportIsStale = reportIsStale;
    this.versions = versions;
    this.templates = templates;
    this.proposals = proposals;
    this.list.replace(found);
  }

  /** Applies the filters and order of an address before the list is loaded. */
  take(address: URLSearchParams): void {
    this.filter = filterOf(address.get("which"));
    this.kind = kindOf(address.get("kind"));
    this.sort = sortOf(address.get("sort"));
    this.list.query = address.get("query") ?? "";
    this.tag = address.get("tag") ?? "";
    this.skill = address.get("skill") ?? "";
    this.agent = address.get("agent") ?? "";
  }

  /** The address of the list with its filters and the selected function. */
  address(picked = this.picked?.id): string {
    return addressWith("/functions", {
      function: picked,
      which: this.filter.value === "all" ? undefined : this.filter.value,
      kind: this.kind,
      sort: this.sort === "updated" ? undefined : this.sort,
      query: this.list.query.trim(),
      tag: this.tag,
      skill: this.skill,
      agent: this.agent,
    });
  }

  /** Applies an address; unchanged parts are not loaded again. */
  async follow(address: URLSearchParams): Promise<void> {
    const before = this.address("");
    this.take(address);
    const listed = this.address("") === before ? undefined : this.list.load();
    const picked = address.get("function");
    if (picked === null) this.close();
    else if (picked !== this.picked?.id) await this.pick(picked);
    await listed;
  }

  /** Loads the list, unless the server rendered it, and the recent uses. */
  async open(): Promise<void> {
    await Promise.all([
      this.list.loaded ? undefined : this.list.load(),
      this.#app.attempt(async () => {
        const { functions } = await this.#app.api.functions.analytics();
        this.days = new Map(functions.map(({ id, days }) => [id, days]));
      }),
    ]);
  }

  /** Loads the list again after changes here or elsewhere, and the selected function if it changed. */
  async changed(): Promise<void> {
    await this.list.refresh();
    const before = this.picked;
    const now = this.list.items.find(({ id }) => id === before?.id);
    if (!before || !now || this.busy !== undefined) return;
    if (now.version !== before.version || now.trust !== before.trust || now.status !== before.status)
      await this.#again(now.id);
  }

  async setSort(value: string): Promise<void> {
    this.sort = sortOf(value);
    await this.list.load();
  }

  async setFilter(value: string): Promise<void> {
    this.filter = filterOf(value);
    await this.list.load();
  }

  /** Filters by kind; all kinds if `value` names none. */
  async setKind(value: string): Promise<void> {
    this.kind = kindOf(value);
    await this.list.load();
  }

  async setTag(tag: string): Promise<void> {
    this.tag = tag.trim().replace(/^#/, "");
    await this.list.load();
  }

  async setSkill(skill: string): Promise<void> {
    this.skill = skill.trim();
    await this.list.load();
  }

  async setAgent(agent: string): Promise<void> {
    this.agent = agent.trim();
    await this.list.load();
  }

  async pick(id: string): Promise<void> {
    try {
      await this.#look(id);
      this.problem = undefined;
    } catch (error) {
      this.picked = undefined;
      this.problem = describeError(error);
    }
  }

  /** Resolves to the function of that name, if it exists. Throws as `HttpClient` does. */
  async named(name: string): Promise<FunctionMemory | undefined> {
    const { items } = await this.#app.api.functions.list({ query: name, limit: 50, cursor: undefined });
    return items.find((one) => one.name === name);
  }

  close(): void {
    this.picked = undefined;
    this.problem = undefined;
  }

  async verify(id: string): Promise<void> {
    await this.#while("verify", id, async () => {
      const came = await this.verifying.follow(id, (signal) => this.#app.api.functions.verify(id, signal));
      if (!came) return;
      const { ok, checks } = came.verification;
      const failed = checks.filter((check) => !check.ok).length;
      this.#app.toasts.show(ok ? copy.allPassed : copy.checksFailed(formatCount(failed, "check")));
    });
  }

  async promote(id: string, reason?: string): Promise<void> {
    await this.#while("promote", id, async () => {
      const came = await this.verifying.follow(id, (signal) =>
        this.#app.api.functions.promote(id, signal, reason),
      );
      if (came?.type === "function-promoted")
        this.#app.toasts.show(copy.isVerified(came.function.title), {
          variant: "success",
          about: id,
          action: { label: "Undo", run: () => void this.#decideAgain(id, "demote") },
        });
    });
  }

  async decide(id: string, verb: FunctionVerb): Promise<void> {
    const before = this.#known(id);
    await this.#app.attempt(async () => {
      await this.#app.api.functions.decide(id, verb);
      const back = before?.status === "active" || verb === "enable" ? UNDO[verb] : undefined;
      // The filter may hide the changed function, so Undo is offered here, too.
      const action = back && { label: "Undo", run: () => void this.#decideAgain(id, back) };
      this.#app.toasts.show(DONE[verb], { about: id, ...(action && { action }) });
    });
    await this.#again(id);
  }

  async #decideAgain(id: string, verb: FunctionVerb): Promise<void> {
    await this.decide(id, verb);
    await this.list.refresh();
  }

  #known(id: string): FunctionMemory | undefined {
    return this.picked?.id === id ? this.picked : this.list.items.find((one) => one.id === id);
  }

  async decideProposal(id: string, decision: ProposalDecision): Promise<void> {
    await this.#while("proposal", id, async () => {
      const { proposal, function: now } = await this.#app.api.functions.decideProposal(id, decision);
      const wasVerified = proposal.verification !== undefined;
      const accepted = wasVerified && now.trust === "draft" ? copy.proposalUnproven : copy.proposalAccepted;
      this.#app.toasts.show(proposal.status === "accepted" ? accepted(now.version) : copy.proposalRejected);
    });
  }

  async restore(id: string, version: number): Promise<void> {
    await this.#while("restore", id, async () => {
      const { proposal } = await this.#app.api.functions.restore(id, version);
      // The proposal is at the top of the page, far from the history.
      const action = proposal && { label: "Show the proposal", run: showProposals };
      this.#app.toasts.show(proposal ? copy.restoreWaits(version) : copy.restored(version), {
        about: id,
        ...(action && { action }),
      });
    });
  }

  /** Removes a taught or refused wording. */
  async forgetWording(id: string, wordingId: string): Promise<void> {
    await this.#while("restore", id, async () => {
      await this.#app.api.functions.forgetWording(id, wordingId);
      this.#app.toasts.show(copy.wordingUndone);
    });
  }

  async remove({ id, title }: FunctionMemory): Promise<void> {
    const done = await this.#app.attempt(() => this.#app.api.functions.remove(id));
    if (!done) return;
    this.list.drop(id);
    if (this.picked?.id === id) this.picked = undefined;
    const undo = { label: "Undo", run: () => void this.#undelete(id) };
    this.#app.toasts.show(`Deleted “${title}”.`, { about: id, action: undo });
  }

  async #undelete(id: string): Promise<void> {
    await this.decide(id, "undelete");
    await this.list.load();
  }

  async #while(busy: Work, id: string, work: () => Promise<void>): Promise<void> {
    this.busy = busy;
    await this.#app.attempt(work);
    this.busy = undefined;
    // A failing report is stored with the function and shown whether or not the promotion succeeded.
    await this.#again(id);
  }

  async #again(id: string): Promise<void> {
    await this.#app.attempt(() => this.#look(id));
  }

  async #look(id: string): Promise<void> {
    const { functions } = this.#app.api;
    const [detail, versions, proposals] = await Promise.all([
      functions.get(id),
      functions.versions(id),
      functions.proposals(id),
    ]);
    this.show({
      ...detail,
      versions: versions.items,
      templates: versions.templates ?? [],
      proposals: proposals.items,
    });
  }
}

function filterOf(value: string | null): FunctionFilter {
  return FUNCTION_FILTERS.find((filter) => filter.value === value) ?? FUNCTION_FILTERS[0];
}

function kindOf(value: string | null): FunctionKind | undefined {
  return FUNCTION_KINDS.find((kind) => kind.value === value)?.value;
}

function sortOf(value: string | null): FunctionSort {
  return FUNCTION_SORTS.find((sort) => sort.value === value)?.value ?? "updated";
}
