import { describe, expect, it } from "vitest";
import { runStages } from "./schedule.mjs";

type Stage = Parameters<typeof runStages>[0][number];

/** A stage that ends on request, and the order in which stages started. */
function setUp() {
  const started: string[] = [];
  const ends = new Map<string, (ok: boolean) => void>();
  const stage = (name: string, rest: Partial<Stage> = {}): Stage => ({
    name,
    slots: 1,
    run: () => {
      started.push(name);
      return new Promise((resolve) => ends.set(name, (ok) => resolve({ ok })));
    },
    ...rest,
  });
  const end = async (name: string, ok = true) => {
    ends.get(name)?.(ok);
    await new Promise(setImmediate);
  };
  return { started, stage, end };
}

describe("stages", () => {
  it("run side by side up to the capacity, in the order listed", async () => {
    const { started, stage, end } = setUp();
    const all = runStages([stage("a"), stage("b"), stage("c")], 2, () => undefined);
    expect(started).toEqual(["a", "b"]);
    await end("b");
    expect(started).toEqual(["a", "b", "c"]);
    await end("a");
    await end("c");
    expect((await all).map((entry) => entry.stage.name)).toEqual(["b", "a", "c"]);
  });

  it("with 0 slots do not count, and one with all slots runs alone", async () => {
    const { started, stage, end } = setUp();
    const all = runStages(
      [stage("wait", { slots: 0 }), stage("a"), stage("all", { slots: 2 })],
      2,
      () => undefined,
    );
    expect(started).toEqual(["wait", "a"]);
    await end("a");
    expect(started).toEqual(["wait", "a", "all"]);
    await end("all");
    await end("wait");
    expect(await all).toHaveLength(3);
  });

  it(`wait for stages in "after" even if they fail, and are skipped if a stage in "needs" fails`, async () => {
    const { started, stage, end } = setUp();
    const shown: string[] = [];
    const stages = [stage("build"), stage("lint", { after: ["build"] }), stage("e2e", { needs: ["build"] })];
    const all = runStages(stages, 2, ({ stage: { name }, result }) =>
      shown.push(`${name} ${result.ok} ${result.note}`),
    );
    expect(started).toEqual(["build"]);
    await end("build", false);
    expect(started).toEqual(["build", "lint"]);
    await end("lint");
    await all;
    expect(started).toEqual(["build", "lint"]);
    expect(shown).toEqual([
      "build false undefined",
      "e2e false not run: build failed",
      "lint true undefined",
    ]);
  });

  it("do not wait for unknown stages", async () => {
    const { started, stage, end } = setUp();
    const all = runStages([stage("lint", { after: ["site"] })], 2, () => undefined);
    expect(started).toEqual(["lint"]);
    await end("lint");
    await all;
  });

  it("that wait for each other cause an error", async () => {
    const { stage } = setUp();
    const circle = [stage("a", { needs: ["b"] }), stage("b", { needs: ["a"] })];
    await expect(runStages(circle, 2, () => undefined)).rejects.toThrow("a, b");
  });
});
