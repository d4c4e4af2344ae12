import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArchivePage, GrantPage, OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import { ChangeCounts, LiveUpdate, type RunStatusSummary } from "@metahuman/core/contract/live-updates";
import { RunEvent } from "@metahuman/core/contract/event";
import { Run } from "@metahuman/core/contract/run";
import { serveBeforeAll } from "../support/before-all.ts";
import { KITCHEN } from "../support/function-samples.ts";
import { readEvents, type SentEvent } from "../support/event-reader.ts";
import type { TestServer } from "../support/server.ts";
import type { Client } from "../support/client.ts";

let server: TestServer;
let owner: Client;
serveBeforeAll((served) => ({ server, owner } = served));

const file = (path: string) => readFile(join(server.home, "profiles/ada", path), "utf8");

async function ask(goal: string, more: object = {}): Promise<OperatorAnswer> {
  const { status, body } = await owner.post("/api/operator", { goal, ...more });
  expect(status).toBe(200);
  return OperatorAnswer.parse(body);
}

async function askAndWait(goal: string): Promise<OperatorPending> {
  const { status, body } = await owner.post("/api/operator", { goal });
  expect(status).toBe(202);
  return OperatorPending.parse(body);
}

async function all(events: AsyncIterable<SentEvent>): Promise<SentEvent[]> {
  const list: SentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** The run, once it has reached that status. */
async function runOnce(runId: string, arrived: (run: Run) => boolean): Promise<Run> {
  for await (const _event of owner.events(`/api/runs/${runId}/events`)) {
    const run = Run.parse((await owner.get(`/api/runs/${runId}`)).body);
    if (arrived(run)) return run;
  }
  return Run.parse((await owner.get(`/api/runs/${runId}`)).body);
}

describe("asking for JSON", () => {
  it("returns the actions, in the shape for scripts", async () => {
    const answer = await ask('create a file called report.md with the text "all is well"');
    expect(answer).toMatchObject({
      outcome: "answered",
      status: "ended",
      actions: ["fs_write"],
      planner: "built-in",
      verbatim: false,
      functionsUsed: [],
    });
    expect(answer.usage).toMatchObject({ planningCalls: 0, modelCalls: 0 });
    expect(answer.result).toContain("out/report.md");
    expect(await file("out/report.md")).toBe("all is well");
  });

  it("keeps a conversation together, and lists it", async () => {
    const first = await ask("list my tasks");
    const second = await ask("what's in out?", { conversationId: first.conversationId });
    expect(second.conversationId).toBe(first.conversationId);
    const { body } = await owner.get(`/api/conversations/${first.conversationId}`);
    expect(body).toMatchObject({
      runs: [{}, {}],
      messages: [{ role: "person" }, { role: "operator" }, { role: "person" }, { role: "operator" }],
    });
  });

  it("responds with 202 at once if it runs in the background", async () => {
    const { status, body } = await owner.post("/api/operator", {
      goal: 'create a file called later.md with the text "later"',
      background: true,
    });
    expect(status).toBe(202);
    const { runId } = OperatorPending.parse(body);
    await runOnce(runId, (run) => run.status === "ended");
    expect(await file("out/later.md")).toBe("later");
  });

  // If the work for a character grew with the request, these would take minutes.
  it.each([
    ["", "'"],
    ["", "\n"],
    ["", "é"],
    ["list my tasks", " "],
    ["list my tasks", ", "],
  ])("answers %j with a long repetition of %j", async (beginning, piece) => {
    const goal = `${beginning}${piece.repeat(190_000 / piece.length)} x`;
    expect((await owner.post("/api/operator", { goal })).status).toBe(200);
  });

  it("answers 404 for a conversation that is not there", async () => {
    expect(
      (await owner.post("/api/operator", { goal: "hello", conversationId: `conv-${"0".repeat(26)}` })).status,
    ).toBe(404);
  });
});

describe("asking for events", () => {
  it("streams them from the first to run-ended, each under its seq", async () => {
    const response = await owner.raw(
      "POST",
      "/api/operator",
      { goal: "make sandwich file" },
      { accept: "text/event-stream" },
    );
    const events = await all(readEvents(response));
    const committed = events.filter(({ event }) => event !== "answer-delta");
    expect(committed.map(({ id }) => Number(id))).toEqual(committed.map((_event, index) => index + 1));
    expect(committed[0]?.event).toBe("run-started");
    expect(committed.at(-1)).toMatchObject({ event: "run-ended", data: { outcome: "answered" } });
    for (const { event, data } of events) expect(RunEvent.parse(data).type).toBe(event);
  });

  it("continues after Last-Event-ID or ?from=, exactly", async () => {
    const { runId } = await ask("list my tasks");
    const whole = await all(owner.events(`/api/runs/${runId}/events`));
    expect(
      await all(owner.events(`/api/runs/${runId}/events`, { headers: { "last-event-id": "2" } })),
    ).toEqual(whole.slice(2));
    expect(await all(owner.events(`/api/runs/${runId}/events?from=3`))).toEqual(whole.slice(3));
    expect(
      await all(owner.events(`/api/runs/${runId}/events?from=1`, { headers: { "last-event-id": "2" } })),
    ).toEqual(whole.slice(2));
  });

  it("tells a browser that has every event not to reconnect", async () => {
    const { runId } = await ask("list my tasks");
    const { lastSeq } = Run.parse((await owner.get(`/api/runs/${runId}`)).body);
    expect((await owner.get(`/api/runs/${runId}/events`, { "last-event-id": String(lastSeq) })).status).toBe(
      204,
    );
  });

  it("shows two tabs the same run, whichever of them decides", async () => {
    await ask('create a file called shared.md with the text "one"');
    const { runId, pending } = await askAndWait("delete shared.md");
    const [one, two] = [
      all(owner.events(`/api/runs/${runId}/events`)),
      all(owner.events(`/api/runs/${runId}/events`)),
    ];
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    expect((await owner.post(`/api/approvals/${approvalId}`, { decision: "once" })).status).toBe(200);
    // Each connection is told of a growing answer at its own moment.
    const withoutTime = (events: Awaited<typeof one>) =>
      events.map((each) =>
        each.event === "answer-delta" ? { ...each, data: { ...Object(each.data), at: "" } } : each,
      );
    expect(withoutTime(await one)).toEqual(withoutTime(await two));
    expect((await one).at(-1)?.event).toBe("run-ended");
    expect((await owner.post(`/api/approvals/${approvalId}`, { decision: "once" })).status).toBe(409);
  });
});

describe("one stream per tab", () => {
  it("carries approvals, runs and index at first, then the named run, then what changes", async () => {
    await ask('create a file called tab.md with the text "one"');
    const { runId, pending } = await askAndWait("delete tab.md");
    const leave = new AbortController();
    const seen: SentEvent[] = [];
    const of = (type: string) => seen.filter(({ event }) => event === type);
    for await (const event of owner.events(`/api/events?runs=${runId}`, { signal: leave.signal })) {
      seen.push(event);
      if (event.event === "approvals" && of("approvals").length === 1 && pending?.kind === "approval") {
        expect(event.data).toMatchObject({ items: [{ id: pending.approvalId }] });
        await owner.post(`/api/approvals/${pending.approvalId}`, { decision: "deny", reason: "keep it" });
      }
      if (of("approvals").length > 1 && of("run-ended").length > 0) break;
    }
    leave.abort();
    expect([...new Set(seen.map(({ event }) => event))]).toEqual(
      expect.arrayContaining(["approvals", "runs", "index", "run-started", "approval-resolved", "run-ended"]),
    );
    expect(of("approvals").at(-1)?.data).toMatchObject({ items: [], total: 0 });
    expect(of("run-ended")[0]?.id).toMatch(new RegExp(`^${runId}:\\d+$`));
  });

  it("sends the latest runs and changes at once, and the changes of other windows", async () => {
    await ask('create a file called allowed.md with the text "one"');
    const { pending } = await askAndWait("delete allowed.md");
    if (pending?.kind === "approval")
      await owner.post(`/api/approvals/${pending.approvalId}`, { decision: "always" });
    const [grant] = GrantPage.parse((await owner.get("/api/grants")).body).items;
    const leave = new AbortController();
    let before: ChangeCounts | undefined;
    let asked: OperatorAnswer | undefined;
    let latest: RunStatusSummary | undefined;
    const grown = new Set<string>();
    for await (const { data } of owner.events("/api/events", { signal: leave.signal })) {
      const update = LiveUpdate.parse(data);
      if (update.type === "latest-runs") latest = update.items[0];
      if (update.type === "changes") {
        const { counts } = update;
        if (before === undefined) {
          before = counts;
          asked = await ask("create a task to open the other window");
          await owner.send("PATCH", `/api/conversations/${asked.conversationId}`, { title: "Two windows" });
          await owner.post("/api/functions", KITCHEN);
          await owner.send("DELETE", `/api/grants/${grant?.id ?? ""}`);
          await owner.send("PATCH", "/api/persona", { voice: "Calm." });
        }
        for (const kind of ChangeCounts.keyof().options) if (counts[kind] > before[kind]) grown.add(kind);
      }
      if (grown.size === 5 && latest?.id === asked?.runId && latest?.status === "ended") break;
    }
    leave.abort();
    expect(latest).toMatchObject({ id: asked?.runId, conversationId: asked?.conversationId });
  });

  it("continues at the browser's last event", async () => {
    const { runId } = await ask("list my tasks");
    const leave = new AbortController();
    const types: string[] = [];
    for await (const { event } of owner.events(`/api/events?runs=${runId}`, {
      headers: { "last-event-id": `${runId}:1` },
      signal: leave.signal,
    })) {
      types.push(event);
      if (event === "run-ended") break;
    }
    leave.abort();
    expect(types).not.toContain("run-started");
  });
});

describe("a run that waits", () => {
  it("previews exactly what it would do, does it when allowed, and reports it", async () => {
    await ask('create a file called doomed.md with the text "bye"');
    const { status, pending, runId } = await askAndWait("delete doomed.md");
    expect(status).toBe("waiting");
    expect(pending).toMatchObject({ kind: "approval", tool: "fs_delete" });
    expect(await file("out/doomed.md")).toBe("bye");
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    expect((await owner.get(`/api/approvals/${approvalId}`)).body).toMatchObject({
      status: "pending",
      risk: "high",
      preview: { title: expect.stringContaining("doomed.md") as unknown },
    });
    expect((await owner.post(`/api/approvals/${approvalId}`, { decision: "once" })).status).toBe(200);
    const run = await runOnce(runId, ({ status }) => status === "ended");
    expect(run.outcome).toBe("answered");
    await expect(file("out/doomed.md")).rejects.toThrow("ENOENT");
    const [archived] = ArchivePage.parse((await owner.get("/api/archive")).body).items;
    expect(archived).toMatchObject({ kind: "file", title: "doomed.md", runId });
    expect((await owner.post(`/api/archive/${archived?.id ?? ""}/restore`)).status).toBe(200);
    expect(await file("out/doomed.md")).toBe("bye");
  });

  it("is not recorded as allowed if the settings forbid the call by now", async () => {
    await ask('create a file called forbidden.md with the text "stays"');
    const { pending, runId } = await askAndWait("delete forbidden.md");
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    const approval = `/api/approvals/${approvalId}`;
    await owner.send("PUT", "/api/trust", { skillOverrides: { fs_delete: "never" } });
    expect(await owner.post(approval, { decision: "once" })).toMatchObject({
      status: 403,
      body: { error: { code: "POLICY_DENIED", message: "Your settings never allow fs_delete." } },
    });
    expect((await owner.get(approval)).body).toMatchObject({ status: "pending" });
    await owner.send("PUT", "/api/trust", { skillOverrides: { fs_delete: null }, trustLevel: "observe" });
    expect((await owner.post(approval, { decision: "run" })).status).toBe(403);
    await owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    expect((await owner.post(approval, { decision: "once" })).status).toBe(200);
    await runOnce(runId, ({ status }) => status === "ended");
    await expect(file("out/forbidden.md")).rejects.toThrow("ENOENT");
  });

  it("does nothing if denied, and passes on the reason", async () => {
    await ask('create a file called kept.md with the text "stay"');
    const { runId, pending } = await askAndWait("delete kept.md");
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    await owner.post(`/api/approvals/${approvalId}`, { decision: "deny", reason: "I still need it" });
    const run = await runOnce(runId, ({ status }) => status === "ended");
    expect(JSON.stringify(run.scratchpad)).toContain("I still need it");
    expect(await file("out/kept.md")).toBe("stay");
  });

  it("can be stopped, and its question is removed", async () => {
    await ask('create a file called halted.md with the text "stay"');
    const { runId } = await askAndWait("delete halted.md");
    const { status, body } = await owner.post(`/api/runs/${runId}/cancel`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "ended", outcome: "cancelled" });
    expect(await owner.get("/api/approvals")).toMatchObject({ body: { items: [] } });
    expect(await file("out/halted.md")).toBe("stay");
  });
});

