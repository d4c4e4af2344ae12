import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { FunctionAnswer, TaskAnswer } from "@metahuman/core/contract/answers";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { NoticePage } from "@metahuman/core/contract/notice";
import {
  OccurrenceAnswer,
  OccurrencePage,
  ScheduleAnswer,
  SchedulePage,
  SchedulePreview,
} from "@metahuman/core/contract/schedule";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { SOWING_RECIPE } from "../support/sample-recipes.ts";
import { startServerHere, type TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;

beforeAll(async () => {
  server = await startServerHere({ home: await mkdtemp(join(tmpdir(), "metahuman-automations-")) });
  owner = await server.owner();
});
afterAll(async () => {
  await server.dispose();
  await rm(server.home, { recursive: true, force: true });
});

const reminder = (text: string, when: unknown, more: object = {}) => ({
  what: { kind: "reminder", text },
  when,
  timeZone: "Europe/Oslo",
  ...more,
});
const request = (goal: string, when: unknown) => ({ what: { kind: "request", goal }, when });
async function create(body: object) {
  const { status, body: created } = await owner.post("/api/schedules", body);
  expect([status, created]).toMatchObject([201, {}]);
  return ScheduleAnswer.parse(created);
}
const occurrences = async (id: string) =>
  OccurrencePage.parse((await owner.get(`/api/schedules/${id}/occurrences`)).body).items;
const notices = async (query = "") => NoticePage.parse((await owner.get(`/api/notices${query}`)).body);
const ended = (id: string) =>
  vi.waitFor(
    async () => {
      const [row] = await occurrences(id);
      expect(row?.endedAt).toBeDefined();
      return row;
    },
    { timeout: 20_000 },
  );

describe("schedules over HTTP", () => {
  it("are previewed and created from words, with their next moments", async () => {
    const preview = await owner.post("/api/schedules/preview", {
      when: "every weekday at 7:30",
      timeZone: "Europe/Oslo",
    });
    expect(preview.status).toBe(200);
    const { next, words, when } = SchedulePreview.parse(preview.body);
    expect(when).toEqual({ kind: "cron", expression: "30 7 * * 1-5" });
    expect(words).toBe("every weekday at 07:30");
    expect(next).toHaveLength(5);
    const answer = await create(reminder("Stand up", "every weekday at 7:30"));
    expect(answer.next).toEqual(next);
    expect(answer.schedule).toMatchObject({
      title: "Stand up",
      timeZone: "Europe/Oslo",
      catchUp: "once",
      enabled: true,
      createdBy: "ada",
      trustLevel: "supervised_auto",
      grants: [],
      version: 1,
    });
    expect((await owner.get(`/api/schedules/${answer.schedule.id}`)).body).toMatchObject({ next });
  });

  it.each([
    ["a day that does not exist", reminder("x", "31 November at 9")],
    ["a cron expression that never matches", reminder("x", { kind: "cron", expression: "0 9 31 11 *" })],
    ["a moment that has passed", reminder("x", { kind: "at", at: "2020-01-01T00:00:00.000Z" })],
    ["an interval of nothing", reminder("x", "every 0 minutes")],
    ["an interval below a minute", reminder("x", { kind: "every", seconds: 30 })],
    ["an unknown time zone", reminder("x", "tomorrow", { timeZone: "Mars/Olympus" })],
    ["words that name no moment", reminder("x", "when pigs fly")],
    ["a trust level above the profile's", reminder("x", "tomorrow", { trustLevel: "bounded_auto" })],
    ["an unknown field", reminder("x", "tomorrow", { colour: "red" })],
    ["no text", reminder("", "tomorrow")],
  ])("are refused for %s", async (_, body) => {
    const { status, body: problem } = await owner.post("/api/schedules", body);
    expect([400, 422]).toContain(status);
    expect(problem).toMatchObject({ error: { message: expect.stringMatching(/\S/u) as unknown } });
  });

  it("are refused for an unknown function", async () => {
    const what = { kind: "function", functionId: "func-20251114-abc123", values: {} };
    expect((await owner.post("/api/schedules", { what, when: "tomorrow" })).status).toBe(404);
  });

  it("are edited by version, paused, resumed, deleted and restored", async () => {
    const { schedule } = await create(reminder("Water the plants", "every day at 8"));
    const path = `/api/schedules/${schedule.id}`;
    const edited = await owner.send("PUT", path, { version: 1, title: "Water them", when: "every 2 days" });
    expect(ScheduleAnswer.parse(edited.body).schedule).toMatchObject({
      title: "Water them",
      when: { kind: "every", seconds: 172_800 },
      version: 2,
    });
    expect((await owner.send("PUT", path, { version: 1, title: "Stale" })).status).toBe(409);
    expect((await owner.post(`${path}/pause`)).body).toMatchObject({
      schedule: { enabled: false },
      next: [],
    });
    const resumed = ScheduleAnswer.parse((await owner.post(`${path}/resume`)).body);
    expect(resumed.next).toHaveLength(5);
    const deleted = await owner.send("DELETE", path);
    expect(deleted.body).toMatchObject({ archived: { id: schedule.id, kind: "schedule" } });
    expect((await owner.get(path)).status).toBe(404);
    expect((await owner.post(`/api/archive/${schedule.id}/restore`)).status).toBe(200);
    expect((await owner.get(path)).body).toMatchObject({ schedule: { title: "Water them" } });
  });

  it("are listed in pages, the next one first", async () => {
    await create(reminder("Soon", "in 2 minutes"));
    const page = SchedulePage.parse((await owner.get("/api/schedules?limit=1")).body);
    expect(page.items.map(({ title }) => title)).toEqual(["Soon"]);
    const rest = await owner.get(`/api/schedules?limit=500&cursor=${page.nextCursor ?? ""}`);
    expect(SchedulePage.parse(rest.body).items).toHaveLength(page.total - 1);
  });
});

describe("a due request", () => {
  it("is executed by the built-in planner, once, without a question", async () => {
    const { schedule } = await create(request("create a task to sweep the floor", "every day at 6:15"));
    expect(schedule).toMatchObject({ needsModel: false, grants: ["task_create"] });
    const started = await owner.post(`/api/schedules/${schedule.id}/run`);
    expect(started.status).toBe(202);
    OccurrenceAnswer.parse(started.body);
    const row = await ended(schedule.id);
    expect(row).toMatchObject({ state: "succeeded", outcome: "answered", attempt: 1 });
    const run = await owner.get(`/api/runs/${row?.runId}`);
    expect(run.body).toMatchObject({ goal: "create a task to sweep the floor", outcome: "answered" });
    expect((await owner.get("/api/tasks?query=sweep")).body).toMatchObject({ total: 1 });
    expect((await notices()).items[0]).toMatchObject({ title: "Done: Create a task to sweep the floor" });
  });

  it("teaches nothing and is not remembered as a habit of the person", async () => {
    const before = await owner.get("/api/memories?query=broom");
    const { schedule } = await create(request("create a task to buy a broom and list my tasks", "every day"));
    await owner.post(`/api/schedules/${schedule.id}/run`);
    expect(await ended(schedule.id)).toMatchObject({ state: "succeeded" });
    expect((await owner.get("/api/memories?query=broom")).body).toEqual(before.body);
    expect((await owner.get("/api/functions?query=broom")).body).toMatchObject({ total: 0 });
  });

  it("reports when it is created, and again when it is due, that it needs a model", async () => {
    const { schedule } = await create(request("write a sonnet about the moon", "every day"));
    expect(schedule.needsModel).toBe(true);
    await owner.post(`/api/schedules/${schedule.id}/run`);
    await expect
      .poll(async () => (await occurrences(schedule.id))[0])
      .toMatchObject({
        attempt: 1,
        reason: expect.stringContaining("needs a language model") as unknown,
      });
  });

  it("requires approval for what the profile no longer allows if its trust was lowered after the schedule was created", async () => {
    const { schedule } = await create(request("create a task to air the cellar", "every day"));
    expect(schedule.trustLevel).toBe("supervised_auto");
    await owner.send("PUT", "/api/trust", { trustLevel: "suggest" });
    try {
      await owner.post(`/api/schedules/${schedule.id}/run`);
      const title = "Waiting for you: Create a task to air the cellar";
      await expect.poll(async () => (await notices()).items.map((one) => one.title)).toContain(title);
      expect((await owner.get("/api/tasks?query=cellar")).body).toMatchObject({ total: 0 });
    } finally {
      await owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    }
  });

  it("is refused for values with which its function can never run", async () => {
    const named = { ...SOWING_RECIPE, title: "Note a sowing in a file" };
    const made = await owner.post("/api/functions", {
      ...named,
      parameters: [{ name: "file", type: "path", description: "The notes", required: true }],
      examples: [{ prompt: "note a sowing in beds/north.md", parameters: { file: "beds/north.md" } }],
      recipe: {
        promptTemplates: ["note a sowing in {file}"],
        actions: [{ skill: "fs_append", args: { path: "${file}", text: "- sown" }, expect: [] }],
      },
    });
    const { id } = FunctionAnswer.parse(made.body).function;
    expect((await owner.post("/api/functions/promote", { id, reason: "Looked through." })).status).toBe(200);
    const post = async (values: object) =>
      await owner.post("/api/schedules", {
        what: { kind: "function", functionId: id, values },
        when: "every day",
      });
    expect(await post({})).toMatchObject({
      status: 422,
      body: { error: { message: "“Note a sowing in a file” needs values for file." } },
    });
    const message = 'The path "../../etc/passwd" cannot be used: it points to another folder.';
    expect(await post({ file: "../../etc/passwd" })).toMatchObject({
      status: 422,
      body: { error: { details: { issues: [{ path: "file", message }] } } },
    });
    expect((await post({ file: "beds/south.md" })).status).toBe(201);
  });

  it("fails with the reason when its function was demoted or deleted after it was scheduled", async () => {
    const made = await owner.post("/api/functions", SOWING_RECIPE);
    const { id } = FunctionAnswer.parse(made.body).function;
    expect((await owner.post("/api/functions/promote", { id, reason: "Looked through." })).status).toBe(200);
    const { schedule } = await create({
      what: { kind: "function", functionId: id, values: { plant: "beans" } },
      when: "every day",
    });
    const run = async () => {
      await owner.post(`/api/schedules/${schedule.id}/run`);
      return await ended(schedule.id);
    };
    expect(await run()).toMatchObject({ state: "succeeded" });
    expect((await owner.post(`/api/functions/${id}/demote`, { reason: "Not sure." })).status).toBe(200);
    expect(await run()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("Note a sowing") as unknown,
    });
    expect((await owner.send("DELETE", `/api/functions/${id}`)).status).toBe(200);
    expect(await run()).toMatchObject({ state: "failed", reason: expect.any(String) as unknown });
  });

  it("says in the list of schedules how it ended last, and why", async () => {
    const { schedule } = await create(request("read nowhere/ledger.md", "every day at 5:00"));
    await owner.post(`/api/schedules/${schedule.id}/run`);
    expect(await ended(schedule.id)).toMatchObject({ state: "failed" });
    const { body } = await owner.post("/api/operator", { goal: "list my schedules" });
    expect(OperatorAnswer.parse(body).result).toMatch(/ledger\.md.*failed on .*nothing at out\/nowhere/u);
  });

  it("is a reminder on the page and in the terminal until it is read", async () => {
    const { schedule } = await create(reminder("Call the dentist", { kind: "every", seconds: 3_600 }));
    await owner.post(`/api/schedules/${schedule.id}/run`);
    expect(await ended(schedule.id)).toMatchObject({ state: "succeeded", outcome: "reminded" });
    const { items, unread } = await notices("?unread=true");
    const notice = items.find(({ title }) => title === "Call the dentist");
    expect(unread).toBeGreaterThan(0);
    const { home } = server;
    expect((await mh(home, ["notices"])).out).toContain("Call the dentist");
    expect((await mh(home, ["task", "list"])).err).toContain("Notice: ");
    expect((await owner.post(`/api/notices/${notice?.id}`, { read: true })).body).toMatchObject({
      notice: { id: notice?.id, readAt: expect.any(String) as unknown },
    });
    expect((await notices("?unread=true")).unread).toBe((unread ?? 0) - 1);
  });

  it("moves with its task, and the answer mentions only its time", async () => {
    const ask = async (goal: string, conversationId?: string) =>
      OperatorAnswer.parse((await owner.post("/api/operator", { goal, conversationId })).body);
    const { conversationId } = await ask("remind me tomorrow at 9 to feed the hens");
    const moment = async () =>
      SchedulePage.parse((await owner.get("/api/schedules?query=hens")).body).items[0]?.next[0];
    const at = Date.parse((await moment()) ?? "");
    await ask("move the reminder to 10", conversationId);
    expect(Date.parse((await moment()) ?? "") - at).toBe(3_600_000);
    await ask("postpone the hens by a week", conversationId);
    expect(Date.parse((await moment()) ?? "") - at).toBeGreaterThan(7 * 86_400_000);
  });

  it("ends with its task, and is restored when the deletion is undone", async () => {
    const ask = async (goal: string, conversationId?: string) =>
      OperatorAnswer.parse((await owner.post("/api/operator", { goal, conversationId })).body);
    const reminded = async () =>
      SchedulePage.parse((await owner.get("/api/schedules?query=plumber")).body).items[0];
    const { conversationId } = await ask("remind me tomorrow at 9 to call the plumber");
    const next = (await reminded())?.next;
    await ask("delete the plumber reminder", conversationId);
    expect((await reminded())?.next ?? []).toEqual([]);
    await ask("undo", conversationId);
    expect(await reminded()).toMatchObject({ enabled: true, next });
  });

  it("is skipped once on request", async () => {
    const ask = async (goal: string) =>
      OperatorAnswer.parse((await owner.post("/api/operator", { goal })).body);
    await ask("remind me every other Monday at 7pm to put out the paper bin");
    const paper = async () =>
      SchedulePage.parse((await owner.get("/api/schedules?query=paper")).body).items[0];
    const [first, second, third] = (await paper())?.next ?? [];
    expect(Date.parse(second ?? "") - Date.parse(first ?? "")).toBeGreaterThan(13 * 86_400_000);
    await ask("skip the next paper bin");
    expect((await paper())?.next[0]).toBe(second);
    await ask("skip the next paper bin reminder");
    expect((await paper())?.next[0]).toBe(third);
  });

  it("ends when its task is finished", async () => {
    const task = await owner.post("/api/tasks", { title: "Bring out the bins" });
    const { id } = TaskAnswer.parse(task.body).task;
    const { schedule } = await create({
      ...reminder("Bring out the bins", "every day"),
      what: { kind: "reminder", text: "Bring out the bins", taskId: id },
    });
    await owner.send("PATCH", `/api/tasks/${id}`, { status: "done" });
    expect((await owner.get(`/api/schedules/${schedule.id}`)).body).toMatchObject({
      schedule: { enabled: false, pausedReason: "Its task is finished or deleted." },
      next: [],
    });
  });
});

