import type { AuditEntry } from "@metahuman/core/contract/audit";
import { expect, it } from "vitest";
import { auditSummary, AuditStream } from "./audit-stream.svelte.ts";
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
    /^decision deny · path notes\/a\.md · reason not yet · skill fs_delete · approval id appr-1/,
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
