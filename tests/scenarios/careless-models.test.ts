import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { verdicts } from "../support/model-server/server.ts";
import { act, finish, play, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// A model of middle size that forgets the form of a reply, miscalculates, or trusts its own words.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));
beforeEach(() => {
  harness.models.sentenceChecks.splice(0);
  harness.models.onSentenceCheck = (sentences) => verdicts(sentences, () => "general");
});

const says = (answer: string): ChatScript => ({ json: { thought: "Known.", respond: true, answer } });
const promptOf = ({ messages }: SeenRequest): string => messages.map(({ content }) => content).join("\n");
const isSentBack = (request: SeenRequest): boolean =>
  promptOf(request).includes("contains claims that no observation supports");

describe("a planner that keeps writing prose instead of JSON", () => {
  it("has answered if no tool was needed", async () => {
    await harness.set({ answer: () => ({ say: "About six minutes. Its capital is Ouagadougou." }) });
    expect(
      await harness.ask("how long do i boil a soft egg, and whats the capital of burkina faso again"),
    ).toMatchObject({ outcome: "answered", result: "About six minutes. Its capital is Ouagadougou." });
  });

  it("has finished if something was observed", async () => {
    let planned = 0;
    await harness.set({
      answer: (request) =>
        purposeOf(request) === "plan" && planned++ === 0
          ? act("task_list")
          : { say: "You have no tasks at the moment." },
    });
    expect(await harness.ask("anything on my plate?")).toMatchObject({
      outcome: "answered",
      result: "You have no tasks at the moment.",
    });
  });

  it("has done nothing that it claims", async () => {
    await harness.set({ answer: () => ({ say: "I created the file notes.md with your list." }) });
    const { result, actions } = await harness.ask("put milk and bread into a file notes.md");
    expect(actions).toEqual([]);
    expect(result).toContain("not confirmed");
  });

  it("has not answered with a truncated reply", async () => {
    await harness.set({ answer: () => ({ say: "About six", finish: "length" }) });
    expect(await harness.ask("how long do i boil a soft egg?")).toMatchObject({ outcome: "failed" });
  });
});

describe("a plan in place of an answer", () => {
  it.each([
    ["bare", '{"thought": "everything is all done", "respond": true, "done": true}'],
    ["in a code fence", '```json\n{"thought": "all done", "respond": true}\n```'],
  ])("is not shown to the person, who receives the observations: %s", async (_, plan) => {
    let planned = 0;
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: plan };
        return planned++ === 0 ? act("task_create", { title: "Water the plants" }) : finish;
      },
    });
    const { outcome, result } = await harness.ask("add a task to water the plants, and whats next?");
    expect(outcome).toBe("answered");
    expect(result).not.toContain("thought");
    expect(result).toContain("Water the plants");
  });

  it("is searched for the answer that it contains", async () => {
    let planned = 0;
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan")
          return { json: { thought: "done", respond: true, answer: "You have nothing to do [1]." } };
        return planned++ === 0 ? act("task_list") : finish;
      },
    });
    expect((await harness.ask("anything on my plate?")).result).toBe("You have nothing to do [1].");
  });
});

describe("the state of the workspace in a planning prompt", () => {
  it("is shown to the model that checks its answer", async () => {
    await harness.set({
      answer: () => says("Hello! Right now your out/ folder has 0 entries and so does your inbox/."),
    });
    harness.models.onSentenceCheck = (sentences) => verdicts(sentences, () => "shown", "inbox/ (0 entries)");
    const { result } = await harness.ask("hello you, is there anything in my stuff right now?");
    expect(result).not.toContain("not confirmed");
    expect(harness.models.sentenceChecks.map(promptOf).join("\n")).toContain("inbox/ (0 entries)");
  });
});

describe("a refusal without a reason in place of an answer", () => {
  const answering = async (answer: string) => {
    let planned = 0;
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: answer };
        return planned++ === 0 ? act("task_create", { title: "Water the ferns" }) : finish;
      },
    });
    return await harness.ask("add a task to water the ferns, and whats next?");
  };

  it.each([
    "I'm sorry, but I can't help with that.",
    "I apologize for the inconvenience.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
  ])("does not hide what was done: %s", async (answer) => {
    const { outcome, result } = await answering(answer);
    expect(outcome).toBe("answered");
    expect(result).toContain('Created the task "Water the ferns"');
    expect(result).not.toContain(answer);
  });

  it("is kept with its reason", async () => {
    const { result } = await answering(
      "I'm sorry, I can't water them: I created the task \"Water the ferns\" [1].",
    );
    expect(result).toContain("I can't water them");
  });
});

