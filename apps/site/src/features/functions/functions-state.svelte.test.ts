import type { FunctionMemory } from "@metahuman/core/contract/function";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeError } from "../../lib/api/api-problem.ts";
import { HttpClient } from "../../lib/api/http-client.ts";
import { AT, functionOf } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Api } from "../shell/api.ts";
import { Toasts } from "../shell/toasts.svelte.ts";
import { FunctionsState } from "./functions-state.svelte.ts";

let server: ScriptedServer;
let functions: FunctionsState;
let toasts: Toasts;
/** The functions on the server. */
let kept: FunctionMemory[];

const ONE = "func-20261120-000one";
const TWO = "func-20261120-000two";
const GONE = "func-20261120-0gone0";

const made = (id: string, change: Partial<FunctionMemory> = {}): FunctionMemory =>
  functionOf(id, { title: id === ONE ? "Title of one" : "Title of two", ...change });

/** Responds to the requests for a function and its related records. */
function serve(id: string): void {
  const none = { items: [], nextCursor: null, total: 0 };
  server.on(`GET /api/functions/${id}`, () => ({
    function: kept.find((one) => one.id === id),
    reportIsStale: false,
  }));
  server.on(`GET /api/functions/${id}/versions`, () => ({ ...none, templates: [] }));
  server.on(`GET /api/functions/${id}/proposals`, () => none);
}

/** The queries of the list, in order. */
const listed = () =>
  server.asked
    .filter(({ method, path }) => method === "GET" && path === "/api/functions")
    .map(({ query }) => Object.fromEntries([...query].filter(([name]) => name !== "limit")));
const texts = () => toasts.items.map(({ text }) => text);

beforeEach(async () => {
  server = await startScriptedServer();
  toasts = new Toasts();
  kept = [made(ONE), made(TWO)];
  server.on("GET /api/functions", () => ({ items: kept, nextCursor: null, total: kept.length }));
  for (const { id } of kept) serve(id);
  functions = new FunctionsState({
    api: new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined })),
    toasts,
    attempt: async (action) => {
      try {
        await action();
        return true;
      } catch (error) {
        toasts.show(describeError(error).text, { variant: "danger" });
        return false;
      }
    },
  });
});

afterEach(() => server.close());

