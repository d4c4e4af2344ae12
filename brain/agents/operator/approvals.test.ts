import { appendFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { PolicyDeniedError } from "@metahuman/core/errors/access-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { approvalOf, decideAndWait } from "./testing/decide.ts";
import { operatorHarness } from "./testing/operator-harness.ts";
import { call, lastObservation, say, scriptedPlanner } from "./testing/scripted-planner.ts";
import { executedCalls } from "./testing/test-skills.ts";

const harness = operatorHarness();

const shred = (text = "a.txt") => call("shred", { text });
const finish = say("Finished.");

describe("a risky call", () => {
  it("pauses the run with a preview, and runs after a person's approval", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]));
    const waiting = await opened.ask("shred a.txt");
    expect(waiting).toMatchObject({
      status: "waiting",
      pending: { kind: "approval", tool: "shred", title: "Shred a.txt?" },
    });
    expect(await executedCalls(harness.home.journal)).toEqual([]);
    const approval = await opened.persistent.store.approval(approvalOf(waiting));
    expect(approval).toMatchObject({
      args: { text: "a.txt" },
      risk: "high",
      status: "pending",
      grantOffer: { pathPrefix: "out/" },
    });
    expect(await decideAndWait(opened, waiting, "once")).toMatchObject({
      status: "ended",
      outcome: "answered",
    });
    expect(await executedCalls(harness.home.journal)).toEqual(["shredded a.txt"]);
    expect(await opened.audited("approval_decided")).toMatchObject([{ decision: "once", skill: "shred" }]);
    expect(await opened.audited("skill_called")).toMatchObject([
      { skill: "shred", allowedBy: "approval", success: true },
    ]);
  });

  it("asks again for the same call after an approval for once", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), shred(), finish]));
    const first = await opened.ask("shred twice");
    const second = await decideAndWait(opened, first, "once");
    expect(second.status).toBe("waiting");
    expect(approvalOf(second)).not.toBe(approvalOf(first));
  });

  it("does not ask again for exactly the same call after an approval for the run", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), shred(), shred("b.txt"), finish]));
    const again = await decideAndWait(opened, await opened.ask("shred"), "run");
    expect(again).toMatchObject({ status: "waiting", pending: { title: "Shred b.txt?" } });
    expect(await executedCalls(harness.home.journal)).toEqual(["shredded a.txt", "shredded a.txt"]);
    const other = await opened.ask("shred again");
    expect(other).toMatchObject({ status: "waiting", pending: { title: "Shred a.txt?" } });
  });

  it("does not ask in later runs after “always”, until the permission is revoked", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), shred("b.txt"), finish]));
    expect(await decideAndWait(opened, await opened.ask("shred"), "always")).toMatchObject({
      outcome: "answered",
    });
    expect(await opened.ask("shred again")).toMatchObject({ outcome: "answered" });
    expect((await opened.audited("skill_called"))[0]).toMatchObject({ allowedBy: "grant" });
    const [grant] = await opened.persistent.store.grants();
    expect(grant).toMatchObject({ skill: "shred", pathPrefix: "out/" });
    await opened.persistent.store.revokeGrant(grant?.id ?? "");
    expect((await opened.ask("shred once more")).status).toBe("waiting");
  });

  it("reports the person's reason for a refusal to the planner, and is not requested again", async () => {
    const reasons: unknown[] = [];
    const opened = await harness.home.open(
      scriptedPlanner([
        shred(),
        (state) => {
          reasons.push(lastObservation(state)?.error);
          return shred();
        },
        finish,
      ]),
    );
    const run = await decideAndWait(opened, await opened.ask("shred"), "deny", "it is the only copy");
    expect(run).toMatchObject({ status: "ended", outcome: "answered" });
    expect(reasons).toMatchObject([
      { code: "APPROVAL_DENIED", message: expect.stringContaining("it is the only copy") as unknown },
    ]);
    expect(run.scratchpad.map((entry) => entry.observation?.error?.code)).toEqual([
      "APPROVAL_DENIED",
      "APPROVAL_DENIED",
    ]);
    expect(await executedCalls(harness.home.journal)).toEqual([]);
  });

  it("asks again if the call would now do something else", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]));
    const waiting = await opened.ask("shred");
    await appendFile(harness.home.journal, "somebody was here\n");
    const again = await decideAndWait(opened, waiting, "once");
    expect(again.status).toBe("waiting");
    expect((await opened.persistent.store.approval(approvalOf(again))).preview.facts).toEqual([
      { label: "done before", value: "1" },
    ]);
    expect(await decideAndWait(opened, again, "once")).toMatchObject({ outcome: "answered" });
    expect(await executedCalls(harness.home.journal)).toEqual(["somebody was here", "shredded a.txt"]);
  });

  it("does not ask again if only a fact differs that changes with time", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("launch", { text: "a" }), finish]));
    const waiting = await opened.ask("launch a");
    const { preview } = await opened.persistent.store.approval(approvalOf(waiting));
    expect(preview.facts).toMatchObject([{ label: "assessed", varies: true }]);
    expect(await decideAndWait(opened, waiting, "once")).toMatchObject({ outcome: "answered" });
  });

  it("can never be allowed permanently if it is critical", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("launch"), finish]));
    const waiting = await opened.ask("launch");
    expect(await opened.persistent.store.approval(approvalOf(waiting))).not.toHaveProperty("grantOffer");
    await expect(opened.operator.decide(approvalOf(waiting), "always")).rejects.toThrow(ConflictError);
    expect(await decideAndWait(opened, waiting, "once")).toMatchObject({ outcome: "answered" });
  });

  it("is denied without asking at trust level observe, by the profile's current settings", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]));
    const denied = await opened.ask("shred", { trustLevel: "observe" });
    expect(denied.scratchpad[0]?.observation?.error?.code).toBe("POLICY_DENIED");
    const waiting = await opened.ask("shred");
    opened.settle({ trustLevel: "observe" });
    // Nothing may record as allowed what is forbidden; the call waits until it is denied, or permitted again.
    await expect(opened.operator.decide(approvalOf(waiting), "once")).rejects.toThrow(PolicyDeniedError);
    expect(await opened.persistent.store.approval(approvalOf(waiting))).toMatchObject({ status: "pending" });
    expect(await executedCalls(harness.home.journal)).toEqual([]);
    expect(await decideAndWait(opened, waiting, "deny")).toMatchObject({ status: "ended" });
  });
});

