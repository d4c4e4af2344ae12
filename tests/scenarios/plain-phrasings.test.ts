import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Facts, lists, days and corrections in people's own words, without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

const threeFacts =
  "our choir sings in the old school, Bengt keeps the music stands, and the spare key to the organ hangs behind the door";

describe("several facts in one sentence", () => {
  it("become one memory each, so that one of them is forgotten alone", async () => {
    await say(`remember that ${threeFacts}`);
    expect(await harness.facts()).toHaveLength(3);
    await say("forget what I said about the organ");
    expect(await harness.facts()).toEqual([
      "Bengt keeps the music stands",
      "our choir sings in the old school",
    ]);
  });

  it("are offered to be remembered when nobody says “remember”", async () => {
    const ended = await harness.ask(`A few things you should know: ${threeFacts}.`);
    expect(ended.result).toContain("Should it be remembered?");
    const [offer = ""] = ended.suggestions ?? [];
    expect(offer).toContain("remember that");
    await say(offer);
    expect(await harness.facts()).toHaveLength(3);
  });

  it("are never put together from two of them", async () => {
    const { memory } = harness.profile;
    await memory.add(
      { type: "observation", content: threeFacts },
      { source: { kind: "user" }, trust: "trusted" },
    );
    const asked = await harness.ask("my organ key is now in the red box");
    expect(asked.pending).toBeUndefined();
  });
});

describe("a list of tasks", () => {
  it("for a day has the tasks of that day, and by a day those until then", async () => {
    await say("add a task to book the hall on 3 April 2030");
    await say("add a task to print the songs on 5 April 2030");
    expect(await say("list my tasks due on 5 April 2030")).not.toContain("book the hall");
    expect(await say("list my tasks due by 5 April 2030")).toContain("book the hall");
  });

  it("for the next days names the last of them where nothing is due", async () => {
    await say("add a task to book the hall on 3 April 2030");
    expect(await say("what's due in the next seven days?")).toMatch(
      /^No task is due by \w+day \d+ \w+; 1 other task is open\.$/u,
    );
  });
});

describe("the list that was changed last", () => {
  it("gets one line for each thing, and loses the one that is crossed off", async () => {
    await say("start a packing list with tent and stove");
    await say("put a lamp and two mugs on it");
    await say("cross off the stove");
    expect(await say("read packing-list.txt")).toContain("tent\na lamp\ntwo mugs");
  });
});

describe("taking back", () => {
  it("undoes a change that is named", async () => {
    await harness.write("out/plan.md", "- sing\n");
    await say("rename plan.md to programme.md");
    expect(await say("no, undo the rename")).toContain("Moved out/programme.md to out/plan.md");
  });

  it("stops the reminder that was spoken of", async () => {
    await say("remind me every Friday at 7 to air the hall");
    expect(await say("the hall isn't needed any more, stop that reminder")).toContain(
      "Deleted “Air the hall”",
    );
  });
});

describe("something to be put down", () => {
  it("is a task with a day and a note without one", async () => {
    expect(await say("Put down: pay the hall, 4 April 2030 at half past nine")).toContain("Created the task");
    expect(await say("Put down: the hall costs 40 euros")).toContain("Remembered");
  });

  it("is done when the sentence says so", async () => {
    await say("add a task to oil the organ");
    expect(await say("the organ is oiled, tick it off")).toBe('Marked "oil the organ" as done.');
  });
});

describe("suggestions after a request that was not understood", () => {
  it.each(["make the business with the boat nicer", "tidy up my papers", "I greased the bicycle"])(
    "name no command, address or agent: “%s”",
    async (request) => {
      const { result = "", suggestions = [] } = await harness.ask(request);
      expect([result, ...suggestions].join("\n")).not.toMatch(/uname|https?:|\.json|pattern-miner|ingestor/u);
    },
  );

  it("name the person or thing of the request", async () => {
    const { suggestions } = await harness.ask("rearrange what Selma needs for winter");
    expect(suggestions).toContain("what do you know about Selma");
  });
});

describe("a question about the operator", () => {
  it.each([
    ["what may you do without asking me?", "depends on your trust level"],
    ["do you ask me before deleting anything?", "depends on your trust level"],
    ["why did you do that?", "The steps above an answer show what was done"],
  ])("is answered without a search: “%s”", async (request, answer) => {
    const ended = await harness.ask(request);
    expect(ended.result).toContain(answer);
    expect(ended.scratchpad.flatMap(({ action }) => action?.tool ?? [])).toEqual([]);
  });
});

describe("an order that is not certain", () => {
  it.each([
    "maybe delete draft.md",
    "maybe add a task to repaint the sign, I'm not sure yet",
    "once the tenant has paid, delete draft.md",
    "my brother said, delete draft.md",
  ])("“%s” is not carried out", async (request) => {
    await harness.write("out/draft.md", "x");
    await harness.ask(request);
    expect(await harness.read("out/draft.md")).toBe("x");
    expect(await harness.tasks()).toEqual([]);
  });

  it("“oh, never mind” is no value for the request before", async () => {
    await harness.write("out/draft.md", "x");
    await harness.ask("rename draft.md");
    await harness.ask("oh, never mind");
    expect(await harness.read("out/draft.md")).toBe("x");
  });
});
