import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { patternFacts } from "@metahuman/core/memory/patterns/pattern-memory";
import { openTestPorts, type TestPorts } from "../operator/testing/test-ports.ts";
import { workHarness } from "../testing/work-once.ts";
import { createPatternMiner } from "./pattern-miner.ts";

let ports: TestPorts;
let count = 0;

beforeEach(async () => {
  ports = await openTestPorts();
});
afterEach(() => ports.close());

/** One exchange as the operator stores it, with the skill that followed. */
async function exchange(
  request: string,
  tool?: string,
  kind: "operator" | "import" = "operator",
): Promise<void> {
  count += 1;
  const source = { kind, runId: `run-${String(count).padStart(26, "0")}` } as const;
  if (tool !== undefined)
    await ports.memory.add(
      { type: "tool_invocation", content: `${tool}: done`, metadata: { toolName: tool, success: true } },
      { source: { ...source, kind: "tool" }, trust: "untrusted" },
    );
  await ports.memory.add(
    { type: "conversation", content: `Asked: ${request}\nAnswered: Done.` },
    { source, trust: "trusted" },
  );
}

const patterns = async () => (await ports.memory.list({ types: ["pattern"], limit: 50 })).items;
const miner = (threshold = 3) => createPatternMiner({ memory: ports.memory, threshold: () => threshold });

describe("the pattern miner", () => {
  it("stores one memory of a request that occurred three times, and then updates its count", async () => {
    const harness = workHarness();
    for (const name of ["sandwich", "tea"]) await exchange(`make ${name} file`, "fs_write");
    expect(await harness.work(miner())).toMatchObject({ changed: false });
    expect(await patterns()).toEqual([]);

    await exchange("make coffee file", "fs_write");
    expect(await harness.work(miner())).toMatchObject({ changed: true });
    const [first, ...others] = await patterns();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ type: "pattern", trust: "trusted", source: { kind: "agent" } });
    expect(first?.content).toContain("“make {words} file” was asked 3 times; fs_write followed.");
    expect(first && patternFacts(first)).toMatchObject({ occurrences: 3, skills: ["fs_write"] });
    expect(first?.links).toHaveLength(3);

    await exchange("make soup file", "fs_write");
    await harness.work(miner());
    const [second, ...more] = await patterns();
    expect(more).toEqual([]);
    expect(second?.id).toBe(first?.id);
    expect(second && patternFacts(second)?.occurrences).toBe(4);
  });

  it("changes nothing in a second pass", async () => {
    for (const name of ["a", "b", "c"]) await exchange(`read notes/${name}.md`, "fs_read");
    await workHarness().work(miner());
    const before = await patterns();
    expect(before).toHaveLength(1);
    expect(await workHarness().work(miner())).toMatchObject({ changed: false });
    expect(await patterns()).toEqual(before);
  });

  it("finds earlier patterns and more if the threshold is lowered", async () => {
    const harness = workHarness();
    for (const name of ["a", "b"]) await exchange(`read notes/${name}.md`, "fs_read");
    await harness.work(miner(3));
    expect(await patterns()).toHaveLength(0);
    await harness.work(miner(2));
    expect(await patterns()).toHaveLength(1);
  });

  it("keeps that a pattern was offered, however often it is asked for on later days", async () => {
    const harness = workHarness();
    for (const name of ["tea", "oil", "gas"]) await exchange(`make ${name} file`, "fs_write");
    await harness.work(miner());
    const [found] = await patterns();
    const offeredAt = "2026-11-25T09:00:00.000Z";
    const facts = found && patternFacts(found);
    await ports.memory.edit(found?.id ?? "", {
      metadata: { ...found?.metadata, pattern: { ...facts, offeredAt } },
    });
    for (const [later, name] of ["ink", "wax", "jam"].entries()) {
      await exchange(`make ${name} file`, "fs_write");
      await harness.work(miner());
      const [pattern, ...others] = await patterns();
      expect(others).toEqual([]);
      expect(pattern && patternFacts(pattern)).toMatchObject({ occurrences: 4 + later, offeredAt });
    }
  });

  it("does not restore what a person deleted", async () => {
    const harness = workHarness();
    for (const name of ["tea", "oil", "gas"]) await exchange(`make ${name} file`, "fs_write");
    await harness.work(miner());
    const [pattern] = await patterns();
    await ports.memory.forget(pattern?.id ?? "");
    await exchange("make ink file", "fs_write");
    expect(await harness.work(miner())).toMatchObject({ changed: false });
    expect(await patterns()).toEqual([]);
  });

  it("does not count imported requests as the person's own", async () => {
    for (const name of ["tea", "oil", "gas"]) await exchange(`make ${name} file`, "fs_write", "import");
    await workHarness().work(miner());
    expect((await patterns())[0]?.trust).toBe("untrusted");
  });

  it("finds repeated notes, but no long text and nothing from the web", async () => {
    const note = (content: string, kind: "user" | "tool" = "user") =>
      ports.memory.add({ type: "observation", content }, { source: { kind }, trust: "trusted" });
    for (let day = 1; day <= 3; day += 1) {
      await note(`slept badly after coffee, day ${String(day)}`);
      await note(`web page about tea, part ${String(day)}`, "tool");
      await note(`a long tale of walnuts ${"and more of them ".repeat(30)}${String(day)}`);
    }
    await workHarness().work(miner());
    const [only, ...others] = await patterns();
    expect(others).toEqual([]);
    expect(only?.content).toContain("“slept badly after coffee day {number}” was noted 3 times.");
  });

  it("does not count runs of functions, searches for them and direct calls as habits", async () => {
    for (const skill of ["function_run", "function_search", "function_curate"])
      for (const name of ["tea", "oil", "gas"]) await exchange(`order ${name} now with ${skill}`, skill);
    for (const name of ["tea", "oil", "gas"]) {
      const content = `Asked: brew ${name} by hand\nAnswered: Done.`;
      const origin = { source: { kind: "operator" }, trust: "trusted" } as const;
      await ports.memory.add({ type: "conversation", content, metadata: { direct: true } }, origin);
      await ports.memory.add(
        { type: "conversation", content: content.replace("brew", "replay"), context: { function: "fn-1" } },
        origin,
      );
    }
    expect(await workHarness().work(miner())).toMatchObject({ changed: false });
    expect(await patterns()).toEqual([]);
  });

  it("ends when it is aborted, and stores nothing", async () => {
    for (const name of ["tea", "oil", "gas"]) await exchange(`make ${name} file`, "fs_write");
    await expect(workHarness().work(miner(), AbortSignal.abort())).rejects.toThrow();
    expect(await patterns()).toEqual([]);
  });
});