describe("schedules on the command line", () => {
  it("are added, listed, paused, resumed, run, removed, and have a history", async () => {
    const { home } = server;
    const added = await mh(home, [
      "--json",
      "schedule",
      "add",
      "every",
      "friday",
      "at",
      "16:00",
      "list",
      "my",
      "tasks",
    ]);
    const { schedule } = ScheduleAnswer.parse(JSON.parse(added.out));
    expect(schedule).toMatchObject({
      what: { kind: "request", goal: "list my tasks" },
      title: "List my tasks",
    });
    expect((await mh(home, ["schedule", "list"])).out).toContain("every Friday at 16:00");
    expect((await mh(home, ["schedule", "pause", "list", "tasks"])).out).toContain("paused");
    expect((await mh(home, ["schedule", "resume", schedule.id])).out).toContain("next on Friday");
    expect((await mh(home, ["schedule", "run", schedule.id])).out).toContain("succeeded");
    expect((await mh(home, ["schedule", "history", schedule.id])).out).toMatch(
      /succeeded\s+You started it\./,
    );
    expect((await mh(home, ["schedule", "remove", schedule.id])).out).toContain("Undo: mh archive restore");
    const refused = await mh(home, ["schedule", "add", "--when", "every 0 minutes", "list", "my", "tasks"]);
    expect(refused).toMatchObject({ code: expect.any(Number) as unknown, out: "" });
    expect(refused.err).toContain("at least one minute");
  });
});

