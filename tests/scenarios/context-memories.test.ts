import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import { act, finish, type ModelHarness, play, purposeOf } from "../support/model-harness.ts";

// Which memories a planner receives in its prompt.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

/** The memories in the prompt of the last run's planner. */
function memories(): string {
  const chat = harness.models.chats().findLast((seen) => purposeOf(seen) === "plan");
  const prompt = chat?.messages.map(({ content }) => content).join("\n") ?? "";
  return /Memories[^\n]*\(material[\s\S]*?(?=\n\n|$)/u.exec(prompt)?.[0] ?? "";
}

const remember = (content: string, type = "observation") =>
  harness.owner.post("/api/memories", { type, content });

/** Has the model reply to every run with this call, then with this answer. */
async function scriptModel(call = act("task_list"), words = "You have no tasks [1].", reactV2 = true) {
  let calls = 0;
  await harness.set({
    etc: { runtime: { operator: { reactV2 } } },
    answer: (request) => {
      if (purposeOf(request) !== "plan") return { say: words };
      calls += 1;
      if (reactV2) return calls % 2 === 1 ? call : finish;
      return calls % 2 === 1 ? { call: [{ name: "task_list", args: {} }] } : { say: "Done." };
    },
  });
}

describe.each([
  ["the structured planner", true],
  ["the tool-calling planner", false],
])("the memories of a prompt for %s", (name, reactV2) => {
  it("are at most four, and none that shares only one word", async () => {
    await scriptModel(undefined, undefined, reactV2);
    const walrus = `walrus${String(reactV2)}`;
    for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"])
      await remember(`The ${walrus} feeding on ${day} is at ${String(day.length)} o'clock in the harbour.`);
    await remember(
      `Grandfather once drew a picture of a ${walrus} beside many other animals of the northern seas, which hangs in the kitchen of the old summer house near the lake.`,
    );
    const { runId } = await harness.ask(
      `please work the ${walrus} feeding hours in the harbour into my plan for the week somehow`,
    );
    const shown = memories().split("\n").slice(1);
    expect(shown).toHaveLength(4);
    expect(memories()).not.toContain("Grandfather");
    const { context } = await harness.run(runId);
    expect(context?.rejectedMemories?.length).toBeGreaterThanOrEqual(2);
  });

  it(`are no conversations unless the request refers back`, async () => {
    const thing = `kayak${name.length}`;
    await scriptModel(undefined, `The ${thing} hangs in the shed.`, reactV2);
    await harness.ask(`please get my notes on the red ${thing} of Ola into some order`);
    await harness.ask(`please get the notes on the ${thing} of Ola into another shape`);
    expect(memories()).not.toContain("red");
    await harness.ask(`please use what I told you about the ${thing} of Ola, and sort it somehow`);
    expect(memories()).toContain(`red ${thing}`);
  });
});

describe("an earlier exchange", () => {
  it("is not recalled if it reported a missing file, which may exist by now", async () => {
    await scriptModel(act("fs_read", { path: "packing.md" }), "There is no file packing.md [1].");
    await harness.ask("please get the packing list of the glacier tour into shape, whatever that takes");
    await scriptModel(act("fs_write", { path: "packing.md", content: "rope" }), "I wrote it [1].");
    await harness.ask("remember what I asked about the packing list of the glacier tour? do it somehow");
    expect(memories()).not.toContain("There is no file");
  });

  it("is not recalled if its run failed", async () => {
    await harness.set({ answer: () => act("fs_read", { path: "nowhere.md" }) });
    const { outcome } = await harness.ask(
      "please get the list of crampons for the glacier into shape, whatever it takes",
    );
    expect(outcome).toBe("stuck");
    await scriptModel();
    await harness.ask(
      "what did I ask you about the list of crampons for the glacier, and can you shape it now",
    );
    expect(memories()).not.toContain("Not answered");
    expect(memories()).not.toContain("nowhere.md");
  });

  it("contains no text of other authors, no citation and no raw output", async () => {
    await mkdir(join(harness.profile, "out"), { recursive: true });
    await writeFile(join(harness.profile, "out/pitons.md"), "forty pitons");
    await scriptModel(
      act("fs_read", { path: "pitons.md" }),
      "The pitons [1]:\n\n> forty pitons raw\n\nThat is all [1].",
    );
    await harness.ask("please get my file about the pitons of Ola into shape somehow");
    await harness.ask("what did I ask you about the pitons of Ola, and can you shape it again");
    expect(memories()).toContain("That is all.");
    expect(memories()).not.toContain("from outside");
    expect(memories()).not.toContain("raw");
    expect(memories()).not.toMatch(/\[1\]/u);
  });

  it("is recalled for a follow-up whose subject is in no fact", async () => {
    await scriptModel();
    await harness.ask("my ice axe measures 55 centimetres; please get my tasks into shape");
    await harness.ask("and please get the measure of my ice axe in centimetres into my tasks in some way");
    expect(memories()).toContain("55 centimetres");
  });
});

it("shows memories to the answer writer next to the observations, which take precedence", async () => {
  const HUT = "The hut of Signe has twelve beds.";
  await remember(HUT);
  await scriptModel();
  await harness.ask("get the beds in the hut of Signe into my tasks somehow");
  const prompts = (purpose: ReturnType<typeof purposeOf>): string[] =>
    harness.models
      .chats()
      .filter((seen) => purposeOf(seen) === purpose)
      .map(({ messages }) => messages.map(({ content }) => content).join("\n"));
  expect(prompts("plan").join()).toContain(HUT);
  expect(prompts("answer")).toHaveLength(1);
  expect(prompts("answer").join()).toContain("What was done:");
  expect(prompts("answer").join()).toContain(HUT);
  expect(prompts("answer").join()).toContain("where the two differ, the observations are right");
});

it("lists curated memories first", async () => {
  await scriptModel();
  await harness.ask("please note that the bivouac of Ola is at the north ridge, and sort it into my tasks");
  await remember("The bivouac of Ola is at the south col.", "curated");
  await harness.ask("what did I tell you about the bivouac of Ola, and is it in my tasks somehow?");
  expect(memories().split("\n")[1]).toMatch(/^- \[[^\]]*curated\]/u);
  expect(memories()).toContain("north ridge");
});

