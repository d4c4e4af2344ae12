import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { beforeAll, describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { Answer, ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { act, play, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// The size of prompts for a profile in use: tasks, memories, files and functions of several weeks.

const TASKS = [
  "Buy milk",
  "Call the florist",
  "Book the band",
  "Send invitations",
  "Pay the electricity bill",
  "Renew the passport",
  "Finish the report on tram lines",
  "Review Jonas' draft",
  "Water the plants",
  "Fix the bicycle lamp",
  "Order climbing shoes",
  "Book a ferry to Moskenes",
  "Read chapter 4",
  "Prepare slides for Thursday",
  "Ask Tom about the ladder",
  "Return library books",
  "Clean the fridge",
  "Back up the photos",
  "Plan the hen night",
  "Write to grandma",
];
const MEMORIES = [
  "The spare key hangs behind the boiler.",
  "My sister Lena is allergic to hazelnuts.",
  "I prefer trains to planes.",
  "The wedding is on 2027-05-15 in Lindau.",
  "Our plumber is called Herr Anders, phone 0171 555 0199.",
  "I take my coffee black.",
  "The climbing rope measures 40 metres.",
  "Jonas is my colleague at the traffic office.",
  "The garage code is kept in the blue notebook.",
  "Tom lent us his ladder in August.",
  "I am learning Norwegian.",
  "The fridge filter was changed in June 2026.",
  "My shoe size is 42.",
  "Grandma's birthday is on 3 March.",
  "The cat is called Muffin and is 7 years old.",
  "The electricity contract runs until 2027-03-31.",
  "The report on tram lines is for Frau Keller.",
  "I work from home on Fridays.",
  "Our wifi network is called Bergblick.",
  "Dentist: Dr. Falk, Marktgasse 4.",
  "I dislike coriander.",
  "The band we like is The Lanterns, 1,800 euros.",
  "The florist is Blütenwerk in Bregenz.",
  "I run 5 kilometres on Tuesdays.",
  "The insurance number is in the file inbox/insurance.txt.",
  "The attic window leaks when it rains from the west.",
  "We want about 60 guests.",
  "I back up photos to the grey disk.",
  "The study group meets on Mondays at 19:00.",
  "Lofoten trip: leaving on 2027-02-06.",
];
const FILES: Record<string, string> = {
  "out/budget.csv": "item,amount\nband,1800\nflorist,950\nfood,4200\ninvitations,310\n",
  "out/guests.txt": "Anna Berg\nBen Costa\nCarla Dietz\nDavid Ewald\nEva Frank\nFinn Graf\n",
  "out/notes/meetings.md": "# Meeting\n\n- Line 3 gets a new stop.\n- Costs: 240,000 euros.\n",
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `${index % 3 === 0 ? "inbox" : "out"}/paper-${String(index + 1)}.md`,
      `# Paper ${String(index + 1)}\n\nLine ${String(index)} carries ${String(index * 700)} people a day.\n`,
    ]),
  ),
};
const FUNCTIONS = [
  ["Make a packing list", "Writes a packing list for a trip", ["memory_search", "fs_write"]],
  ["Do the weekly review", "Lists what is due this week and writes a review", ["task_list", "fs_write"]],
  ["Sort the inbox", "Moves the files of the inbox into folders by kind", ["fs_list", "fs_move"]],
  ["Make tasks of minutes", "Makes a task of each action item in a file", ["fs_read", "task_create"]],
  ["Summarize a report", "Writes a summary of a report beside it", ["fs_read", "fs_write"]],
] as const;

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

beforeAll(async () => {
  const made = async (path: string, body: object) => {
    const { status, body: answer } = await harness.owner.post(path, body);
    expect(status, JSON.stringify(answer)).toBeLessThan(300);
    return answer;
  };
  for (const [index, title] of TASKS.entries())
    await made("/api/tasks", {
      title,
      priority: `P${String(index % 4)}`,
      tags: [index % 4 === 0 ? "wedding" : "home"],
      ...(index % 2 === 0 && { due: `2027-01-${String(index + 10)}` }),
    });
  for (const content of MEMORIES) await made("/api/memories", { type: "curated", content });
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(harness.profile, path)), { recursive: true });
    await writeFile(join(harness.profile, path), content);
  }
  for (const [title, summary, skillsUsed] of FUNCTIONS) {
    const steps = skillsUsed.map((skill) => `Use ${skill} for it`);
    const examples = [{ prompt: title.toLowerCase() }];
    const { id } = FunctionAnswer.parse(
      await made("/api/functions", { title, summary, steps, skillsUsed, examples, kind: "guide" }),
    ).function;
    await made(`/api/functions/${id}/promote`, {});
  }
});

