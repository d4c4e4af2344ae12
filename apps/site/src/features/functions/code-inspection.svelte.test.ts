import type { CodeInspection, CodeToInspect } from "@metahuman/core/contract/code-inspection";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { inspectionSentence } from "./function-labels.ts";
import { CodeInspector } from "./code-inspection.svelte.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const code = (source: string): CodeToInspect => ({ source, tests: "", grants: [], parameters: [] });
const finding = (message: string): CodeInspection => ({
  problems: [{ check: "types", message }],
  ungranted: ["fs_read"],
});

/** A server whose inspections the test answers. */
function readings() {
  const asked: { source: string; give: PromiseWithResolvers<CodeInspection> }[] = [];
  const inspection = new CodeInspector(({ source }) => {
    const give = Promise.withResolvers<CodeInspection>();
    asked.push({ source, give });
    return give.promise;
  });
  const rest = () => vi.runAllTimersAsync();
  return { asked, inspection, rest };
}

describe("code that is checked while it is typed", () => {
  it("is checked when typing pauses, not at every key", async () => {
    const { asked, inspection, rest } = readings();
    for (const typed of ["a", "ab", "abc"]) {
      inspection.setCode(code(typed));
      await vi.advanceTimersByTimeAsync(100);
    }
    await rest();
    expect(asked.map(({ source }) => source)).toEqual(["abc"]);
    asked[0]?.give.resolve(finding("wrong"));
    await rest();
    expect(inspection.problems).toEqual([{ check: "types", message: "wrong" }]);
    expect(inspection.ungranted).toEqual(["fs_read"]);
    expect(inspectionSentence(inspection)).toBe("1 problem in code and tests.");
  });

  it("shows no result for an older text, and checks the newest one after the running check", async () => {
    const { asked, inspection, rest } = readings();
    inspection.setCode(code("old"));
    await rest();
    inspection.setCode(code("newer"));
    await rest();
    inspection.setCode(code("newest"));
    await rest();
    expect(asked).toHaveLength(1);
    asked[0]?.give.resolve(finding("of the old"));
    await rest();
    expect(inspection.problems).toEqual([]);
    expect(asked.map(({ source }) => source)).toEqual(["old", "newest"]);
    asked[1]?.give.resolve(finding("of the newest"));
    await rest();
    expect(inspection).toMatchObject({ behind: false, problems: [{ message: "of the newest" }] });
  });

  it("reports a failed check, and keeps the known problems", async () => {
    const { asked, inspection, rest } = readings();
    inspection.setCode(code("one"));
    await rest();
    asked[0]?.give.resolve(finding("still there"));
    await rest();
    inspection.setCode(code("two"));
    await rest();
    asked[1]?.give.reject(new Error("gone"));
    await rest();
    expect(inspectionSentence(inspection)).toContain("could not be checked just now");
    expect(inspection.problems).toHaveLength(1);
  });

  it("is not checked after its editor is closed", async () => {
    const { asked, inspection, rest } = readings();
    inspection.setCode(code("typed"));
    inspection.stop();
    await rest();
    expect(asked).toEqual([]);
  });
});
