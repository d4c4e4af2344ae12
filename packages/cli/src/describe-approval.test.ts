import type { Approval } from "@metahuman/core/contract/approval";
import { describe, expect, it } from "vitest";
import { describeApproval } from "./describe-approval.ts";

const approval: Approval = {
  id: `appr-${"0".repeat(26)}`,
  runId: `run-${"0".repeat(26)}`,
  step: 1,
  tool: "git_commit",
  args: {},
  argsHash: "x",
  effect: "write",
  risk: "high",
  preview: {
    title: "Commit out/site/a.md?",
    patch: { text: "diff --git a/a.md b/a.md\n@@ -1 +1 @@\n-one\n+two\n", clipped: false },
    facts: [{ label: "message", value: "Say two" }],
  },
  grantOffer: { pathPrefix: "out/site/a.md" },
  status: "pending",
  createdAt: "2026-11-22T10:00:00.000Z",
};

describe("an approval in the terminal", () => {
  it("shows the diff of a commit and the scope of a standing permission", () => {
    expect(describeApproval(approval, 20)).toBe(`Commit out/site/a.md? (high risk)
  message: Say two
  diff --git a/a.md b/a.md
  @@ -1 +1 @@
  -one
  +two
  always: out/site/a.md`);
    expect(describeApproval(approval, 2)).toContain("  @@ -1 +1 @@\n  …\n");
  });

  it("says which request is undone, and that it can be undone itself", () => {
    const undo = {
      ...approval,
      canBeUndone: true,
      undoes: "set paid of Otto\nto yes",
      grantOffer: undefined,
    };
    expect(describeApproval(undo, 0)).toContain(`Commit out/site/a.md? (high risk, can be undone)
  undoes: “set paid of Otto to yes”
  message: Say two`);
  });

  it("starts with the changes since the call was allowed", () => {
    const again = {
      ...approval,
      changedSince: {
        approvalId: approval.id,
        changes: ["out/site/a.md changed"],
        diff: { before: "one", after: "two", clipped: false },
      },
    };
    expect(describeApproval(again, 20)).toContain(`
You allowed this call, but its target has changed since:
  out/site/a.md changed
  - one
  + two
What it would do now:
  message: Say two`);
  });

  it("indents the further lines of a fact", () => {
    const facts = [{ label: "next", value: "Monday at 9\nTuesday at 9" }];
    expect(describeApproval({ ...approval, preview: { title: "Schedule it?", facts } }, 20)).toContain(
      "  next: Monday at 9\n    Tuesday at 9\n",
    );
  });

  it("escapes control and bidirectional characters", () => {
    const sly = { ...approval, preview: { title: "Delete \u001B[2Kx\u202Ey\r?", facts: [] } };
    expect(describeApproval(sly, 20)).toContain("Delete <001B>[2Kx<202E>y<000D>? (high risk)");
  });
});
