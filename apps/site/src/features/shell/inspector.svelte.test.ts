import { describe, expect, it } from "vitest";
import { RunState } from "../runs/run-state.svelte.ts";
import { OTHER_RUN, RUN, runOf, summaryOf } from "../../lib/testing/fixtures.ts";
import { themeFrom } from "./appearance.svelte.ts";
import { Inspector } from "./inspector.svelte.ts";

const run = new RunState(runOf(summaryOf(RUN)));
const other = new RunState(runOf(summaryOf(OTHER_RUN)));

describe("Inspector", () => {
  it("opens a step on its own tab, and a run on the last used tab", () => {
    const inspector = new Inspector();
    inspector.show({ run });
    expect(inspector.tab).toBe("run");
    inspector.show({ run, step: 2 });
    expect([inspector.tab, inspector.subject?.step]).toEqual(["step", 2]);
    // For a whole run there is no step to show.
    inspector.show({ run: other });
    expect([inspector.tab, inspector.subject?.run]).toEqual(["run", other]);
    inspector.tab = "context";
    inspector.show({ run });
    expect(inspector.tab).toBe("context");
  });

  it("explains the requested function or memory of the context, until the subject changes", () => {
    const inspector = new Inspector();
    inspector.show({ run, step: 1 });
    inspector.explain(run, "func-20261123-abcdef");
    expect(inspector.tab).toBe("context");
    expect(inspector.subject).toEqual({ run, about: "func-20261123-abcdef" });
    inspector.explain(run);
    expect(inspector.subject).toEqual({ run });
    inspector.close();
    expect(inspector.subject).toBeUndefined();
  });
});

describe("themeFrom", () => {
  it.each([
    ["light", "light"],
    ["dark", "dark"],
    ["sepia", "system"],
    [undefined, "system"],
  ])("parses the cookie %j as %s", (cookie, theme) => {
    expect(themeFrom(cookie)).toBe(theme);
  });
});
