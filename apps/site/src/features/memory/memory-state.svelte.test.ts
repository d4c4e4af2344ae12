import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../lib/api/http-client.ts";
import { AT, ME, memoryOf, MODELS } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Api } from "../shell/api.ts";
import { Toasts } from "../shell/toasts.svelte.ts";
import { Session } from "../shell/session.svelte.ts";
import { MemoryState } from "./memory-state.svelte.ts";

let server: ScriptedServer;
let memory: MemoryState;
/** The records on the server. */
let records: MemoryRecord[];
/** The ids that the list was asked for, by request. */
let askedAgain: string[][];
/** The query of each search. */
let searched: string[];

const idOf = (name: string): string => `evt-20260101T000000000Z-${name}`;

const record = (name: string, content: string): MemoryRecord => memoryOf(idOf(name), content);

const TASK = {
  ...{ id: "task-20260101T000000000Z-1", title: "drain the boiler", description: "", status: "todo" },
  ...{ priority: "P2", tags: [], createdAt: AT, updatedAt: AT, version: 1 },
};
const uses = { cited: 0, followed: 0, opened: 0, useful: 0, not_useful: 0, restored: 0 };
const totals = {
  ...{ episodic: 0, reflections: 0, dreams: 0, curated: 2, tasks: 0 },
  ...{ curiosity: 0, audio: 0, patterns: 0, functions: 0 },
};
const page = (items: unknown[]) => ({ items, nextCursor: null, total: items.length });
const found = (): string[] => memory.results?.memories.map(({ memory: one }) => one.content) ?? [];

beforeEach(async () => {
  records = [record("1", "the boiler was repaired"), record("2", "the ferry leaves at nine")];
  searched = [];
  askedAgain = [];
  server = await startScriptedServer();
  server.on("GET /api/memories/search", ({ query }) => {
    searched.push(query.toString());
    const words = (query.get("query") ?? "").split(" ");
    const having = records.filter(({ content }) => words.every((word) => content.includes(word)));
    return { memories: having.map((one) => ({ memory: one })), tasks: [], keywordOnly: true };
  });
  server.on("GET /api/memories", ({ query }) => {
    const words = (query.get("query") ?? "").split(" ");
    const types = query.get("types")?.split(",");
    const ids = query.get("ids")?.split(",");
    if (ids) askedAgain.push(ids);
    return page(
      records.filter(
        ({ id, content, type }) =>
          (ids?.includes(id) ?? words.every((word) => content.includes(word))) &&
          (types?.includes(type) ?? true),
      ),
    );
  });
  for (const one of records)
    server.on(`GET /api/memories/${one.id}`, (_asked, response) => {
      const now = records.find(({ id }) => id === one.id);
      return now ? { memory: now, uses, linked: [] } : problem(response, 404, "NOT_FOUND", "It is gone.");
    });
  server.on("GET /api/memories_all", () => ({
    ...Object.fromEntries(Object.keys(totals).map((kind) => [kind, []])),
    totals,
  }));
  server.on("GET /api/archive", () => page([]));
  server.on(`POST /api/memories/${idOf("1")}/opened`, () => ({}));
  server.on("GET /api/tasks", ({ query }) => page(query.get("query") === "boiler" ? [TASK] : []));
  const http = new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined });
  const app = {
    api: new Api(http),
    http,
    attempt: async (action: () => Promise<unknown>) => {
      await action();
      return true;
    },
    toasts: new Toasts(),
    restore: async () => true,
    session: new Session(ME, MODELS),
  };
  memory = new MemoryState(app, "episodic");
});

afterEach(() => server.close());

