import { copy } from "./copy.ts";
import type { FoundMemory, MemoryDetail, MemorySearchAnswer } from "@metahuman/core/contract/answers";
import type { ArchiveEntry, Feedback, Page, TimeSort } from "@metahuman/core/contract/http";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { Task, TaskEdit, TaskSort } from "@metahuman/core/contract/task";
import { ApiProblem, describeError, isAbort, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { App } from "../shell/app.svelte.ts";
import { ArchivedPreview } from "./archived-preview.svelte.ts";
import { MemoryFilters } from "./memory-filters.svelte.ts";
import { keptResults } from "./memory-api.ts";
import { isTab, listedTypes, restoredTitle, typesOf, type EpisodicView, type Tab } from "./memory-labels.ts";
import { addressWith } from "../../lib/ui/address.ts";
import { PagedList } from "../../lib/ui/paged-list.svelte.ts";

/** The first page of the tab that the server rendered; its items have one kind. */
export interface FirstItems {
  records?: { view: EpisodicView; page: Page<MemoryRecord> } | undefined;
  tasks?: Page<Task> | undefined;
  archive?: Page<ArchiveEntry> | undefined;
}

/** A search that the server carried out. */
export interface FirstSearch {
  query: string;
  results: MemorySearchAnswer;
}

/** The number of items of each tab, if the server has counted them. */
export type Totals = Partial<Record<Tab, number>>;

/** The ids of what is open in the detail pane. */
interface OpenItem {
  record?: string | undefined;
  task?: string | undefined;
  /** An archive entry. */
  entry?: string | undefined;
}

/** The lists of the memory page, their filters, and the search over all of them. */
export class MemoryState {
  tab = $state<Tab>("episodic");
  view = $state<EpisodicView>("facts");
  totals = $state.raw<Totals>({});
  records: PagedList<MemoryRecord>;
  tasks: PagedList<Task>;
  /** Listed here; edited on their own page. */
  functions: PagedList<FunctionMemory>;
  archive: PagedList<ArchiveEntry>;
  /** The record in the detail pane. */
  selected = $state.raw<MemoryRecord>();
  /** The task in the detail pane. */
  task = $state.raw<Task>();
  /** The use counts and links of the selected record. */
  details = $state.raw<Omit<MemoryDetail, "memory">>();
  readonly archived: ArchivedPreview;
  problem = $state.raw<ErrorDescription>();
  /** The id of a record that was to be opened and does not exist, which is the problem then. */
  missing = $state<string>();

  query = $state("");
  /** The search results; absent without a query. */
  results = $state.raw<MemorySearchAnswer>();
  /** The terms of the score of the selected record, if a search by meaning found it. */
  readonly reasons = $derived(
    this.results?.memories.find(({ memory }) => memory.id === this.selected?.id)?.parts ?? [],
  );
  readonly filters = new MemoryFilters();
  /** The sort orders of records and of tasks. */
  sort = $state<TimeSort>("newest");
  taskSort = $state<TaskSort>("urgency");

  readonly #app: Pick<App, "api" | "attempt" | "http" | "toasts" | "restore" | "session">;
  #searching: AbortController | undefined;
  /** The records whose deletion is not shown yet. */
  readonly #removing = new Set<string>();

  constructor(
    app: Pick<App, "api" | "attempt" | "http" | "toasts" | "restore" | "session">,
    tab: Tab,
    { records, tasks, archive }: FirstItems = {},
    totals: Totals = {},
    search?: FirstSearch,
  ) {
    this.#app = app;
    this.tab = tab;
    this.totals = totals;
    if (search) {
      this.query = search.query;
      this.results = search.results;
    }
    this.records = new PagedList((query) =>
      app.api.memory.list({ ...query, sort: this.sort, ...this.filters.narrowing(this.#types()) }),
    );
    if (records) {
      this.view = records.view;
      this.records.begin(records.page);
    }
    this.tasks = new PagedList((query) =>
      app.api.tasks({ ...query, sort: this.taskSort, includeDone: true }),
    );
    if (tasks) this.tasks.begin(tasks);
    this.functions = new PagedList((query) => app.api.functions.list(query));
    this.archive = new PagedList((query) => app.api.archive(query));
    this.archived = new ArchivedPreview(app.http);
    if (archive) this.archive.begin(archive);
  }

  /** The address of the list with its filters and the selected record or task. */
  address({ record, task, entry }: OpenItem = this.#open()): string {
    return addressWith("/memory", {
      tab: this.tab === "episodic" ? undefined : this.tab,
      query: this.query.trim(),
      record,
      task,
      entry,
    });
  }

  #open(): OpenItem {
    return { record: this.selected?.id, task: this.task?.id, entry: this.archived.entry?.id };
  }

  /** Applies an address; unchanged parts are not loaded again. */
  async follow(address: URLSearchParams): Promise<void> {
    const tab = address.get("tab") ?? undefined;
    const asked = isTab(tab) ? tab : "episodic";
    const query = address.get("query") ?? "";
    const record = address.get("record");
    const task = address.get("task");
    const entry = address.get("entry");
    if (asked !== this.tab) await this.show(asked);
    if (query !== this.query) await this.search(query);
    if (task !== null) await this.openTask(task);
    else if (entry !== null) await this.openArchived(entry);
    else if (record === null) this.deselect();
    else if (record !== this.selected?.id) await this.select(record);
  }

  deselect(): void {
    this.selected = undefined;
    this.task = undefined;
    this.archived.close();
    this.problem = undefined;
    this.missing = undefined;
  }

  /** Selects a tab and closes a record of another tab. */
  async show(tab: Tab): Promise<void> {
    this.deselect();
    this.#endSearch();
    this.tab = tab;
    this.records.items = [];
    this.records.loaded = false;
    await Promise.all([this.#count(), this.#list().load()]);
  }

  /** Loads the totals of all tabs and the tab, each unless the server rendered it. */
  async open(): Promise<void> {
    const isCounted = this.totals.archive !== undefined;
    await Promise.all([isCounted ? undefined : this.#count(), this.results ? undefined : this.#loadList()]);
  }

  /** Loads the list of the tab unless it is loaded. */
  async #loadList(): Promise<void> {
    const list = this.#list();
    if (!list.loaded) await list.load();
  }

  async setView(view: EpisodicView): Promise<void> {
    this.view = view;
    await this.records.load();
  }

  /** A type filter overrides the view. */
  #types() {
    return this.filters.type === "" ? listedTypes(this.tab, this.view) : typesOf(this.tab);
  }

  /** Applies changed filters to the tab and to the search. */
  async applyFilters(): Promise<void> {
    const search = this.query.trim() === "" ? undefined : this.search(this.query);
    await Promise.all([this.#list().load(), search]);
  }

  async setSort(sort: TimeSort): Promise<void> {
    this.sort = sort;
    await this.records.load();
  }

  async setTaskSort(sort: TaskSort): Promise<void> {
    this.taskSort = sort;
    await this.tasks.load();
  }

  async search(query: string): Promise<void> {
    // Deleting a fact also deletes its answers, so nothing of them remains.
    const mayKeep = query === this.query && this.#removing.size === 0;
    const before = mayKeep ? this.results?.memories : undefined;
    this.query = query;
    this.#searching?.abort();
    this.#searching = undefined;
    // The search over all records leaves out what was deleted; the archive is searched by itself.
    if (this.tab === "archive") return await this.archive.search(query.trim());
    if (query.trim() === "") {
      this.#endSearch();
      await this.#loadList();
      return;
    }
    const searching = new AbortController();
    this.#searching = searching;
    try {
      const found = await this.#app.api.memory.search(
        { query: query.trim(), ...this.filters.narrowingOfSearch() },
        searching.signal,
      );
      // A list does not shrink while it is read: an edited record that no longer matches stays until the next search.
      const kept = before ? await keptResults(this.#app.api.memory, before, found.memories) : [];
      if (searching.signal.aborted) return;
      const memories = [...found.memories];
      for (const { index, result } of kept) memories.splice(index, 0, result);
      this.results = { ...found, memories };
      this.problem = undefined;
    } catch (error) {
      if (!isAbort(error)) this.problem = describeError(error);
    }
  }

  async select(id: string): Promise<void> {
    try {
      // Opening a search result counts as a use of the memory.
      const isResult = this.results?.memories.some(({ memory }) => memory.id === id) ?? false;
      if (isResult && !this.#app.session.readOnly) await this.#app.api.memory.opened(id);
      await this.#load(id);
      this.task = undefined;
      this.archived.close();
      this.problem = undefined;
    } catch (error) {
      this.deselect();
      this.problem = describeError(error);
      if (error instanceof ApiProblem && error.status === 404) this.missing = id;
    }
  }

  #endSearch(): void {
    this.#searching?.abort();
    this.#searching = undefined;
    this.query = "";
    this.archive.query = "";
    this.results = undefined;
  }

  async openArchived(id: string): Promise<void> {
    this.problem = await this.archived.open(id);
    if (this.problem) this.archived.close();
    this.selected = undefined;
    this.task = undefined;
  }

  async openTask(id: string): Promise<void> {
    try {
      const { task } = await this.#app.api.task(id);
      this.deselect();
      this.task = task;
    } catch (error) {
      this.deselect();
      this.problem = describeError(error);
    }
  }

  /** Adds a task. Resolves to it, or to undefined if the server refused. */
  async addTask(title: string): Promise<Task | undefined> {
    let added: Task | undefined;
    await this.#app.attempt(async () => {
      added = (await this.#app.api.addTask(title)).task;
    });
    if (added) await this.refresh();
    return added;
  }

  async remember(content: string): Promise<boolean> {
    const done = await this.#app.attempt(() => this.#app.api.memory.remember(content));
    if (done) await this.show("curated");
    return done;
  }

  /** Pins or unpins a record, whatever its version. */
  async togglePin(record: MemoryRecord): Promise<void> {
    await this.#app.attempt(async () => {
      const { memory } = await this.#app.api.memory.edit(record.id, { pinned: !record.pinned });
      await this.#show(memory);
    });
  }

  /** Shows a record that an editor has saved, and offers to undo the changes since `before`. */
  async saved(memory: MemoryRecord, before: MemoryRecord): Promise<void> {
    await this.#app.attempt(() => this.#show(memory));
    if (before.version === memory.version) return;
    const undo = { label: "Undo", run: () => void this.#undoEdit(memory, before) };
    this.#app.toasts.show(copy.savedMemory, { variant: "success", action: undo });
  }

  /** Saves the earlier fields again. The server refuses if the record was edited since. */
  async #undoEdit({ id, version }: MemoryRecord, before: MemoryRecord): Promise<void> {
    const { content, tags, entities, links, context, metadata, importance } = before;
    const edit = { content, tags, entities, links, context, metadata, importance, version };
    await this.#app.attempt(async () => this.#show((await this.#app.api.memory.edit(id, edit)).memory));
  }

  async giveFeedback(record: MemoryRecord, verdict: Feedback["verdict"]): Promise<void> {
    await this.#app.attempt(async () => {
      const { memory } = await this.#app.api.memory.judge(record.id, verdict);
      await this.#show(memory);
      this.#app.toasts.show(verdict === "useful" ? copy.usefulNotice : copy.notUsefulNotice);
    });
  }

  async remove(record: MemoryRecord): Promise<void> {
    this.#removing.add(record.id);
    await this.#app.attempt(async () => {
      const { archived } = await this.#app.api.memory.remove(record.id);
      this.records.drop(record.id);
      this.#changeResults((results) => results.filter(({ memory }) => memory.id !== record.id));
      if (this.selected?.id === record.id) this.selected = undefined;
      this.#offerUndo(copy.archivedMemory, archived);
      await this.refresh();
    });
    this.#removing.delete(record.id);
  }

  /** Changes a task. Rejects if the server refuses. */
  async saveTask({ id }: Task, edit: TaskEdit): Promise<void> {
    try {
      this.#showTask((await this.#app.api.editTask(id, edit)).task);
    } catch (error) {
      // Typed changes stay; the next save is based on the version of the other window.
      if (error instanceof ApiProblem && error.code === "STALE_VERSION")
        this.#showTask((await this.#app.api.task(id)).task);
      throw error;
    }
  }

  async editTask(task: Task, edit: TaskEdit): Promise<void> {
    await this.#app.attempt(() => this.saveTask(task, edit));
  }

  #showTask(task: Task): void {
    this.tasks.replace(task);
    if (this.task?.id === task.id) this.task = task;
    if (this.results) {
      const tasks = this.results.tasks.map((one) => (one.id === task.id ? task : one));
      this.results = { ...this.results, tasks };
    }
  }

  async removeTask(task: Task): Promise<void> {
    await this.#app.attempt(async () => {
      const { archived } = await this.#app.api.deleteTask(task.id);
      this.tasks.drop(task.id);
      if (this.task?.id === task.id) this.task = undefined;
      this.#offerUndo(copy.archivedTask(task.title), archived);
      await this.refresh();
    });
  }

  async restore(entry: ArchiveEntry): Promise<void> {
    const onundone = () => void this.refresh();
    if (!(await this.#app.restore(entry.id, restoredTitle(entry), { onundone }))) return;
    if (this.archived.entry?.id === entry.id) this.archived.close();
    this.archive.drop(entry.id);
    await this.refresh();
  }

  async #show(memory: MemoryRecord): Promise<void> {
    this.records.replace(memory);
    this.#changeResults((results) =>
      results.map((one) => (one.memory.id === memory.id ? { ...one, memory } : one)),
    );
    if (this.selected?.id === memory.id) await this.#load(memory.id);
  }

  #changeResults(change: (results: readonly FoundMemory[]) => readonly FoundMemory[]): void {
    if (this.results) this.results = { ...this.results, memories: [...change(this.results.memories)] };
  }

  async #load(id: string): Promise<void> {
    const { memory, ...details } = await this.#app.api.memory.get(id);
    this.selected = memory;
    this.details = details;
  }

  /** Keeps a deleted record open, because somebody may be editing it. */
  async #reloadSelected(): Promise<void> {
    const id = this.selected?.id;
    // The news of a deletion may arrive before its answer does.
    if (id === undefined || this.#removing.has(id)) return;
    try {
      const { memory, ...details } = await this.#app.api.memory.get(id);
      if (this.selected?.id !== id) return;
      this.selected = memory;
      this.details = details;
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 404)) this.problem = describeError(error);
    }
  }

  #offerUndo(text: string, archived: ArchiveEntry): void {
    const action = { label: "Undo", restores: archived.id, run: () => void this.restore(archived) };
    this.#app.toasts.show(text, { action, about: archived.id });
  }

  /** Loads everything on the page again after a change here or elsewhere. */
  async refresh(): Promise<void> {
    await Promise.all([this.#count(), this.#list().refresh(), this.#reloadSelected()]);
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

  /** Whether the search or the tab has been read and holds nothing. */
  get isEmpty(): boolean {
    if (this.results) return this.results.memories.length + this.results.tasks.length === 0;
    const { loaded, items } = this.#list();
    return loaded && items.length === 0;
  }

  #list(): Pick<PagedList<{ id: string }>, "load" | "refresh" | "loaded" | "items"> {
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