describe("FunctionsState", () => {
  it("applies the filters of an address, and returns the same address", async () => {
    const address = "which=draft&kind=recipe&sort=title&query=fence&tag=garden&skill=fs_write";
    functions.take(new URLSearchParams(address));
    await functions.list.load();
    expect(listed()).toEqual([
      { query: "fence", trust: "draft", kind: "recipe", sort: "title", tag: "garden", skills: "fs_write" },
    ]);
    expect(functions.showsAll).toBe(false);
    expect(new URL(functions.address(), "http://here").search).toBe(`?${address}`);
    functions.take(new URLSearchParams("which=nonsense&kind=nonsense&sort=nonsense"));
    expect(functions.showsAll).toBe(true);
    expect(functions.address()).toBe("/functions");
  });

  it("follows an address: loads the list only if it changed, and opens or closes a function", async () => {
    await functions.follow(new URLSearchParams(`function=${TWO}`));
    expect([functions.picked?.id, listed().length]).toEqual([TWO, 0]);
    await functions.follow(new URLSearchParams(`function=${TWO}&tag=garden`));
    expect([functions.picked?.id, listed().length]).toEqual([TWO, 1]);
    await functions.follow(new URLSearchParams("tag=garden"));
    expect([functions.picked, listed().length]).toEqual([undefined, 1]);
  });

  it("shows the problem of a function until another one is selected", async () => {
    await functions.pick(GONE);
    expect([functions.picked, functions.problem?.text]).toEqual([undefined, "There is nothing here."]);
    await functions.pick(ONE);
    expect([functions.picked?.id, functions.problem]).toEqual([ONE, undefined]);
  });

  it("loads the open function again only when somebody else changed it", async () => {
    await functions.list.load();
    await functions.pick(ONE);
    const reads = () => server.asked.filter(({ path }) => path === `/api/functions/${ONE}`).length;
    await functions.changed();
    expect(reads()).toBe(1);
    kept = [made(ONE, { version: 2, title: "Another title" }), made(TWO)];
    await functions.changed();
    expect([reads(), functions.picked?.title]).toEqual([2, "Another title"]);
  });

  it("shows the result of a decision, and the reason of a refusal", async () => {
    await functions.pick(ONE);
    server.on(`POST /api/functions/${ONE}/disable`, () => {
      kept = [made(ONE, { status: "disabled" }), made(TWO)];
      return { function: kept[0] };
    });
    await functions.decide(ONE, "disable");
    expect(functions.picked?.status).toBe("disabled");
    expect(texts()).toHaveLength(1);
    server.on(`POST /api/functions/${ONE}/enable`, (_asked, response) =>
      problem(response, 409, "CONFLICT", "It is full."),
    );
    await functions.decide(ONE, "enable");
    expect(texts().at(-1)).toBe("It is full.");
    expect(functions.picked?.status).toBe("disabled");
  });

  it("removes a deleted function from the list, and restores it on Undo", async () => {
    await functions.list.load();
    await functions.pick(ONE);
    server.on(`DELETE /api/functions/${ONE}`, () => {
      kept = [made(TWO)];
      const archived = {
        id: "a",
        kind: "function",
        title: "Title of one",
        origin: "functions",
        archivedAt: AT,
      };
      return { archived };
    });
    await functions.remove(made(ONE));
    expect(functions.picked).toBeUndefined();
    expect(functions.list.items.map(({ id }) => id)).toEqual([TWO]);
    expect(texts()).toEqual(["Deleted “Title of one”."]);
    server.on(`POST /api/functions/${ONE}/undelete`, () => {
      kept = [made(ONE), made(TWO)];
      return { function: kept[0] };
    });
    toasts.items[0]?.action?.run();
    await expect.poll(() => functions.list.items.map(({ id }) => id)).toEqual([ONE, TWO]);
  });

  it("reports a verification, and is busy during it", async () => {
    await functions.pick(ONE);
    const verification = { at: AT, contentHash: "h", ok: false, checks: [{ name: "schema", ok: false }] };
    server.on(`POST /api/functions/${ONE}/verify`, (_asked, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      const event = { type: "function-verified", verification };
      response.end(`event: function-verified\ndata: ${JSON.stringify(event)}\n\n`);
    });
    const verified = functions.verify(ONE);
    expect(functions.busy).toBe("verify");
    await verified;
    expect(functions.busy).toBeUndefined();
    expect(texts()).toEqual(["1 check failed."]);
  });

  it("offers to undo disabling, even if a filter hides the function", async () => {
    for (const [verb, status] of [
      ["disable", "disabled"],
      ["enable", "active"],
    ] as const)
      server.on(`POST /api/functions/${ONE}/${verb}`, () => {
        kept = kept.map((one) => (one.id === ONE ? { ...one, status } : one));
        return { function: kept.find(({ id }) => id === ONE) };
      });
    server.on("GET /api/functions", () => {
      const items = kept.filter(({ status }) => status === "active");
      return { items, nextCursor: null, total: items.length };
    });
    await functions.list.load();
    await functions.decide(ONE, "disable");
    await functions.changed();
    expect(functions.list.items.map(({ id }) => id)).toEqual([TWO]);
    const toast = toasts.items.find(({ action }) => action?.label === "Undo");
    expect(toast?.text).toBe("Disabled. It is no longer used.");
    if (toast) toasts.choose(toast);
    await expect.poll(() => functions.list.items.map(({ id }) => id)).toEqual([ONE, TWO]);
  });

  it("does not offer to undo disabling a function that waited for approval", async () => {
    kept = kept.map((one) => (one.id === ONE ? { ...one, status: "pending_approval" } : one));
    server.on(`POST /api/functions/${ONE}/disable`, () => ({ function: kept[0] }));
    await functions.list.load();
    await functions.decide(ONE, "disable");
    expect(toasts.items.map(({ action }) => action)).toEqual([undefined]);
  });
});
