import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FunctionPage } from "@metahuman/core/contract/answers";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { installSimulatedClock, type SimulatedClock } from "../soak/simulated-clock.ts";
import { mh } from "../support/cli.ts";
import { openLearningHarness, type LearningHarness } from "../support/learning-harness.ts";

// A request that a person repeats on several days is offered once as a function, which is drafted from its runs.

const DAY_MS = 86_400_000;

let clock: SimulatedClock;
let harness: LearningHarness;
beforeAll(async () => {
  clock = installSimulatedClock();
  // A Monday, after every id that other tests of this process have made.
  clock.setDate(Date.parse("2032-01-05T08:00:00Z") - clock.now());
  harness = await openLearningHarness();
});
afterAll(async () => {
  await harness.server.dispose();
  clock.remove();
});

/** The next morning, after the pattern miner has worked in the night. */
async function nextMorning(): Promise<void> {
  clock.setDate(DAY_MS);
  const { body } = await harness.owner.post("/api/agents/pattern-miner/run", { wait: true });
  expect(body).toMatchObject({ run: { status: "finished" } });
}

const functions = async () =>
  FunctionPage.parse((await harness.owner.get("/api/functions?limit=50")).body).items;

describe("a request that repeats on four days", () => {
  const OFFER = "You asked “add a task to water the {words}” 3 times: make it a function";

  it("is offered as a function with the answer of the fourth day, and only then", async () => {
    for (const plant of ["rose", "fern", "palm"]) {
      expect((await harness.ask(`add a task to water the ${plant}`)).suggestions ?? []).not.toContain(OFFER);
      await nextMorning();
    }
    const fourth = await harness.ask("add a task to water the moss");
    expect(fourth.suggestions).toEqual([OFFER]);
    expect(fourth.actions).toEqual(["task_create"]);
    expect((await harness.ask("add a task to water the ivy")).suggestions).toBeUndefined();
  });

  it("becomes a recipe of its runs, which a person approves and which then is replayed", async () => {
    const made = await harness.ask(OFFER);
    expect(made.actions).toEqual(["function_from_pattern"]);
    const [draft] = await functions();
    expect(draft).toMatchObject({ kind: "recipe", trust: "draft" });
    expect(draft?.examples.map(({ prompt }) => prompt)).toContain("add a task to water the rose");
    expect(draft?.recipe?.actions).toMatchObject([{ skill: "task_create" }]);
    const { verification } = await harness.promote(draft?.id ?? "");
    expect(verification.ok).toBe(true);
    expect(await harness.ask("add a task to water the cactus")).toMatchObject({
      planner: "replay",
      actions: ["task_create"],
    });
  });
});

/** Says something in a conversation, or begins one. */
async function say(goal: string, conversationId?: string): Promise<OperatorAnswer> {
  const body = { goal, ...(conversationId !== undefined && { conversationId }) };
  return OperatorAnswer.parse((await harness.owner.post("/api/operator", body)).body);
}

const isOffer = (suggestion: string): boolean => suggestion.includes("make it a function");
const offersOf = ({ suggestions = [] }: OperatorAnswer): string[] => suggestions.filter(isOffer);

describe("a conversation over two weeks in which the offer is answered with no", () => {
  let conversation = "";
  let made = 0;
  const entry = (name: string): string => `remember that ${name} visited the mill`;
  const OFFERED = "remember that {words} visited the mill";
  beforeAll(async () => {
    made = (await functions()).length;
    conversation = (await say(entry("Ada"))).conversationId;
    for (const name of ["Bo", "Cleo", "Dag"]) {
      await nextMorning();
      const answer = await say(entry(name), conversation);
      if (name === "Dag") expect(offersOf(answer)).toEqual([expect.stringContaining(`“${OFFERED}”`)]);
      else expect(offersOf(answer)).toEqual([]);
    }
  });

  it("takes a no for the offer, and changes nothing", async () => {
    const no = await say("no, thanks", conversation);
    expect(no).toMatchObject({ outcome: "answered", actions: [] });
    expect(no.result).toContain(`No function is made of “${OFFERED}”, and this is not offered again.`);
    expect(await functions()).toHaveLength(made);
  });

  it("never offers it again, on any later day and in other words", async () => {
    for (const name of ["Eve", "Fay", "Gus"]) {
      await nextMorning();
      expect(offersOf(await say(entry(name), conversation))).toEqual([]);
    }
    for (const name of ["Hal", "Ivo", "Jan", "Kit", "Lou"]) {
      expect(offersOf(await say(`make a note: the mill was visited by ${name}`))).toEqual([]);
      await nextMorning();
    }
    expect(await functions()).toHaveLength(made);
  });

  it("takes a later no for what was said last", async () => {
    const later = await say("no, thanks", conversation);
    expect(later.result).not.toContain("offered");
  });

  it("makes the function if the person asks for it in spite of the no", async () => {
    expect((await say(`make a function of “${OFFERED}”`, conversation)).actions).toEqual([
      "function_from_pattern",
    ]);
    expect(await functions()).toHaveLength(made + 1);
  });
});

describe("a conversation in which the offer is accepted", () => {
  it("makes a draft after a yes", async () => {
    const { conversationId } = await say("create the folder sheds/hinge");
    for (const name of ["lock", "chain"]) {
      await nextMorning();
      expect(offersOf(await say(`create the folder sheds/${name}`, conversationId))).toEqual([]);
    }
    await nextMorning();
    expect(offersOf(await say("create the folder sheds/rope", conversationId))).toHaveLength(1);
    const before = await functions();
    expect((await say("yes, please", conversationId)).actions).toEqual(["function_from_pattern"]);
    expect(await functions()).toHaveLength(before.length + 1);
  });
});

describe("an offer that nobody takes", () => {
  const PATTERN = "append {words} to harvest.md";

  it("is shown once by mh and never again, although the request goes on to repeat", async () => {
    const ask = (what: string) => mh(harness.server.home, ["operator", `append ${what} to harvest.md`]);
    for (const what of ["apples", "pears", "plums"]) {
      expect(await ask(what)).toMatchObject({
        code: 0,
        err: expect.not.stringContaining("make it a function"),
      });
      await nextMorning();
    }
    expect((await ask("quinces")).err).toContain(`You asked “${PATTERN}” 3 times: make it a function`);
    for (const what of ["cherries", "figs", "nuts"]) {
      await nextMorning();
      expect((await ask(what)).err).not.toContain("make it a function");
    }
    expect((await functions()).map(({ skillsUsed }) => skillsUsed)).not.toContainEqual(["fs_append"]);
  });
});