describe("what was said before in a conversation", () => {
  it("is what “it”, “the second one” and “do that again” refer to, and only there", async () => {
    const { conversationId } = await ask('create talk/today.md with the text "call the plumber"');
    const then = (goal: string) => ask(goal, { conversationId });
    expect((await then("read it")).result).toContain("call the plumber");
    expect((await then("rename it to x.md")).result).toContain("out/talk/x.md");
    await then('append "and Ann" to it');
    await then("create talk/y.md");
    await then("what's in talk?");
    const read = await then("read the first one");
    expect(read.result).toContain("call the plumber\nand Ann");
    expect((await then("and the second one?")).result).toContain("out/talk/y.md");
    const again = await then("do that again");
    expect([again.actions, again.result]).toEqual([
      ["fs_read"],
      expect.stringContaining("“and the second one?”"),
    ]);
    const { status, body } = await owner.post("/api/operator", { goal: "read it" });
    expect(status).toBe(202);
    expect(OperatorPending.parse(body).pending).toMatchObject({ question: "What do you mean by “it”?" });
  });

  it("is asked about if it is ambiguous", async () => {
    const { conversationId } = await ask("create talk/a.md and talk/b.md");
    const { status, body } = await owner.post("/api/operator", { goal: "delete it", conversationId });
    expect(status).toBe(202);
    expect(OperatorPending.parse(body).pending).toMatchObject({
      options: ["out/talk/a.md", "out/talk/b.md"],
    });
  });
});
