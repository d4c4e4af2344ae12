import { describe, expect, it } from "vitest";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { openRunCopies } from "@metahuman/core/runs/run-copies";
import { approvalOf, decideAndWait } from "./testing/decide.ts";
import { operatorHarness } from "./testing/operator-harness.ts";
import { call, lastObservation, say, scriptedPlanner } from "./testing/scripted-planner.ts";
import { executedCalls } from "./testing/test-skills.ts";

const harness = operatorHarness();

const shred = (text = "a.txt") => call("shred", { text });
const finish = say("Finished.");

describe("an approval that nobody decides", () => {
  const WEEK_MS = 7 * 86_400_000;

  it("expires: the planner is notified, the call is not made, and it can no longer be decided", async () => {
    let now = new Date();
    const approvals: unknown[] = [];
    const planner = scriptedPlanner([
      shred(),
      (state) => {
        approvals.push(lastObservation(state)?.error);
        return finish;
      },
    ]);
    const opened = await harness.home.open(planner, { clock: () => now });
    const waiting = await opened.ask("shred");
    const id = approvalOf(waiting);
    now = new Date(now.getTime() + WEEK_MS - 1);
    expect((await opened.persistent.store.approval(id)).status).toBe("pending");
    now = new Date(now.getTime() + 1);
    await expect(opened.operator.decide(id, "once")).rejects.toThrow(ConflictError);
    expect(await opened.operator.settled(waiting.id)).toMatchObject({ outcome: "answered" });
    expect(await opened.persistent.store.approval(id)).toMatchObject({ status: "expired" });
    expect(approvals).toMatchObject([
      { code: "APPROVAL_DENIED", message: expect.stringContaining("Nobody decided") as unknown },
    ]);
    expect(await opened.audited("approval_decided")).toMatchObject([{ decision: "expired" }]);
    expect(await executedCalls(harness.home.journal)).toEqual([]);
  });

  it("expires at the next start as well", async () => {
    let now = new Date();
    const first = await harness.home.open(scriptedPlanner([shred(), finish]), { clock: () => now });
    const waiting = await first.ask("shred");
    await first.close();
    now = new Date(now.getTime() + WEEK_MS);
    const second = await harness.home.open(scriptedPlanner([shred(), finish]), { clock: () => now });
    expect(await second.operator.settled(waiting.id)).toMatchObject({ outcome: "answered" });
    expect((await second.persistent.store.approval(approvalOf(waiting))).status).toBe("expired");
  });

  it("starts nothing in a run that was restored from a backup: a person must resume it", async () => {
    let now = new Date();
    const planner = scriptedPlanner([shred(), say("Never said."), finish]);
    const opened = await harness.home.open(planner, { clock: () => now });
    const waiting = await opened.ask("shred");
    const backup = openRunCopies(opened.database, () => now);
    const copy = await backup.run(waiting.id);
    await opened.operator.cancel(waiting.id);
    await opened.persistent.store.removeConversation(waiting.conversationId);
    await backup.restoreConversation(
      {
        id: copy.conversationId,
        title: "shred",
        createdAt: copy.createdAt,
        updatedAt: copy.createdAt,
        messages: [],
      },
      { retitle: false },
    );
    await backup.restoreRun(copy);
    expect(await opened.persistent.store.run(waiting.id)).toMatchObject({ status: "waiting" });
    now = new Date(now.getTime() + WEEK_MS);
    await expect(opened.operator.decide(approvalOf(waiting), "once")).rejects.toThrow(ConflictError);
    expect(await opened.persistent.store.run(waiting.id)).toMatchObject({ status: "interrupted" });
    expect(await opened.persistent.store.approval(approvalOf(waiting))).toMatchObject({ status: "expired" });
  });
});

describe("a standing permission", () => {
  it("expires", async () => {
    let now = new Date();
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]), { clock: () => now });
    await decideAndWait(opened, await opened.ask("shred"), "always");
    const [grant] = await opened.persistent.store.grants();
    expect(Date.parse(grant?.expires ?? "")).toBe(now.getTime() + 90 * 86_400_000);
    expect((await opened.ask("shred again")).status).toBe("ended");
    now = new Date(now.getTime() + 90 * 86_400_000);
    expect((await opened.ask("shred later")).status).toBe("waiting");
  });

  it("is renewed, not duplicated, by the same decision", async () => {
    let now = new Date();
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]), { clock: () => now });
    await decideAndWait(opened, await opened.ask("shred"), "always");
    now = new Date(now.getTime() + 90 * 86_400_000);
    await decideAndWait(opened, await opened.ask("shred"), "always");
    const grants = await opened.persistent.store.grants();
    expect(grants).toHaveLength(1);
    expect(Date.parse(grants[0]?.expires ?? "")).toBeGreaterThan(now.getTime());
  });
});

describe("a skill that asks once for each host", () => {
  const get = (url: string) => call("get", { text: url });

  it("asks at every trust level, and a decision for the run covers the host for that run", async () => {
    const planner = scriptedPlanner([
      get("https://a.example/1"),
      get("https://a.example/2"),
      get("https://b.example/1"),
      finish,
    ]);
    const opened = await harness.home.open(planner);
    opened.settle({ trustLevel: "bounded_auto" });
    const waiting = await opened.ask("get", { trustLevel: "bounded_auto" });
    expect(waiting).toMatchObject({ status: "waiting", pending: { title: "Get https://a.example/1?" } });
    const next = await decideAndWait(opened, waiting, "run");
    expect(next).toMatchObject({ status: "waiting", pending: { title: "Get https://b.example/1?" } });
    expect(await executedCalls(harness.home.journal)).toEqual([
      "got https://a.example/1",
      "got https://a.example/2",
    ]);
  });

  it("asks for another address of the host after “once”, and never after “always”", async () => {
    const planner = scriptedPlanner([get("https://a.example/1"), get("https://a.example/2"), finish]);
    const opened = await harness.home.open(planner);
    const second = await decideAndWait(opened, await opened.ask("get"), "once");
    expect(second).toMatchObject({ pending: { title: "Get https://a.example/2?" } });
    expect(await decideAndWait(opened, second, "always")).toMatchObject({ outcome: "answered" });
    expect(await opened.persistent.store.grants()).toMatchObject([{ skill: "get", host: "a.example" }]);
    expect(await opened.ask("get again")).toMatchObject({ outcome: "answered" });
  });
});
