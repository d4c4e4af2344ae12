import { describe, expect, it } from "vitest";
import { widenGuide, withoutRepeats } from "./widen-guide.ts";

const task = (title: string, priority = "P1"): string =>
  `Create a task (task_create): title = ${title}, priority = ${priority}`;

describe("a guide and its second example", () => {
  it("makes a parameter of a constant that differs, with both as examples", () => {
    expect(
      widenGuide(
        { steps: [task("Order epoxy for kayak")], parameters: [] },
        { steps: [task("Order oil for bike")], parameters: [] },
      ),
    ).toEqual({
      change: {
        steps: [task("${title}")],
        parameters: [
          {
            name: "title",
            type: "string",
            description: "For example: Order epoxy for kayak; Order oil for bike",
            required: false,
          },
        ],
      },
      reason: "Title was different.",
    });
  });

  it("is one function however often a call is repeated", () => {
    const read = "Read a file (fs_read): path = ${path}";
    const known = { steps: [read, task("${title}"), task("${title2}")], parameters: [] };
    const next = { steps: [read, task("${title}"), task("${title2}"), task("${title3}")], parameters: [] };
    expect(widenGuide(known, next)?.change.steps).toEqual([read, `For each one: ${task("${title}")}`]);
    expect(withoutRepeats(["fs_read", "task_create", "task_create", "fs_read"])).toEqual([
      "fs_read",
      "task_create",
      "fs_read",
    ]);
  });

  it("keeps steps that somebody else worded", () => {
    expect(
      widenGuide({ steps: ["Look around"], parameters: [] }, { steps: [task("a")], parameters: [] }),
    ).toBe(undefined);
  });
});
