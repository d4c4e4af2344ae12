import { estimateTokens } from "@metahuman/core/contract/tokens";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { act, finish, openModelHarness, purposeOf, type ModelHarness } from "../support/model-harness.ts";
import type { Answer, ChatScript, SeenRequest } from "../support/model-server/script.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "planners";

/** A task for every planner: its request, and the calls that a model makes for it. */
interface ScriptedTask {
  say: (round: number) => string;
  calls: (round: number) => [tool: string, args: Record<string, unknown>][];
}

const TASKS: readonly ScriptedTask[] = [
  {
    say: (round) => `create a file called a-${String(round)}.md with the text "milk"`,
    calls: (round) => [["fs_write", { path: `a-${String(round)}.md`, content: "milk" }]],
  },
  {
    say: (round) =>
      `create a file called b-${String(round)}.md with the text "tea", then read b-${String(round)}.md`,
    calls: (round) => [
      ["fs_write", { path: `b-${String(round)}.md`, content: "tea" }],
      ["fs_read", { path: `b-${String(round)}.md` }],
    ],
  },
  {
    say: (round) => `list my tasks and write them to tasks-${String(round)}.md`,
    calls: (round) => [
      ["task_list", {}],
      ["fs_write", { path: `tasks-${String(round)}.md`, content: "- buy milk" }],
    ],
  },
  {
    say: () => "add a task to buy bread and add a task to buy salt",
    calls: () => [
      ["task_create", { title: "buy bread" }],
      ["task_create", { title: "buy salt" }],
    ],
  },
  {
    say: (round) => `read a-${String(round)}.md and append it to journal.md, then read journal.md`,
    calls: (round) => [
      ["fs_read", { path: `a-${String(round)}.md` }],
      ["fs_append", { path: "journal.md", text: "milk" }],
      ["fs_read", { path: "journal.md" }],
    ],
  },
];
const ROUNDS = 6;

const SETTINGS = [
  { planner: "built-in", flags: {}, withModel: false },
  { planner: "tool-calling", flags: { reactV2: false }, withModel: true },
  { planner: "structured", flags: {}, withModel: true },
] as const;

interface Cost {
  steps: number;
  modelCalls: number;
  tokens: number;
  ms: number;
}

/**
 * The cost of each planner for the same tasks over the real server, with a model that answers at once and correctly, so
 * that the difference is that of the planners. Tokens are estimated from what was sent and replied. The model's own
 * tool calls are the plain baseline that the structured planner must stay below three times of.
 */
export async function run(): Promise<Row[]> {
  const costs = new Map<string, Cost[]>();
  let shares: number[] = [];
  for (const { planner, flags, withModel } of SETTINGS) {
    const harness = await openModelHarness({ etc: { runtime: { operator: flags } } });
    try {
      if (!withModel)
        await harness.configure("models", { providers: { ollama: { kind: "ollama", enabled: false } } });
      costs.set(planner, await measure(harness, planner));
      if (planner === "structured") shares = prefixShares(harness.models.chats());
    } finally {
      await harness.close();
    }
  }
  const sumOf = (planner: string, figure: keyof Cost) =>
    (costs.get(planner) ?? []).reduce((sum, cost) => sum + cost[figure], 0);
  const ratio = (figure: keyof Cost) => sumOf("structured", figure) / sumOf("tool-calling", figure);
  return [
    ...SETTINGS.flatMap(({ planner }): Row[] => {
      const list = costs.get(planner) ?? [];
      return [
        { what: `${planner}: steps per task`, figure: sumOf(planner, "steps") / list.length, unit: "" },
        {
          what: `${planner}: model calls per task`,
          figure: sumOf(planner, "modelCalls") / list.length,
          unit: "",
        },
        {
          what: `${planner}: tokens per task`,
          figure: Math.round(sumOf(planner, "tokens") / list.length),
          unit: "tokens",
        },
        {
          what: `${planner}: time per task, median`,
          figure: quantile(
            list.map(({ ms }) => ms),
            0.5,
          ),
          unit: "ms",
        },
      ];
    }),
    {
      what: "structured against tool calls: model calls",
      figure: ratio("modelCalls"),
      unit: "times",
      target: 3,
    },
    { what: "structured against tool calls: tokens", figure: ratio("tokens"), unit: "times", target: 3 },
    { what: "structured against tool calls: time", figure: ratio("ms"), unit: "times", target: 3 },
    {
      what: `prompt prefix shared between planning calls, least of ${String(shares.length)}`,
      figure: Math.min(...shares),
      unit: "of 1",
      least: 0.9,
    },
  ];
}

async function measure(harness: ModelHarness, planner: string): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const task of TASKS) {
      harness.models.script(carryOut(task.calls(round)));
      const began = performance.now();
      const { body } = await harness.owner.post("/api/operator", { goal: task.say(round) });
      const ms = performance.now() - began;
      const answer = OperatorAnswer.parse(body);
      if (answer.planner !== planner || answer.outcome !== "answered")
        throw new Error(`${planner}: ${answer.planner} ended ${answer.outcome}: ${answer.result}`);
      const { modelCalls, promptTokens, completionTokens } = answer.usage;
      // The first round is a warm-up.
      if (round >= 0)
        costs.push({ steps: answer.actions.length, modelCalls, tokens: promptTokens + completionTokens, ms });
    }
  }
  return costs;
}

function carryOut(calls: readonly [string, Record<string, unknown>][]): Answer {
  let step = 0;
  return (request) => {
    if (purposeOf(request) !== "plan") return counted(request, { say: "It is done [1]." });
    const call = calls[step++];
    if (request.tools.length > 0)
      return counted(request, call ? { call: [{ name: call[0], args: call[1] }] } : { say: "That is all." });
    return counted(request, call ? act(...call) : finish);
  };
}

/** Adds the tokens that a server would count: everything sent, including tools and schema. */
function counted(request: SeenRequest, script: ChatScript): ChatScript {
  const { messages, tools, format } = request.body;
  const prompt = estimateTokens(JSON.stringify([messages, tools ?? [], format ?? ""]));
  return "fault" in script
    ? script
    : { ...script, tokens: { prompt, completion: estimateTokens(JSON.stringify(script)) } };
}

/** For each planning call after the first of its run, the share of the previous prompt that is a prefix of this one. */
function prefixShares(requests: readonly SeenRequest[]): number[] {
  const plans = requests.filter((request) => purposeOf(request) === "plan");
  return plans.flatMap((request, index) => {
    const before = plans[index - 1];
    if (!before || request.messages.length <= before.messages.length) return [];
    const [earlier, now] = [before, request].map(({ messages }) =>
      Buffer.from(JSON.stringify(messages).slice(0, -1)),
    );
    if (!earlier || !now) return [];
    let shared = 0;
    while (shared < earlier.length && earlier[shared] === now[shared]) shared += 1;
    return [shared / earlier.length];
  });
}
