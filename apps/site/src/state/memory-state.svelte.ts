import type { MemoryDetail } from "@metahuman/core/contract/answers";
import type { ArchiveEntry, Feedback, MemoryEdit } from "@metahuman/core/contract/http";
import type { MemoryRecord, MemoryType, RecalledMemory } from "@metahuman/core/contract/memory";
import type { Task, TaskEdit } from "@metahuman/core/contract/task";
import { explain, isAbort, type Explanation } from "./api-problem.ts";
import type { App } from "./app.svelte.ts";
import { PagedList } from "./paged-list.svelte.ts";

/** The kinds of memory that have a tab, with the record types each holds. */
export const KINDS = {
  episodic: { label: "Episodic", types: ["conversation", "observation", "tool_invocation", "action"] },
  curated: { label: "Curated", types: ["curated"] },
  reflections: { label: "Reflections", types: ["reflection", "inner_dialogue"] },
  dreams: { label: "Dreams", types: ["dream"] },
  curiosity: { label: "Curiosity", types: ["curiosity_question"] },
  audio: { label: "Audio", types: ["audio"] },
  patterns: { label: "Patterns", types: ["pattern"] },
} satisfies Record<string, { label: string; types: readonly MemoryType[] }>;

export type Kind = keyof typeof KINDS;
export type Tab = Kind | "tasks" | "archive";

/** Tabs that are there from the beginning; the others come with their first record. */
const ALWAYS: readonly Tab[] = ["episodic", "curated", "tasks", "archive"];

export const TABS: readonly { id: Tab; label: string }[] = [
  { id: "episodic", label: KINDS.episodic.label },
  { id: "curated", label: KINDS.curated.label },
  { id: "tasks", label: "Tasks" },
  { id: "reflections", label: KINDS.reflections.label },
  { id: "dreams", label: KINDS.dreams.label },
  { id: "curiosity", label: KINDS.curiosity.label },
  { id: "audio", label: KINDS.audio.label },
  { id: "patterns", label: KINDS.patterns.label },
  { id: "archive", label: "Archive" },
];

export function isTab(name: string | undefined): name is Tab {
  return TABS.some(({ id }) => id === name);
}

const FOUND = 40;

/** What is remembered, by kind, with search over all of it. */
export class MemoryState {
  tab = $state<Tab>("episodic");
  totals = $state.raw<Partial<Record<Tab, number>>>({});
  records: PagedList<MemoryRecord>;
  tasks: PagedList<Task>;
  archive: PagedList<ArchiveEntry>;
  /** The record in the detail pane. */
  picked = $state.raw<MemoryRecord>();
  /** How often it was of use, and what it is linked with. */
  about = $state.raw<Omit<MemoryDetail, "memory">>();
  problem = $state.raw<Explanation>();

  query = $state("");
  /** Best first; absent while nothing is searched for. */
  found = $state.raw<{ memories: readonly RecalledMemory[]; tasks: readonly Task[] }>();

  readonly tabs = $derived.by(() =>
    TABS.filter(({ id }) => ALWAYS.includes(id) || (this.totals[id] ?? 0) > 0),
  );

  readonly #app: Pick<App, "api" | "attempt" | "notices" | "restore" | "session">;
  #searching: AbortController | undefined;

  constructor(app: Pick<App, "api" | "attempt" | "notices" | "restore" | "session">) {
    this.#app = app;
    this.records = new PagedList((query) => app.api.memory.list({ ...query, types: this.#types() }));
    this.tasks = new PagedList((query) => app.api.tasks({ ...query, includeDone: true }));
    this.archive = new PagedList(({ limit, cursor }) => app.api.archive({ limit, cursor }));
  }

  async show(tab: Tab): Promise<void> {
    this.tab = tab;
    this.records.items = [];
    this.records.loaded = false;
    await this.refresh();
  }

  async refresh(): Promise<void> {
    await Promise.all([this.#count(), this.#list().load()]);
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
    const { api } = this.#app;
    try {
      const types = Object.values(KINDS).flatMap((kind): readonly MemoryType[] => kind.types);
      const [recalled, tasks] = await Promise.all([
        api.memory.recall(query.trim(), types, FOUND, searching.signal),
        api.tasks({ query: query.trim(), includeDone: true, limit: FOUND }),
      ]);
      if (searching.signal.aborted) return;
      this.found = { memories: recalled.items, tasks: tasks.items };
      this.problem = undefined;
    } catch (error) {
      if (!isAbort(error)) this.problem = explain(error);
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
      this.problem = explain(error);
    }
  }

  async keep(content: string): Promise<boolean> {
    const done = await this.#app.attempt(() => this.#app.api.memory.remember(content));
    if (done) await this.show("curated");
    return done;
  }

  /** Whether it worked. */
  async edit(record: MemoryRecord, edit: MemoryEdit): Promise<boolean> {
    return this.#app.attempt(async () => {
      const { memory } = await this.#app.api.memory.edit(record.id, edit);
      this.records.replace(memory);
      if (this.picked?.id === memory.id) await this.#look(memory.id);
    });
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
    await this.#changed();
  }

  async #look(id: string): Promise<void> {
    const { memory, ...about } = await this.#app.api.memory.get(id);
    this.picked = memory;
    this.about = about;
  }

  #offerUndo(text: string, archived: ArchiveEntry): void {
    void this.#changed();
    this.#app.notices.show(text, { act: { label: "Undo", run: () => void this.restore(archived) } });
  }

  async #changed(): Promise<void> {
    await this.refresh();
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

  #list(): Pick<PagedList<{ id: string }>, "load"> {
    if (this.tab === "tasks") return this.tasks;
    return this.tab === "archive" ? this.archive : this.records;
  }

  #types(): readonly MemoryType[] {
    return this.tab === "tasks" || this.tab === "archive" ? [] : KINDS[this.tab].types;
  }
}
