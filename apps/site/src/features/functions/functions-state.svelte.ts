import { formatCount } from "@metahuman/core/text/format";
import { copy } from "./copy.ts";
import type {
  FunctionKind,
  FunctionMemory,
  FunctionProposal,
  FunctionSort,
  FunctionVersion,
  FunctionTemplate,
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

/** What takes a decision back. Enabling would also approve a function that waited, so only active ones come back so. */
const UNDO: Partial<Record<FunctionVerb, FunctionVerb>> = { disable: "enable", enable: "disable" };

/** The functions that the server rendered. */
export type FirstFunctions = Page<FunctionMemory> & { reverification?: Reverification };

/** What takes its time: verifying comes with all of it. */
type Work = "verify" | "promote" | "proposal" | "restore";

/** The functions of a profile, and the one that is looked at. */
export class FunctionsState {
  filter = $state.raw<FunctionFilter>(FUNCTION_FILTERS[0]);
  kind = $state<FunctionKind>();
  sort = $state<FunctionSort>("updated");
  tag = $state("");
  skill = $state("");
  agent = $state("");
  /** Nothing narrows the list. */
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
  /** How far the server has checked verified functions again since it started. */
  reverification = $state.raw<Reverification>();
  picked = $state.raw<FunctionMemory>();
  versions = $state.raw<readonly FunctionVersion[]>([]);
  /** Words that a person said yes or no to, newest first. */
  templates = $state.raw<readonly FunctionTemplate[]>([]);
  proposals = $state.raw<readonly FunctionProposal[]>([]);
  problem = $state.raw<ErrorDescription>();
  /** What the report of the one that is looked at was made of, is not what it does now. */
  reportIsStale = $state(false);
  readonly verifying = new Verification();
  /** What is under way for the one that is looked at. */
  busy = $state<Work>();

  readonly #app: Pick<App, "api" | "attempt" | "notices">;

  constructor(app: Pick<App, "api" | "attempt" | "notices">) {
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

  /** Narrows and orders the list as an address says, before it is read. */
  take(address: URLSearchParams): void {
    this.filter = filterOf(address.get("which"));
    this.kind = kindOf(address.get("kind"));
    this.sort = sortOf(address.get("sort"));
    this.list.query = address.get("query") ?? "";
    this.tag = address.get("tag") ?? "";
    this.skill = address.get("skill") ?? "";
    this.agent = address.get("agent") ?? "";
  }

  /** The address that leads to the list as it is, with one function picked. */
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

  /** Shows what an address says, and leaves alone what it says already. */
  async follow(address: URLSearchParams): Promise<void> {
    const before = this.address("");
    this.take(address);
    const listed = this.address("") === before ? undefined : this.list.load();
    const picked = address.get("function");
    if (picked === null) this.close();
    else if (picked !== this.picked?.id) await this.pick(picked);
    await listed;
  }

  /** Reads the list unless the server rendered it, and how often each was used lately. */
  async open(): Promise<void> {
    await Promise.all([
      this.list.loaded ? undefined : this.list.load(),
      this.#app.attempt(async () => {
        const { functions } = await this.#app.api.functions.analytics();
        this.days = new Map(functions.map(({ id, days }) => [id, days]));
      }),
    ]);
  }

  /** Some were changed, here or elsewhere: the list is read again, and the one that is looked at when it is another now. */
  async changed(): Promise<void> {
    await this.list.refresh();
    const before = this.picked;
    const now = this.list.items.find(({ id }) => id === before?.id);
    if (!before || !now || this.busy !== undefined) return;
    if (now.version !== before.version || now.trust !== before.trust || now.status !== before.status)
      await this.#again(now.id);
  }

  async order(value: string): Promise<void> {
    this.sort = sortOf(value);
    await this.list.load();
  }

  async narrow(value: string): Promise<void> {
    this.filter = filterOf(value);
    await this.list.load();
  }

  /** Of one kind, or of every kind where `value` names none. */
  async ofKind(value: string): Promise<void> {
    this.kind = kindOf(value);
    await this.list.load();
  }

  async withTag(tag: string): Promise<void> {
    this.tag = tag.trim().replace(/^#/, "");
    await this.list.load();
  }

  async withSkill(skill: string): Promise<void> {
    this.skill = skill.trim();
    await this.list.load();
  }

  async withAgent(agent: string): Promise<void> {
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

  /** The function of that name, when there is one. Throws as `HttpClient` does. */
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
      this.#app.notices.show(ok ? copy.allPassed : copy.checksFailed(formatCount(failed, "check")));
    });
  }

  async promote(id: string, reason?: string): Promise<void> {
    await this.#while("promote", id, async () => {
      const came = await this.verifying.follow(id, (signal) =>
        this.#app.api.functions.promote(id, signal, reason),
      );
      if (came?.type === "function-promoted")
        this.#app.notices.show(copy.isVerified(came.function.title), {
          tone: "good",
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
      // The filter may hide the function once it has changed, so the way back is offered here, too.
      const action = back && { label: "Undo", run: () => void this.#decideAgain(id, back) };
      this.#app.notices.show(DONE[verb], { about: id, ...(action && { action }) });
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
      this.#app.notices.show(
        proposal.status === "accepted" ? copy.proposalAccepted(now.version) : copy.proposalRejected,
      );
    });
  }

  async restore(id: string, version: number): Promise<void> {
    await this.#while("restore", id, async () => {
      const { proposal } = await this.#app.api.functions.restore(id, version);
      this.#app.notices.show(proposal ? copy.restoreWaits(version) : copy.restored(version));
    });
  }

  /** Undoes words that the function was taught, or was not wanted for. */
  async forgetWords(id: string, templateId: string): Promise<void> {
    await this.#while("restore", id, async () => {
      await this.#app.api.functions.forgetWords(id, templateId);
      this.#app.notices.show(copy.wordsUndone);
    });
  }

  async remove({ id, title }: FunctionMemory): Promise<void> {
    const done = await this.#app.attempt(() => this.#app.api.functions.remove(id));
    if (!done) return;
    this.list.drop(id);
    if (this.picked?.id === id) this.picked = undefined;
    const undo = { label: "Undo", run: () => void this.#undelete(id) };
    this.#app.notices.show(`Deleted “${title}”.`, { about: id, action: undo });
  }

  async #undelete(id: string): Promise<void> {
    await this.decide(id, "undelete");
    await this.list.load();
  }

  async #while(busy: Work, id: string, work: () => Promise<void>): Promise<void> {
    this.busy = busy;
    await this.#app.attempt(work);
    this.busy = undefined;
    // A failing report is kept with the function: it is shown whether or not the promotion went through.
    await this.#again(id);
  }

  async #again(id: string): Promise<void> {
    await this.#app.attempt(() => this.#look(id));
  }

  async #look(id: string): Promise<void> {
    const { functions } = this.#app.api;
    const [{ function: found, reportIsStale }, versions, proposals] = await Promise.all([
      functions.get(id),
      functions.versions(id),
      functions.proposals(id),
    ]);
    this.picked = found;
    this.reportIsStale = reportIsStale;
    this.versions = versions.items;
    this.templates = versions.templates ?? [];
    this.proposals = proposals.items;
    this.list.replace(found);
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
