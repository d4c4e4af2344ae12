import { describe, expect, it } from "vitest";
import { z } from "zod";
import { stageBeforeAll } from "../support/before-all.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { act, play, purposeOf, type ModelStage } from "../support/model-stage.ts";

let stage: ModelStage;
stageBeforeAll((opened) => (stage = opened));

const says = (answer: string): ChatScript => ({ json: { thought: "Known.", respond: true, answer } });
const promptOf = ({ messages }: SeenRequest): string => messages.map(({ content }) => content).join("\n");

describe("a planner's prompt, besides the request,", () => {
  const shown = (): string =>
    stage.models
      .chats()
      .filter((request) => purposeOf(request) === "plan")
      .map(promptOf)
      .at(-1) ?? "";

  it("lists the open tasks with their ids, and states which priority is the most urgent", async () => {
    await stage.set({ answer: play([act("task_create", { title: "Fix the fence" })]) });
    const { runId } = await stage.ask("put fixing the fence on my list pls");
    const { task } = z
      .object({ task: z.object({ id: z.string() }) })
      .parse((await stage.run(runId)).scratchpad[0]?.observation?.outputs);
    await stage.set({ answer: () => says("It is on your list.") });
    await stage.ask("so whats with that fence thing, is it urgent?");
    expect(shown()).toContain(task.id);
    expect(shown()).toContain("P0 (urgent)–P3");
  });

  it("counts the files of the workspace again after each change", async () => {
    await stage.set({ answer: play([act("fs_write", { path: "out/counted.md", content: "a" })]) });
    await stage.ask("make me a file counted.md with an a in it, then say how many there are");
    const counts = stage.models
      .chats()
      .filter((request) => purposeOf(request) === "plan")
      .map((request) => Number(/out\/ \((\d+) entr/u.exec(promptOf(request))?.[1]));
    expect(counts).toHaveLength(2);
    expect(counts[1]).toBe((counts[0] ?? 0) + 1);
  });

  it("omits a failed call that a later call of the same skill on the same target corrected", async () => {
    await stage.set({ answer: play([act("fs_read", { path: "out/fence-prices.md" })]) });
    await stage.ask("look into fence-prices for me");
    await stage.set({ answer: () => says("Nothing.") });
    await stage.ask("whats new with you then");
    expect(shown()).toMatch(/failed: .*fence-prices/u);
    await stage.set({
      answer: play([
        act("fs_write", { path: "out/fence-prices.md", content: "40 a metre" }),
        act("fs_read", { path: "fence-prices.md" }),
      ]),
    });
    await stage.ask("write 40 a metre into fence-prices and read it");
    await stage.set({ answer: () => says("Nothing.") });
    await stage.ask("whats new with you then");
    expect(shown()).not.toMatch(/failed: .*fence-prices/u);
  });

  it("still shows the failed call when a later call of the same skill concerned another target", async () => {
    await stage.set({
      answer: play([
        act("fs_read", { path: "out/missing-rates.md" }),
        act("fs_write", { path: "out/other-rates.md", content: "a" }),
        act("fs_read", { path: "out/other-rates.md" }),
      ]),
    });
    await stage.ask("look into missing-rates, else write other-rates and read it");
    await stage.set({ answer: () => says("Nothing.") });
    await stage.ask("whats new with you then");
    expect(shown()).toMatch(/failed: .*missing-rates/u);
  });
});