describe("a decision", () => {
  it("is made once", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]));
    const waiting = await opened.ask("shred");
    await decideAndWait(opened, waiting, "once");
    await expect(opened.operator.decide(approvalOf(waiting), "deny")).rejects.toThrow(ConflictError);
    await expect(opened.operator.decide(`appr-${"0".repeat(26)}`, "once")).rejects.toThrow(NotFoundError);
  });

  it("is cancelled with the run", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]));
    const waiting = await opened.ask("shred");
    expect(await opened.operator.cancel(waiting.id)).toMatchObject({ status: "ended", outcome: "cancelled" });
    expect((await opened.persistent.store.approval(approvalOf(waiting))).status).toBe("withdrawn");
    await expect(opened.operator.decide(approvalOf(waiting), "once")).rejects.toThrow(ConflictError);
    expect(await executedCalls(harness.home.journal)).toEqual([]);
  });

  it("survives a restart and continues in the new process", async () => {
    const first = await harness.home.open(scriptedPlanner([shred(), finish]));
    const waiting = await first.ask("shred");
    await first.close();
    const second = await harness.home.open(scriptedPlanner([shred(), finish]));
    expect(await second.persistent.store.run(waiting.id)).toEqual(waiting);
    expect(await decideAndWait(second, waiting, "once")).toMatchObject({ outcome: "answered" });
    expect(await executedCalls(harness.home.journal)).toEqual(["shredded a.txt"]);
  });
});

describe("a question to the person", () => {
  const asks = call("ask_user", { question: "Where to?", options: ["out", "notes"] });
  const repeats = scriptedPlanner([
    asks,
    (state) => say(`To ${String(lastObservation(state)?.outputs?.["answer"])}.`),
  ]);

  it("pauses the run; the planner observes the reply", async () => {
    const opened = await harness.home.open(repeats);
    const waiting = await opened.ask("put it somewhere");
    expect(waiting).toMatchObject({
      status: "waiting",
      pending: { kind: "question", question: "Where to?", options: ["out", "notes"] },
    });
    await opened.operator.answer(waiting.id, "notes, please");
    expect(await opened.operator.settled(waiting.id)).toMatchObject({
      outcome: "answered",
      result: "To notes, please.",
    });
    await expect(opened.operator.answer(waiting.id, "out")).rejects.toThrow(ConflictError);
  });

  it("survives a restart", async () => {
    const first = await harness.home.open(repeats);
    const waiting = await first.ask("put it somewhere");
    await first.close();
    const second = await harness.home.open(repeats);
    await second.operator.answer(waiting.id, "out");
    expect(await second.operator.settled(waiting.id)).toMatchObject({
      outcome: "answered",
      result: "To out.",
    });
  });

  it("is not resolved by a decision, nor an approval by an answer", async () => {
    const opened = await harness.home.open(scriptedPlanner([shred(), finish]));
    const waiting = await opened.ask("shred");
    await expect(opened.operator.answer(waiting.id, "yes")).rejects.toThrow(ConflictError);
  });
});
