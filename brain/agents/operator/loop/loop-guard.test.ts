import { describe, expect, it } from "vitest";
import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { Action, Observation, ScratchpadEntry } from "@metahuman/core/contract/run";
import { guardAgainstLoops } from "./loop-guard.ts";

const read = (path: string): Action => ({ tool: "fs_read", args: { path } });
const worked = (content: string): Observation => ({
  mode: "verbatim",
  content,
  success: true,
  outputs: { content },
});
const failed = (code: ErrorCode = "FILE_NOT_FOUND"): Observation => ({
  mode: "narrative",
  content: "no",
  success: false,
  error: { code, message: "no" },
});

function pad(...calls: [action: Action, observation: Observation][]): ScratchpadEntry[] {
  return calls.map(([action, observation], index) => ({
    step: index + 1,
    thought: "again",
    action,
    observation,
    timestamp: "2026-11-20T09:30:00.000Z",
  }));
}

describe("a call that failed", () => {
  it.each([0, 1])("may be tried %i times", (times) => {
    const before = pad(
      ...Array.from({ length: times }, () => [read("a"), failed()] as [Action, Observation]),
    );
    expect(guardAgainstLoops(read("a"), before).kind).toBe("continue");
  });

  it("is refused once after two failures with the same arguments, and then the run is stuck", () => {
    const twice = pad([read("a"), failed()], [read("b"), worked("b")], [read("a"), failed("TIMEOUT")]);
    expect(guardAgainstLoops(read("a"), twice)).toMatchObject({
      kind: "refuse",
      reason: expect.stringContaining("2 times") as unknown,
    });
    const entries = [...twice, ...pad([read("a"), failed("LOOP_DETECTED")])];
    expect(guardAgainstLoops(read("a"), entries).kind).toBe("stuck");
  });

  it("does not block other arguments after two failures", () => {
    const before = pad([read("a"), failed()], [read("a"), failed()], [read("a"), failed("LOOP_DETECTED")]);
    expect(guardAgainstLoops(read("b"), before).kind).toBe("continue");
  });
});

describe("a call that succeeded", () => {
  it("may be repeated if there is a new observation in between", () => {
    const before = pad(
      [read("a"), worked("1")],
      [read("a"), worked("2")],
      [read("a"), worked("3")],
      [read("a"), worked("4")],
    );
    expect(guardAgainstLoops(read("a"), before).kind).toBe("continue");
  });

  it("is refused after three times with nothing new", () => {
    const before = pad([read("a"), worked("1")], [read("a"), worked("1")], [read("a"), worked("1")]);
    expect(guardAgainstLoops(read("a"), before.slice(0, 2)).kind).toBe("continue");
    expect(guardAgainstLoops(read("a"), before).kind).toBe("refuse");
  });

  it("is refused if it alternates with another one", () => {
    const round: [Action, Observation][] = [
      [read("a"), worked("1")],
      [read("b"), worked("2")],
    ];
    expect(guardAgainstLoops(read("a"), pad(...round, ...round)).kind).toBe("continue");
    expect(guardAgainstLoops(read("a"), pad(...round, ...round, ...round, ...round)).kind).toBe("refuse");
  });
});

it("is recognized whatever the order of its arguments", () => {
  const one = { tool: "fs_write", args: { path: "a", content: "x" } };
  const other = { tool: "fs_write", args: { content: "x", path: "a" } };
  const before = pad([one, failed()], [other, failed()]);
  expect(guardAgainstLoops(one, before).kind).toBe("refuse");
});
