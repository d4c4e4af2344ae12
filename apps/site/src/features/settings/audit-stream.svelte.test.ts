import type { AuditEntry } from "@metahuman/core/contract/audit";
import { expect, it } from "vitest";
import { auditQuery, auditSummary, AuditStream, eventWords } from "./audit-stream.svelte.ts";
import { AT } from "../../lib/testing/fixtures.ts";

const ENTRY: AuditEntry = { seq: 1, at: AT, event: "signed_in", details: {}, previous: "0".repeat(64) };

it("reports every entry and an unexpected end, but no pause", async () => {
  let changes = 0;
  const live = new AuditStream(
    async () => new Blob([`event: audit\ndata: ${JSON.stringify(ENTRY)}\n\n`]).stream(),
    () => (changes += 1),
  );
  await live.follow();
  // Once on arrival, once for the entry.
  expect([changes, live.isFollowing, live.problem?.text]).toEqual([
    2,
    false,
    "Live updates have ended. Choose Follow live to resume them.",
  ]);

  const paused = new AuditStream(
    async (signal) => {
      paused.pause();
      signal.throwIfAborted();
      return new ReadableStream();
    },
    () => undefined,
  );
  await paused.follow();
  expect([paused.isFollowing, paused.problem]).toEqual([false, undefined]);
});

it("starts with what distinguishes decisions", () => {
  const details = {
    approvalId: "appr-1",
    skill: "fs_delete",
    args: { path: "notes/a.md" },
    decision: "deny",
    reason: "not yet",
  };
  expect(auditSummary(details)).toMatch(
    /^decision deny · path notes\/a\.md · reason not yet · skill fs_delete$/,
  );
});

it("shows the previous and the new value of a setting", () => {
  expect(auditSummary({ trustLevel: { from: "observe", to: "suggest" } })).toBe(
    "trust level observe → suggest",
  );
});

it("is empty for an entry without details", () => {
  expect(auditSummary({})).toBe("nothing");
});

it("leaves out ids, success and what would show no value, and says no in words", () => {
  const run = {
    outcome: "answered",
    planner: "built-in",
    steps: [{ step: 1 }],
    functionsUsed: [],
    usage: {},
  };
  expect(auditSummary(run)).toBe("outcome answered · planner built-in · steps (1)");
  expect(auditSummary({ success: true, skill: "fs_list", args: {} })).toBe("skill fs_list");
  expect(auditSummary({ path: "out/a.md", bytes: 49, created: false })).toBe(
    "path out/a.md · 49 bytes · created no",
  );
  expect(auditSummary({ skill: "fs_read", success: false })).toBe("success no · skill fs_read");
});

it("words each event plainly, and finds it by these words", () => {
  expect(["skill_called", "react_scratchpad_snapshot"].map(eventWords)).toEqual([
    "skill called",
    "run ended",
  ]);
  expect(auditQuery("Run ended ")).toBe("react_scratchpad_snapshot");
  expect(auditQuery("out/fees.csv")).toBe("out/fees.csv");
});