/** Everything a model reads: messages and declared tools, if there are any. */
function promptOf({ messages, body }: SeenRequest): string {
  const { messages: sent = messages, tools } = body;
  return `${JSON.stringify(sent)}${tools === undefined ? "" : JSON.stringify(tools)}`;
}
/** The same in the order in which servers pass it to their models: declared tools precede the messages. */
const asServed = ({ messages, body }: SeenRequest): string =>
  JSON.stringify([body["tools"], body["messages"] ?? messages]);
const bytesOf = (request: SeenRequest): number => Buffer.byteLength(promptOf(request));
const planningCalls = (): SeenRequest[] => harness.models.chats().filter((one) => purposeOf(one) === "plan");
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The share of `before` that is a prefix of the next prompt. */
function sharedOf(before: string, after: string): number {
  let index = 0;
  while (index < before.length && before[index] === after[index]) index += 1;
  return index / before.length;
}

const answerWith = (answer: string): ChatScript => ({ json: { thought: "Known.", respond: true, answer } });
const toolCalling = { runtime: { operator: { reactV2: false } } };

/** The calls of a plan as native tool calls, then words. */
function calling(plan: readonly (readonly [string, Record<string, unknown>])[], words: string): Answer {
  let step = 0;
  return () => {
    const next = plan[step++];
    return next ? { call: [{ name: next[0], args: next[1] }] } : { say: words };
  };
}

const BUDGET = "add up the amounts in my wedding budget file and tell me which item costs the most";
const PLAN = [
  ["fs_search", { query: "budget" }],
  ["fs_read", { path: "out/budget.csv" }],
] as const;
const TOTAL = "The amounts add up to 7,260 [2].";

describe("in a profile with data", () => {
  it.each([
    BUDGET,
    "how many lines does out/guests.txt have, and who is the last one on it?",
    "which of my wedding things are left, and what should come first?",
    "make a task of each action item in my meeting notes, please",
    "put together what I need for the Lofoten and save it as a packing list",
    "Was muss ich diese Woche noch alles erledigen?",
  ])("a planning prompt has at most 10 kB in both planning modes: %s", async (goal) => {
    for (const [etc, answer] of [
      [{}, play([])],
      [toolCalling, calling([], "I do not know.")],
    ] as const) {
      await harness.set({ etc, answer });
      await harness.ask(goal);
      const [first, ...others] = planningCalls().map(bytesOf);
      expect(first).toBeGreaterThan(1_000);
      for (const bytes of [first, ...others]) expect(bytes).toBeLessThanOrEqual(10_000);
    }
  });

  it("three planning calls read at most 8,000 tokens in all", async () => {
    await harness.set({
      answer: play(
        PLAN.map(([tool, args]) => act(tool, args)),
        TOTAL,
      ),
    });
    await harness.ask(BUDGET);
    expect(planningCalls()).toHaveLength(3);
    expect(sum(planningCalls().map((one) => estimateTokens(promptOf(one))))).toBeLessThanOrEqual(8_000);
  });

  it.each([
    ["structured steps", {}],
    ["tool calls", toolCalling],
  ])("each planning prompt with %s repeats at least 90 %% of the one before", async (_, etc) => {
    const steps = PLAN.map(([tool, args]) => act(tool, args));
    await harness.set({ etc, answer: etc === toolCalling ? calling(PLAN, TOTAL) : play(steps, TOTAL) });
    await harness.ask(BUDGET);
    const prompts = planningCalls().map(asServed);
    expect(prompts).toHaveLength(3);
    for (const [index, after] of prompts.slice(1).entries())
      expect(sharedOf(prompts[index] ?? "", after)).toBeGreaterThanOrEqual(0.9);
  });

  it("a free question costs one call of a model", async () => {
    await harness.set({ answer: () => answerWith("Mont Blanc, at about 4,806 metres.") });
    const { usage } = await harness.ask("what is the tallest mountain of the alps and how high is it?");
    expect(usage.modelCalls).toBe(1);
    expect(harness.models.chats()).toHaveLength(1);
  });

  it("tool calls cost at most a tenth more than structured steps", async () => {
    await harness.set({
      answer: play(
        PLAN.map(([tool, args]) => act(tool, args)),
        TOTAL,
      ),
    });
    await harness.ask(BUDGET);
    const structured = planningCalls().map(bytesOf);
    await harness.set({ etc: toolCalling, answer: calling(PLAN, TOTAL) });
    await harness.ask(BUDGET);
    const native = planningCalls().map(bytesOf);
    expect([structured.length, native.length]).toEqual([3, 3]);
    expect(sum(native)).toBeLessThanOrEqual(1.1 * sum(structured));
  });
});