it("a calculation that code proves costs no call that checks it", async () => {
  await harness.set({
    answer: play([act("calculate", { expression: "240 * 15 / 100" })], "15 % of 240 is 36 [1]."),
  });
  const before = harness.models.sentenceChecks.length;
  const { result } = await harness.ask("i was wondering, 15 % of 240 would be how much?");
  expect(result).toBe("15 % of 240 is 36 [1].");
  expect(harness.models.sentenceChecks.length - before).toBe(0);
});

describe("a wrong sum of a model", () => {
  const CSV =
    "date,category,amount\n2026-10-02,travel,60.00\n2026-10-05,food,20.50\n2026-10-09,travel,89.00\n2026-10-20,travel,12.00\n";
  const goalFor = (file: string): string =>
    `how much did i spend on travel in october.csv? put the total in ${file}`;
  /** Reads the table, writes the sum into a file, and answers; with the second sum once its answer was sent back. */
  const adding = (file: string, first: string, second = first) => {
    const steps: ChatScript[] = [
      act("fs_read", { path: "inbox/october.csv" }),
      act("fs_write", { path: `out/${file}`, content: first }),
    ];
    let planned = 0;
    return (request: SeenRequest): ChatScript => {
      if (purposeOf(request) === "plan") return steps[planned++] ?? finish;
      return { say: `You spent ${isSentBack(request) ? second : first} on travel in october.csv [1].` };
    };
  };
  const putTable = async () => {
    await mkdir(join(harness.profile, "inbox"), { recursive: true });
    await writeFile(join(harness.profile, "inbox", "october.csv"), CSV);
  };

  it("is sent back with the sentence and the sum of the rows, although the model wrote it into a file", async () => {
    await putTable();
    await harness.set({ answer: adding("first.txt", "171.00", "161.00") });
    const { result } = await harness.ask(goalFor("first.txt"));
    expect(result).toBe("You spent 161.00 on travel in october.csv [1].\n\nCreated out/first.txt.");
    const review = harness.models.chats().find(isSentBack);
    expect(review && promptOf(review)).toMatch(
      /“You spent 171\.00 on travel in october\.csv \[1\]\.”.*add up to 161/u,
    );
  });

  it("is marked and not learned from when the model repeats it", async () => {
    await putTable();
    await harness.set({ answer: adding("second.txt", "171.00") });
    harness.models.onSentenceCheck = (sentences) => verdicts(sentences, () => "shown", '"content":"171.00"');
    const { result, learnedFunction } = await harness.ask(goalFor("second.txt"));
    expect(result).toContain("not confirmed");
    expect(learnedFunction).toBeUndefined();
  });

  it("is not doubted if it is right", async () => {
    await putTable();
    await harness.set({ answer: adding("third.txt", "161.00") });
    expect((await harness.ask(goalFor("third.txt"))).result).toBe(
      "You spent 161.00 on travel in october.csv [1].\n\nCreated out/third.txt.",
    );
    expect(harness.models.chats().some(isSentBack)).toBe(false);
  });
});

describe("a sentence against which the check finds nothing", () => {
  it("is not checked again after another one was sent back", async () => {
    await mkdir(join(harness.profile, "out"), { recursive: true });
    await writeFile(join(harness.profile, "out/log.md"), "- 2026-09-12 Two bare spots near the keel.\n");
    const spots = "Two bare spots are near the keel, seen on 12 September 2026.";
    await harness.set({
      answer: play([
        act("fs_read", { path: "log.md" }),
        says(`${spots} The storage is paid until the spring of that year.`),
        says(spots),
      ]),
    });
    // The quoted words lack the day, so they show less than the sentence says.
    harness.models.onSentenceCheck = (sentences) =>
      verdicts(
        sentences,
        (one) => (one.includes("paid") ? "not shown" : "shown"),
        "bare spots near the keel",
      );
    expect((await harness.ask("which jobs on the boat are left, going by log.md?")).result).toBe(spots);
    expect(harness.models.sentenceChecks).toHaveLength(1);
  });
});

describe("a request that depends on the conversation", () => {
  const calls = (...made: ChatScript[]) => {
    let planned = 0;
    return (request: SeenRequest): ChatScript =>
      purposeOf(request) === "plan" ? (made[planned++] ?? finish) : { say: "It is done." };
  };

  it("teaches nothing if its target is a file of an earlier message", async () => {
    await harness.set({
      answer: calls(act("fs_write", { path: "packing.txt", content: "socks\npassport" })),
    });
    const { conversationId } = await harness.ask("make me a file packing.txt with socks and passport");
    await harness.set({
      answer: calls(
        act("fs_append", { path: "packing.txt", text: "toothbrush" }),
        act("fs_write", { path: "kids.txt", content: "teddy" }),
      ),
    });
    const { outcome, learnedFunction } = await harness.ask(
      "add toothbrush, and make another one for the kids called kids.txt with teddy",
      { conversationId },
    );
    expect(outcome).toBe("answered");
    expect(learnedFunction).toBeUndefined();
  });

  it("teaches nothing if the request only asks to continue", async () => {
    await harness.set({ answer: calls(act("task_create", { title: "Copy september.md" })) });
    const { conversationId } = await harness.ask(
      "i want copy september.md and pack the tent as tasks some day",
    );
    await harness.set({
      answer: calls(
        act("task_create", { title: "pack the tent" }),
        act("fs_append", { path: "tent.md", text: "pack the tent" }),
      ),
    });
    expect((await harness.ask("go on then with that", { conversationId })).learnedFunction).toBeUndefined();
  });
});

