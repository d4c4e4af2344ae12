import { expect, it } from "vitest";
import { auditSummary } from "./audit-summary.ts";

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
