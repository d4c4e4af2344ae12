import { describe, expect, it } from "vitest";
import { z } from "zod";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { act, play, purposeOf, type ModelHarness } from "../support/model-harness.ts";

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const says = (answer: string): ChatScript => ({ json: { thought: "Known.", respond: true, answer } });
const promptOf = ({ messages }: SeenRequest): string => messages.map(({ content }) => content).join("\n");

describe("a planner's prompt, besides the request,", () => {
  const shown = (): string =>
    harness.models
      .chats()
      .filter((request) => purposeOf(request) === "plan")
      .map(promptOf)
      .at(-1) ?? "";

  it("lists the open tasks with their ids, and states which priority is the most urgent", async () => {
    await harness.set({ answer: play([act("task_create", { title: "Fix the fence" })]) });
    const { runId } = await harness.ask("put fixing the fence on my list pls");
    const { task } = z
      .object({ task: z.object({ id: z.string() }) })
      .parse((await harness.run(runId)).scratchpad[0]?.observation?.outputs);
    await harness.set({ answer: () => says("It is on your list.") });
    await harness.ask("so whats with that fence thing, is it urgent?");
    expect(shown()).toContain(task.id);
    expect(shown()).toContain("P0 (urgent)–P3");
  });

  it("counts the files of the workspace again after each change", async () => {
    await harness.set({ answer: play([act("fs_write", { path: "out/counted.md", content: "a" })]) });
    await harness.ask("make me a file counted.md with an a in it, then say how many there are");
    const counts = harness.models
      .chats()
      .filter((request) => purposeOf(request) === "plan")
      .map((request) => Number(/out\/ \((\d+) entr/u.exec(promptOf(request))?.[1]));
    expect(counts).toHaveLength(2);
    expect(counts[1]).toBe((counts[0] ?? 0) + 1);
  });

  it("omits a failed call that a later call of the same skill on the same target corrected", async () => {
    await harness.set({ answer: play([act("fs_read", { path: "out/fence-prices.md" })]) });
    await harness.ask("look into fence-prices for me");
    await harness.set({ answer: () => says("Nothing.") });
    await harness.ask("whats new with you then");
    expect(shown()).toMatch(/failed: .*fence-prices/u);
    await harness.set({
      answer: play([
        act("fs_write", { path: "out/fence-prices.md", content: "40 a metre" }),
        act("fs_read", { path: "fence-prices.md" }),
      ]),
    });
    await harness.ask("write 40 a metre into fence-prices and read it");
    await harness.set({ answer: () => says("Nothing.") });
    await harness.ask("whats new with you then");
    expect(shown()).not.toMatch(/failed: .*fence-prices/u);
  });

  it("still shows the failed call when a later call of the same skill concerned another target", async () => {
    await harness.set({
      answer: play([
        act("fs_read", { path: "out/missing-rates.md" }),
        act("fs_write", { path: "out/other-rates.md", content: "a" }),
        act("fs_read", { path: "out/other-rates.md" }),
      ]),
    });
    await harness.ask("look into missing-rates, else write other-rates and read it");
    await harness.set({ answer: () => says("Nothing.") });
    await harness.ask("whats new with you then");
    expect(shown()).toMatch(/failed: .*missing-rates/u);
  });
});