describe("searching all memory", () => {
  it("asks once for each search, with the filters", async () => {
    memory.filters.type = "curated";
    memory.filters.tag = "#house";
    await memory.search("ferry");
    expect(found()).toEqual(["the ferry leaves at nine"]);
    expect(server.asked.map(({ path }) => path)).toEqual(["/api/memories/search"]);
    expect(searched).toEqual(["query=ferry&tag=house&types=curated"]);
  });

  it("keeps a result that was edited in the list until the next search", async () => {
    await memory.search("boiler");
    records = records.map((one) => ({ ...one, content: one.content.replace("boiler", "stove") }));
    await memory.search("boiler");
    expect(found()).toEqual(["the stove was repaired"]);
    await memory.search("ferry");
    expect(found()).toEqual(["the ferry leaves at nine"]);
  });

  it("keeps a result that was edited at its place", async () => {
    await memory.search("the");
    records = [record("1", "a stove was repaired"), ...records.slice(1)];
    await memory.search("the");
    expect(found()).toEqual(["a stove was repaired", "the ferry leaves at nine"]);
  });

  it("asks once for all results that are missing after an edit", async () => {
    await memory.search("the");
    records = records.map((one) => ({ ...one, content: one.content.replace("the", "a") }));
    await memory.search("the");
    expect(found()).toEqual(["a boiler was repaired", "a ferry leaves at nine"]);
    expect(askedAgain).toEqual([[idOf("1"), idOf("2")]]);
  });

  it("drops a result that was deleted elsewhere", async () => {
    await memory.search("ferry");
    records = records.slice(0, 1);
    await memory.search("ferry");
    expect(found()).toEqual([]);
  });
});

describe("deleting the open record", () => {
  it("does not ask for it again if the news of its deletion comes before the answer", async () => {
    const archived = {
      ...{ id: "archive-1", kind: "memory", title: "the boiler was repaired" },
      ...{ origin: idOf("1"), archivedAt: AT },
    };
    server.on(`DELETE /api/memories/${idOf("1")}`, async () => {
      records = records.slice(1);
      await memory.refresh();
      return { archived };
    });
    await memory.select(idOf("1"));
    const asked = (): number =>
      server.asked.filter(({ path }) => path === `/api/memories/${idOf("1")}`).length;
    const before = asked();
    const [open] = records;
    if (open) await memory.remove(open);
    // The deletion itself is the only request.
    expect(asked() - before).toBe(1);
    expect(memory.selected).toBeUndefined();
  });
});

describe("the address of the memory page", () => {
  it("contains tab, query and record, and restores them", async () => {
    await memory.follow(new URLSearchParams(`tab=curated&query=boiler&record=${idOf("1")}`));
    expect(memory.address()).toBe(`/memory?tab=curated&query=boiler&record=${idOf("1")}`);
    await memory.follow(new URLSearchParams("tab=curated"));
    expect(memory.selected).toBeUndefined();
    expect(memory.results).toBeUndefined();
    expect(memory.address()).toBe("/memory?tab=curated");
  });

  it("contains only the tab after another tab is selected", async () => {
    await memory.follow(new URLSearchParams(`record=${idOf("1")}`));
    expect(memory.selected?.id).toBe(idOf("1"));
    await memory.show("curated");
    expect(memory.address()).toBe("/memory?tab=curated");
  });
});

describe("an archived item", () => {
  const entry = {
    ...{ id: "task-1", kind: "task", title: TASK.title, origin: "Tasks", archivedAt: AT },
  };

  it("is opened by its address, and closed when it is restored", async () => {
    server.on("GET /api/archive/task-1", () => ({ entry, item: { kind: "task", task: TASK } }));
    await memory.follow(new URLSearchParams("tab=archive&entry=task-1"));
    expect(memory.archived.detail?.item).toMatchObject({ kind: "task", task: { title: TASK.title } });
    expect(memory.address()).toBe("/memory?tab=archive&entry=task-1");
    const open = memory.archived.entry;
    if (open) await memory.restore(open);
    expect(memory.address()).toBe("/memory?tab=archive");
  });

  it("that was restored meanwhile is a problem, and opens nothing", async () => {
    server.on("GET /api/archive/task-1", (_, response) => problem(response, 404, "NOT_FOUND", "It is gone."));
    await memory.openArchived("task-1");
    expect(memory.archived.detail).toBeUndefined();
    expect(memory.problem?.text).toBe("It is gone.");
  });
});
