import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { approvalFor, planned, requestFor, started } from "../runs/store-fixtures.ts";
import { fillState, openSpace, zipOf, type Space } from "./testing/open-space.ts";

const { signal } = new AbortController();
const applying = { apply: true, replace: false, mayOpenFolders: true, signal };
const looking = { ...applying, apply: false };
const bytes = (zip: Buffer) => Readable.from([zip]);

let from: Space;

beforeEach(async () => {
  from = await openSpace();
});
afterEach(() => from.close());

describe("runs that are restored", () => {
  const RUN = `run-${"0".repeat(26)}`;
  const CONVERSATION = `conv-${"0".repeat(26)}`;
  const at = "2026-01-01T00:00:00.000Z";
  const stamp = (seq: number) => ({ runId: RUN, seq, at });
  const conversation = JSON.stringify({
    id: CONVERSATION,
    title: "Theirs",
    createdAt: at,
    updatedAt: at,
    messages: [{ id: `${RUN}-person`, role: "person", text: "go", runId: RUN, createdAt: at }],
  });
  const run = (events: object[]) =>
    JSON.stringify({
      id: RUN,
      conversationId: CONVERSATION,
      createdAt: at,
      request: requestFor("go", CONVERSATION),
      events,
      modelCalls: [],
    });
  const files = (events: object[]) => ({
    [`state/conversations/${CONVERSATION}.json`]: conversation,
    [`state/runs/${RUN}.json`]: run(events),
  });
  const begun = { ...started({ goal: "go", conversationId: CONVERSATION }), ...stamp(1) };
  const approval = { ...approvalFor({ id: RUN, createdAt: at }, 2, "b1"), tool: "fs_write" };

  it("execute nothing on their own, and nothing that was approved before", async () => {
    const allowed = [
      begun,
      { ...planned(2, "fs_write"), ...stamp(2) },
      { type: "approval-requested", step: 2, approval, ...stamp(3) },
      { type: "approval-resolved", step: 2, approvalId: approval.id, decision: "run", ...stamp(4) },
    ];
    await from.transfer.import(bytes(await zipOf(files(allowed))), { ...applying, replace: true });
    expect(await from.runs.run(RUN)).toMatchObject({ status: "interrupted" });
    expect(await from.runs.claim({ maxConcurrent: 9, adopt: true })).toBeUndefined();
    expect(await from.runs.approvalsOf(RUN)).toMatchObject([{ status: "withdrawn" }]);
    expect(await from.runs.grants()).toEqual([]);
    expect(await from.runs.request(RUN)).toMatchObject({ restored: true });
  });

  it("are refused if their events are foreign, out of order, or refer to other approvals", async () => {
    await fillState(from);
    const [taken] = (await from.runs.approvals({ limit: 1 })).items;
    const bad: [string, object[]][] = [
      ["belong to another run", [{ ...begun, seq: 2 }]],
      ["belong to another run", [{ ...begun, runId: `run-${"1".repeat(26)}` }]],
      [
        "never requested",
        [{ type: "approval-resolved", step: 1, approvalId: approval.id, decision: "once", ...stamp(1) }],
      ],
      [
        "another run",
        [{ type: "approval-requested", step: 1, approval: { ...approval, id: taken?.id }, ...stamp(1) }],
      ],
    ];
    for (const [reason, events] of bad) {
      const { items } = await from.transfer.import(bytes(await zipOf(files(events))), applying);
      expect(items.find(({ kind }) => kind === "run")).toMatchObject({
        outcome: "refused",
        reason: expect.stringContaining(reason) as unknown,
      });
    }
    const alone = await zipOf({ [`state/runs/${RUN}.json`]: run([begun]).replaceAll("conv-0", "conv-1") });
    expect((await from.transfer.import(bytes(alone), looking)).items).toMatchObject([
      { outcome: "refused", reason: "its conversation is not here" },
    ]);
    expect(await from.runs.hasRun(RUN)).toBe(false);
  });

  it("include permissions only for a new profile or on request", async () => {
    await from.tasks.create({ title: "already here" });
    const grant = { id: `grant-${"0".repeat(26)}`, skill: "fs_delete", pathPrefix: "out/", createdAt: at };
    const zip = await zipOf({ [`state/grants/${grant.id}.json`]: JSON.stringify(grant) });
    const { items } = await from.transfer.import(bytes(zip), applying);
    expect(items).toMatchObject([
      {
        kind: "grant",
        outcome: "conflicting",
        reason: "fs_delete may run without asking for everything in out/",
      },
    ]);
    expect(await from.runs.grants()).toEqual([]);
    await from.transfer.import(bytes(zip), { ...applying, replace: true });
    expect(await from.runs.grants()).toEqual([grant]);
  });
});