describe("a server that was off", () => {
  it("catches up on what was due meanwhile, without a sign-in, and reports it", async () => {
    const home = await mkdtemp(join(tmpdir(), "metahuman-off-"));
    const first = await startServerHere({ home });
    const ada = await first.owner();
    const at = new Date(Date.now() + 3_000).toISOString();
    const created = await ada.post("/api/schedules", reminder("Take the cake out", { kind: "at", at }));
    const { id } = ScheduleAnswer.parse(created.body).schedule;
    await first.dispose();
    await delay(Math.max(0, Date.parse(at) + 1 - Date.now()));
    const second = await startServerHere({ home });
    try {
      // Read beside the server, because a request would open the profile.
      const state = openDatabase(join(home, "profiles/ada/state.db"), stateMigrations, { title: "state" });
      const notices = state.query("SELECT title FROM notices", z.object({ title: z.string() }));
      await expect.poll(() => notices.all()).toEqual([{ title: "Take the cake out" }]);
      state.close();
      const again = ada.at(second.url);
      const page = OccurrencePage.parse((await again.get(`/api/schedules/${id}/occurrences`)).body);
      expect(page.items).toMatchObject([{ dueAt: at, state: "succeeded", outcome: "reminded" }]);
      expect(NoticePage.parse((await again.get("/api/notices")).body).items).toMatchObject([
        { title: "Take the cake out" },
      ]);
    } finally {
      await second.dispose();
      await rm(home, { recursive: true, force: true });
    }
  });
});
