import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentCopies } from "../agents/agent-copies.ts";
import type { AgentStore } from "../agents/open-agent-store.ts";
import type { RunCopies } from "../runs/run-copies.ts";
import type { RunStore } from "../runs/run-store.ts";
import {
  answered,
  approvalFor,
  changeIdle,
  ended,
  modelCall,
  planned,
  running,
} from "../runs/store-fixtures.ts";

/** An empty profile: its stores, and their exports and imports. */
export interface CopiesPlace {
  runs: RunStore;
  runCopies: RunCopies;
  agents: AgentStore;
  agentCopies: AgentCopies;
}

export interface CopiesHarness {
  from: CopiesPlace;
  to: CopiesPlace;
  close(): Promise<void>;
}

/** Tests the contracts of `RunCopies` and `AgentCopies`. */
export function describeCopies(name: string, makeHarness: () => Promise<CopiesHarness>): void {
  describe(`copies of runs and agents ${name}`, () => {
    let harness: CopiesHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.close());

    async function moveRuns(): Promise<void> {
      const { from, to } = harness;
      for await (const id of from.runCopies.conversationIds())
        await to.runCopies.restoreConversation(await from.runCopies.conversation(id), { retitle: false });
      for await (const id of from.runCopies.runIds())
        await to.runCopies.restoreRun(await from.runCopies.run(id));
      for (const grant of await from.runCopies.grants()) await to.runCopies.restoreGrant(grant);
    }

    it("restore an ended run completely, once", async () => {
      const { from, to } = harness;
      const run = await running(from.runs, "what's in out?");
      await from.runs.recordModelCall(run.claim, modelCall(1, ["You plan.", "what's in out?"]));
      await from.runs.append(run.claim, [answered("Nothing."), ended]);
      const at = "2026-11-20T09:30:00.000Z";
      await from.runs.giveFeedback(run.id, { verdict: "useful", at });
      await from.runs.pinConversation(run.conversationId, true);
      const conversation = await from.runCopies.conversation(run.conversationId);
      const copy = await from.runCopies.run(run.id);
      expect(await to.runCopies.compareConversation(conversation)).toEqual({ kind: "new" });
      expect(await to.runCopies.compareRun(copy)).toEqual({ kind: "new" });
      await moveRuns();
      expect(await to.runs.run(run.id)).toEqual(await from.runs.run(run.id));
      expect(await to.runs.modelCalls(run.id)).toEqual(await from.runs.modelCalls(run.id));
      expect(await to.runs.feedback(run.id)).toEqual({ verdict: "useful", at });
      expect(await to.runs.messages(run.conversationId)).toEqual(
        await from.runs.messages(run.conversationId),
      );
      expect(await to.runs.conversation(run.conversationId)).toMatchObject({ pinned: true });
      expect(await to.runCopies.compareConversation(conversation)).toEqual({ kind: "same" });
      expect(await to.runCopies.compareRun(copy)).toEqual({ kind: "same" });
      const last = copy.events.at(-1);
      if (!last) throw new Error("the copy is empty");
      const newer = { ...copy, events: [...copy.events, { ...last, seq: last.seq + 1 }] };
      expect(await to.runCopies.compareRun(newer)).toEqual({
        kind: "conflict",
        reason: "it has 1 event more than here",
      });
      await to.runs.renameConversation(run.conversationId, "Another title");
      expect(await to.runCopies.compareConversation(conversation)).toMatchObject({ kind: "conflict" });
    });

    it("restore a run that had not ended as interrupted, without its permissions", async () => {
      const { from, to } = harness;
      const run = await running(from.runs, "delete out/a.txt");
      const approval = approvalFor(run, 1, "1");
      await from.runs.append(run.claim, [planned(1), { type: "approval-requested", step: 1, approval }]);
      await changeIdle(from.runs, run.id, [
        { type: "approval-resolved", step: 1, approvalId: approval.id, decision: "always" },
      ]);
      await moveRuns();
      expect(await to.runs.run(run.id)).toMatchObject({ status: "interrupted" });
      expect(await to.runs.request(run.id)).toMatchObject({ restored: true });
      expect(await to.runs.claim({ maxConcurrent: 9, adopt: true })).toBeUndefined();
      expect(await to.runs.approvalsOf(run.id)).toMatchObject([{ status: "withdrawn" }]);
      const [grant] = await from.runs.grants();
      expect(await to.runs.grants()).toEqual([grant]);
      expect(await to.runCopies.hasGrant(grant?.id ?? "")).toBe(true);
    });

    it("move runs in the state in which they are, with their permissions", async () => {
      const { from, to } = harness;
      const waiting = await running(from.runs, "delete out/a.txt");
      const approval = approvalFor(waiting, 1, "1");
      await from.runs.append(waiting.claim, [planned(1), { type: "approval-requested", step: 1, approval }]);
      const working = await running(from.runs, "what's in out?");
      const queued = await from.runs.create(await from.runs.request(waiting.id));
      for await (const id of from.runCopies.conversationIds())
        await to.runCopies.restoreConversation(await from.runCopies.conversation(id), { retitle: false });
      for await (const id of from.runCopies.runIds())
        await to.runCopies.migrateRun(await from.runCopies.run(id));
      for (const { id } of [waiting, working, queued]) {
        expect(await to.runCopies.run(id)).toEqual(await from.runCopies.run(id));
        expect(await to.runs.run(id)).toEqual(await from.runs.run(id));
        expect(await to.runs.approvalsOf(id)).toEqual(await from.runs.approvalsOf(id));
      }
      // As after the end of its process.
      expect((await to.runs.interruptLost()).map(({ run }) => run)).toMatchObject([
        { id: working.id, status: "interrupted" },
      ]);
      expect(await to.runs.claim({ maxConcurrent: 9, adopt: true })).toMatchObject({
        run: { id: queued.id },
      });
    });

    it("add unknown runs of an agent with their log, and a missing memo", async () => {
      const { from, to } = harness;
      const run = await from.agents.begin("librarian", "person");
      await from.agents.note(run.id, "info", "Looked through everything.");
      await from.agents.saveMemo(run.id, { through: "evt-1" });
      const [copy] = await from.agentCopies.all();
      if (!copy) throw new Error("the agent is missing");
      expect(await to.agentCopies.isNew(copy)).toBe(true);
      await to.agentCopies.restore(copy);
      expect(await to.agentCopies.isNew(copy)).toBe(false);
      expect(await to.agents.last("librarian")).toMatchObject({ id: run.id, status: "interrupted" });
      expect(await to.agents.log("librarian", { limit: 9 })).toMatchObject({ total: 1 });
      expect(await to.agents.memo("librarian")).toEqual({ through: "evt-1" });
      await to.agentCopies.restore({ ...copy, memo: { through: "evt-0" } });
      expect(await to.agents.memo("librarian")).toEqual({ through: "evt-1" });
    });
  });
}
