import { expect, it } from "vitest";
import { auditSummary } from "./audit-summary.ts";

it("begins with what tells one decision from another", () => {
  const details = {
    approvalId: "appr-1",
    skill: "fs_delete",
    args: { path: "notes/a.md" },
    decision: "deny",
    reason: "not yet",
  };
  expect(auditSummary(details)).toMatch(
    /^decision deny · path notes\/a\.md · reason not yet · skill fs_delete · approvalId appr-1/,
  );
});

it("shows what a setting was and what it is", () => {
  expect(auditSummary({ trustLevel: { from: "observe", to: "suggest" } })).toBe(
    "trustLevel observe → suggest",
  );
});

it("shows an entry without details as nothing", () => {
  expect(auditSummary({})).toBe("nothing");
});