it("teaches nothing if the run omitted the last item of a list", async () => {
  const made = [act("task_create", { title: "ring ida" }), act("task_create", { title: "ring oskar" })];
  let planned = 0;
  await harness.set({
    answer: (request) =>
      purposeOf(request) === "plan" ? (made[planned++] ?? finish) : { say: "The tasks are added [1]." },
  });
  const { actions, learnedFunction } = await harness.ask(
    "add tasks to ring ida, oskar and the bank on monday",
  );
  expect(actions).toEqual(["task_create", "task_create"]);
  expect(learnedFunction).toBeUndefined();
});

describe("a call in another form", () => {
  const write = { path: "lent.md", content: "dune" };
  const forms: [string, string][] = [
    ["without a thought", JSON.stringify({ action: { tool: "fs_write", args: write } })],
    ["without an action around it", JSON.stringify({ tool: "fs_write", args: write })],
    ["with the name as the action", JSON.stringify({ thought: "x", action: "fs_write", args: write })],
    [
      "in the tags of a chat template",
      `<tool_call>{"name":"fs_write","arguments":${JSON.stringify(write)}}</tool_call>`,
    ],
  ];

  it.each(forms)("is executed for a planner that writes it %s", async (form, reply) => {
    const path = `${form.replaceAll(" ", "-")}.md`;
    let planned = 0;
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: "It is written [1]." };
        return planned++ === 0 ? { say: reply.replace("lent.md", path) } : finish;
      },
    });
    const { actions, usage } = await harness.ask(`make a list of the books i lent to tom: dune, in ${path}`);
    expect(actions).toEqual(["fs_write"]);
    expect(usage.planningCalls).toBe(2);
  });

  it("is executed in tool-calling mode if the model writes it as its text", async () => {
    let planned = 0;
    const call = { name: "task_create", arguments: { title: "Change the tyres" } };
    await harness.set({
      etc: { runtime: { operator: { reactV2: false } } },
      answer: () => ({ say: planned++ === 0 ? JSON.stringify(call) : "I added the task [1]." }),
    });
    expect(await harness.ask("i should get the tyres changed, put that on my list")).toMatchObject({
      actions: ["task_create"],
      result: "I added the task [1].",
    });
  });

  it("is text if there is no such tool", async () => {
    const text = '{"name": "bike", "arguments": {"wheels": 2}}';
    await harness.set({
      etc: { runtime: { operator: { reactV2: false } } },
      answer: () => ({ say: text }),
    });
    expect(await harness.ask("write me a json of a bike with its name and arguments")).toMatchObject({
      actions: [],
      result: text,
    });
  });
});

describe("a model whose plan cannot be read", () => {
  const half = {
    say: '{"thought": "Make the task.", "action": {"tool": "task_create", "args": {"title": "get m',
  };

  it("leaves simple requests to the built-in planner, says so, and teaches nothing", async () => {
    await writeFile(join(harness.profile, "out/n1.md"), "Harbour fees went up.");
    for (const broken of [half, { say: "" }, { ...half, finish: "length" as const }]) {
      await harness.set({ answer: () => broken });
      const { runId, ...answer } = await harness.ask("create a task to get milk");
      expect(answer).toMatchObject({ outcome: "answered", actions: ["task_create"] });
      const { warnings, learnedFunction } = await harness.run(runId);
      expect(warnings.join()).toContain("The run continued without a model.");
      expect(learnedFunction).toBeUndefined();
    }
  });

  it("fails requests that only a model understands, and those of which it has done a part", async () => {
    await harness.set({ answer: () => half });
    expect(await harness.ask("prepare everything for the regatta")).toMatchObject({
      outcome: "failed",
      actions: [],
    });
    let chats = 0;
    await harness.set({ answer: () => ((chats += 1) === 1 ? act("fs_read", { path: "n1.md" }) : half) });
    expect(await harness.ask("read n1.md and create a task to get milk")).toMatchObject({
      outcome: "failed",
      actions: ["fs_read"],
    });
  });
});