describe("what a person said in passing", () => {
  it("is shown for a question of another conversation without “I” or “my”, the newest first", async () => {
    await scriptModel(undefined, "Noted.", false);
    const { conversationId } = await harness.ask("the code of the boathouse door is 4471");
    await scriptModel(undefined, "The code of the boathouse door is 4480.", false);
    await harness.ask("ah no, they changed it: the code of the boathouse door is 4480 now", {
      conversationId,
    });
    await harness.ask("whats the boathouse door code");
    const shown = memories();
    expect(shown).toContain("the newest first");
    expect(shown.indexOf("4480")).toBeGreaterThan(0);
    expect(shown.indexOf("4480")).toBeLessThan(shown.indexOf("4471"));
  });

  it("is shown from a request that failed, without what the operator answered", async () => {
    await harness.set({ answer: () => act("fs_read", { path: "nowhere.md" }) });
    const { outcome } = await harness.ask("I'm allergic to walnuts, so find me a cake in my recipes");
    expect(outcome).toBe("stuck");
    await scriptModel();
    await harness.ask("am I allergic to walnuts");
    expect(memories()).toContain("allergic to walnuts");
    expect(memories()).not.toContain("nowhere.md");
  });

  it("is not shown for a question that it does not answer", async () => {
    await scriptModel(undefined, "Noted.", false);
    await harness.ask("the code of the lighthouse cellar is 9913");
    await harness.ask("what is the capital of Norway");
    expect(memories()).not.toContain("9913");
  });
});

describe("a long request about something else", () => {
  const choir =
    "My grandmother sang alto too, she died two years ago in December. And now Gunnar, one of our two tenors, is moving to Bergen in January, so the choir needs a singer.";

  it("gets no memory that shares only numbers, months or one word with it", async () => {
    await scriptModel();
    await remember("Two flats have their water meters read in December, one of them in January.");
    await remember("Gunnar can never come on Thursdays.");
    await harness.ask(choir);
    expect(memories()).toContain("Thursdays");
    expect(memories()).not.toContain("meters");
  });

  it("gets the last tool uses of its own conversation alone", async () => {
    await scriptModel(act("fs_write", { path: "kayak-parts.md", content: "paddle" }), "It is written [1].");
    const { conversationId } = await harness.ask("write the kayak parts down in some file");
    const tools = (): string => {
      const chat = harness.models.chats().findLast((seen) => purposeOf(seen) === "plan");
      return /Last tool uses[\s\S]*?(?=\n\n|$)/u.exec(chat?.messages[1]?.content ?? "")?.[0] ?? "";
    };
    await scriptModel();
    await harness.ask("please put the singers into some order");
    expect(tools()).not.toContain("kayak-parts");
    await harness.ask("please put them into some order", { conversationId });
    expect(tools()).toContain("kayak-parts");
    await harness.ask("what did I ask you to write about the kayak, and can you sort it somehow");
    expect(tools()).toContain("kayak-parts");
  });

  it("gets no failed tool use that a later call made good", async () => {
    const adding = (values: Record<string, string>) =>
      act("table_edit", { path: "dues.csv", action: "add", values });
    await harness.set({
      answer: play(
        [
          act("fs_write", { path: "dues.csv", content: "who,fee\n" }),
          adding({ tariff: "5" }),
          adding({ who: "Bo", fee: "5" }),
          finish,
        ],
        "It is done [1].",
      ),
    });
    await harness.ask("make a table dues.csv somehow, with Bo in it");
    await scriptModel();
    await harness.ask("please think about the tariff of our concerts somehow");
    const chat = harness.models.chats().findLast((seen) => purposeOf(seen) === "plan");
    expect(chat?.messages[1]?.content).not.toContain("failed: table_edit");
  });
});
