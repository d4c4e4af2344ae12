import type { MemoryDetail } from "@metahuman/core/contract/answers";
import type { ArchiveEntry, Feedback, TimeSort } from "@metahuman/core/contract/http";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { Task, TaskEdit, TaskSort } from "@metahuman/core/contract/task";
import { ApiProblem, describeError, isAbort, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { App } from "../shell/app.svelte.ts";
import { MemoryFilters } from "./memory-filters.svelte.ts";
import { ALL_TYPES, typesOf, type Tab } from "./memory-kinds.ts";
import { PagedList } from "../../lib/ui/paged-list.svelte.ts";

const FOUND = 40;

/** A memory that a search found; with how well it fits, 0–1, where the search says so. */
export interface Found {
  memory: MemoryRecord;
  score?: number;
}

/** What is remembered, by kind, with search over all of it. */
export class MemoryState {
  tab = $state<Tab>("episodic");
  totals = $state.raw<Partial<Record<Tab, number>>>({});
  records: PagedList<MemoryRecord>;
  tasks: PagedList<Task>;
  /** Listed here; edited on their own page. */
  functions: PagedList<FunctionMemory>;
  archive: PagedList<ArchiveEntry>;
  /** The record in the detail pane. */
  picked = $state.raw<MemoryRecord>();
  /** How often it was of use, and what it is linked with. */
  about = $state.raw<Omit<MemoryDetail, "memory">>();
  problem = $state.raw<ErrorDescription>();

  query = $state("");
  /** Best first; absent while nothing is searched for. */
  found = $state.raw<{ memories: readonly Found[]; tasks: readonly Task[]; byWordsAlone: boolean }>();
  readonly filters = new MemoryFilters();
  /** How the tabs of records are ordered, and that of tasks. */
  sort = $state<TimeSort>("newest");
  taskSort = $state<TaskSort>("urgency");

  readonly #app: Pick<App, "api" | "attempt" | "notices" | "restore" | "session">;
  #searching: AbortController | undefined;

  constructor(app: Pick<App, "api" | "attempt" | "notices" | "restore" | "session">, tab: Tab) {
    this.#app = app;
    this.tab = tab;
    this.records = new PagedList((query) =>
      app.api.memory.list({ ...query, sort: this.sort, ...this.filters.narrowing(typesOf(this.tab)) }),
    );
    this.tasks = new PagedList((query) =>
      app.api.tasks({ ...query, sort: this.taskSort, includeDone: true }),
    );
    this.functions = new PagedList((query) => app.api.functions.list(query));
    this.archive = new PagedList(({ limit, cursor }) => app.api.archive({ limit, cursor }));
  }

  async show(tab: Tab): Promise<void> {
    this.tab = tab;
    this.records.items = [];
    this.records.loaded = false;
    await this.open();
  }

  /** Reads the tab, and how much there is in each. */
  async open(): Promise<void> {
    await Promise.all([this.#count(), this.#list().load()]);
  }

  /** The filters changed: a search is made anew, one still under way too, and the tab behind it is read anew. */
  async narrow(): Promise<void> {
    const search = this.query.trim() === "" ? undefined : this.search(this.query);
    await Promise.all([this.#list().load(), search]);
  }

  async order(sort: TimeSort): Promise<void> {
    this.sort = sort;
    await this.records.load();
  }

  async orderTasks(sort: TaskSort): Promise<void> {
    this.taskSort = sort;
    await this.tasks.load();
  }

  async search(query: string): Promise<void> {
    this.query = query;
    this.#searching?.abort();
    this.#searching = undefined;
    if (query.trim() === "") {
      this.found = undefined;
      return;
    }
    const searching = new AbortController();
    this.#searching = searching;
    try {
      const found = await this.#find(query.trim(), searching.signal);
      if (searching.signal.aborted) return;
      this.found = found;
      this.problem = undefined;
    } catch (error) {
      if (!isAbort(error)) this.problem = describeError(error);
    }
  }

  async pick(id: string): Promise<void> {
    try {
      // Opened from a search, it was what somebody looked for.
      const isHit = this.found?.memories.some(({ memory }) => memory.id === id) ?? false;
      if (isHit && !this.#app.session.readOnly) await this.#app.api.memory.opened(id);
      await this.#look(id);
      this.problem = undefined;
    } catch (error) {
      this.picked = undefined;
      this.problem = describeError(error);
    }
  }

  async keep(content: string): Promise<boolean> {
    const done = await this.#app.attempt(() => this.#app.api.memory.remember(content));
    if (done) await this.show("curated");
    return done;
  }

  /** Pins it, or takes the pin away: whatever else of it was changed meanwhile. */
  async pin(record: MemoryRecord): Promise<void> {
    await this.#app.attempt(async () => {
      const { memory } = await this.#app.api.memory.edit(record.id, { pinned: !record.pinned });
      await this.#show(memory);
    });
  }

  /** An editor kept it. */
  async saved(memory: MemoryRecord): Promise<void> {
    await this.#app.attempt(() => this.#show(memory));
  }

  async judge(record: MemoryRecord, verdict: Feedback["verdict"]): Promise<void> {
    await this.#app.attempt(async () => {
      const { memory } = await this.#app.api.memory.judge(record.id, verdict);
      this.records.replace(memory);
      if (this.picked?.id === memory.id) await this.#look(memory.id);
      this.#app.notices.show(
        verdict === "useful" ? "It will come up sooner from now on." : "It will come up later from now on.",
      );
    });
  }

  async forget(record: MemoryRecord): Promise<void> {
    await this.#app.attempt(async () => {
      const { archived } = await this.#app.api.memory.remove(record.id);
      this.records.drop(record.id);
      if (this.picked?.id === record.id) this.picked = undefined;
      this.#offerUndo("Moved the memory to the archive.", archived);
    });
  }

  async editTask(task: Task, edit: TaskEdit): Promise<void> {
    await this.#app.attempt(async () =>
      this.tasks.replace((await this.#app.api.editTask(task.id, edit)).task),
    );
  }

  async removeTask(task: Task): Promise<void> {
    await this.#app.attempt(async () => {
      const { archived } = await this.#app.api.deleteTask(task.id);
      this.tasks.drop(task.id);
      this.#offerUndo(`Moved “${task.title}” to the archive.`, archived);
    });
  }

  async restore(entry: ArchiveEntry): Promise<void> {
    if (!(await this.#app.restore(entry.id, entry.title))) return;
    this.archive.drop(entry.id);
    await this.changed();
  }

  async #show(memory: MemoryRecord): Promise<void> {
    this.records.replace(memory);
    if (this.picked?.id === memory.id) await this.#look(memory.id);
  }

  async #look(id: string): Promise<void> {
    const { memory, ...about } = await this.#app.api.memory.get(id);
    this.picked = memory;
    this.about = about;
  }

  /** The record that is picked stays in sight when it is gone: somebody may be editing it. */
  async #lookAgain(): Promise<void> {
    const id = this.picked?.id;
    if (id === undefined) return;
    try {
      const { memory, ...about } = await this.#app.api.memory.get(id);
      if (this.picked?.id !== id) return;
      this.picked = memory;
      this.about = about;
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 404)) this.problem = describeError(error);
    }
  }

  #offerUndo(text: string, archived: ArchiveEntry): void {
    void this.changed();
    this.#app.notices.show(text, { act: { label: "Undo", run: () => void this.restore(archived) } });
  }

  /** Something was kept, changed or removed, here or elsewhere: what is shown is read again. */
  async changed(): Promise<void> {
    await Promise.all([this.#count(), this.#list().refresh(), this.#lookAgain()]);
    if (this.query) await this.search(this.query);
  }

  async #count(): Promise<void> {
    await this.#app.attempt(async () => {
      const [{ totals }, { total }] = await Promise.all([
        this.#app.api.memory.all(),
        this.#app.api.archive({ limit: 1 }),
      ]);
      this.totals = { ...totals, archive: total };
    });
  }

  async #find(query: string, signal: AbortSignal) {
    const { api } = this.#app;
    const narrowing = this.filters.narrowing(ALL_TYPES);
    // Recall ranks by fit and knows neither source nor trust: with those the words alone decide.
    const byWordsAlone = narrowing.source !== undefined || narrowing.trust !== undefined;
    const [memories, tasks] = await Promise.all([
      byWordsAlone
        ? api.memory
            .list({ ...narrowing, query, limit: FOUND })
            .then(({ items }) => items.map((one): Found => ({ memory: one })))
        : api.memory.recall(query, narrowing, FOUND, signal).then(({ items }): readonly Found[] => items),
      this.filters.active > 0 ? undefined : api.tasks({ query, includeDone: true, limit: FOUND }),
    ]);
    return { memories, tasks: tasks?.items ?? [], byWordsAlone };
  }

  #list(): Pick<PagedList<{ id: string }>, "load" | "refresh"> {
    switch (this.tab) {
      case "tasks":
        return this.tasks;
      case "functions":
        return this.functions;
      case "archive":
        return this.archive;
      default:
        return this.records;
    }
  }
}
