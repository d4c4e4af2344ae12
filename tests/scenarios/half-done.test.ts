import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { verdicts } from "../support/model-server/server.ts";
import { act, finish, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// A model that does only a part of the request, or nothing, and claims that all of it is done. Its check of the answer
// agrees.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));
beforeEach(() => {
  harness.models.sentenceChecks.splice(0);
  harness.models.onSentenceCheck = (sentences) => verdicts(sentences, () => "general");
});

const isSentBack = ({ messages }: SeenRequest): boolean =>
  messages.some(({ content }) => content.includes("contains claims that no observation supports"));

/** Plans these calls, and the others after the answer was rejected; every answer is the same. */
function saying(answer: string, first: readonly ChatScript[], others: readonly ChatScript[] = []) {
  const [before, after] = [[...first], [...others]];
  return (request: SeenRequest): ChatScript => {
    if (purposeOf(request) !== "plan") return { say: answer };
    return (isSentBack(request) ? after : before).shift() ?? finish;
  };
}

const STOCK = "| item | count | price |\n|---|---|---|\n| bowl | 12 | 249 |\n| vase | 3 | 549 |\n";

async function given(path: string, content: string): Promise<void> {
  await mkdir(join(harness.profile, "out"), { recursive: true });
  await writeFile(join(harness.profile, "out", path), content);
}

describe("a table of which one cell was corrected", () => {
  const goal = "fix the table in stock.md: there are 15 bowls now, and the vase costs 499, not 549";
  const answer = "I changed stock.md: there are 15 bowls now [2] and the vase costs 499 [2].";
  const edit = (find: string, text: string) => act("fs_edit", { path: "stock.md", old: find, new: text });
  const first = [act("fs_read", { path: "stock.md" }), edit("| 12 |", "| 15 |")];

  it("is corrected in the other cell, too, once the answer is sent back", async () => {
    await given("stock.md", STOCK);
    await harness.set({ answer: saying(answer, first, [edit("| 549 |", "| 499 |")]) });
    const { runId, ...answered } = await harness.ask(goal);
    expect(answered).toMatchObject({ outcome: "answered", result: answer });
    expect(await readFile(join(harness.profile, "out/stock.md"), "utf8")).toContain("| vase | 3 | 499 |");
    expect((await harness.run(runId)).warnings).toEqual([]);
  });

  it("is not said to be corrected where the model insists", async () => {
    await given("stock.md", STOCK);
    // Another figure than before: the earlier answer is remembered, and would show this one.
    const other = (text: string): string => text.replaceAll("499", "479");
    await harness.set({ answer: saying(other(answer), first) });
    const { result } = await harness.ask(other(goal));
    expect(result).toContain("not confirmed");
  });
});

describe("an order that is answered without a call", () => {
  it.each([
    ["note in sales.md that Hansen bought a bowl", "x"],
    ["log in tours.md that the bus was late", "ok"],
    ["write into guests.md that Dahl is coming", "It is in there now."],
  ])("is not believed: %s → %s", async (goal, answer) => {
    const known: ChatScript = { json: { thought: "Known.", respond: true, answer } };
    await harness.set({ answer: () => known });
    const { result, actions } = await harness.ask(goal);
    expect(actions).toEqual([]);
    expect(result).toContain("not confirmed");
  });
});

it("confirms no result where no call succeeded", async () => {
  const missing = [act("fs_read", { path: "nowhere.md" })];
  await harness.set({ answer: saying("There is no file nowhere.md [1]. Shall I look elsewhere?", missing) });
  const declined = await harness.ask("what does nowhere.md say about paint");
  expect((await harness.run(declined.runId)).warnings).toEqual([]);
  expect(declined.result).not.toContain("not confirmed");
  await harness.set({ answer: saying("The file says that the paint is blue [1].", missing) });
  const stated = await harness.ask("what does nowhere.md say about paint");
  expect(stated.result).toContain("not confirmed");
  expect((await harness.run(stated.runId)).warnings.join("\n")).toContain("None of the calls succeeded");
});
