import { OperatorConfig } from "@metahuman/core/contract/config";
import { ModelsConfig } from "@metahuman/core/contract/models";
import type { ChatMessage, ModelProvider } from "@metahuman/models/provider";
import { createRouter } from "@metahuman/models/router";
import { installedSkills } from "@metahuman/skills/installed";
import { skillCard } from "@metahuman/skills/skill-card";
import type { Planner } from "../../brain/agents/operator/planner.ts";
import { createCatalogSource } from "../../brain/agents/operator/planners/model/catalog.ts";
import { createStructuredPlanner } from "../../brain/agents/operator/planners/structured.ts";
import { makeTestHome } from "../../brain/agents/operator/testing/open-operator.ts";
import { openTestPorts } from "../../brain/agents/operator/testing/test-ports.ts";
import { testSkills } from "../../brain/agents/operator/testing/test-skills.ts";
import { readEvents } from "../support/event-reader.ts";
import { openModelHarness } from "../support/model-harness.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "models";

const RUNS = 60;
const STEPS = 8;
const GREETINGS = 100;

export async function run(): Promise<Row[]> {
  return [...(await planning()), ...(await firstTokens())];
}

/**
 * The cost of planning with a model besides the model, which answers at once here: catalog, prompt, reply schema,
 * routing, and parsing of the reply. The time from one reply to the next prompt also contains the rest of a step:
 * policy, two flushed commits, observation, audit line. And how much of each prompt the previous one contained.
 */
async function planning(): Promise<Row[]> {
  const ports = await openTestPorts();
  const home = makeTestHome(ports);
  const thinking: number[] = [];
  const steps: number[] = [];
  const shares: number[] = [];
  try {
    const skills = [...installedSkills, ...testSkills(home.journal).filter(({ id }) => id === "look")];
    const cards = skills.map(skillCard);
    const config = OperatorConfig.parse({});
    const models = ModelsConfig.parse({ providers: { instant: { kind: "ollama" } } });
    const router = createRouter({
      config: () => models,
      useSingleModel: () => false,
      open: (id) => instantModel(id, steps, shares),
    });
    const catalog = createCatalogSource({ cards: () => cards, settings: () => config.performance });
    const planner = createStructuredPlanner({ router, config: () => config, catalog });
    const opened = await home.open(timed(planner, thinking), { skills });
    for (let count = 0; count < RUNS; count += 1) {
      const { outcome } = await opened.ask("look into every place somehow");
      if (outcome !== "answered") throw new Error(`The run ended ${outcome ?? "nowhere"}.`);
    }
  } finally {
    await home.remove();
    await ports.close();
  }
  return [
    {
      what: `planner overhead per step, model time excluded, p95 of ${thinking.length}`,
      figure: quantile(thinking, 0.95),
      unit: "ms",
      target: 5,
    },
    { what: "planner overhead per step, median", figure: quantile(thinking, 0.5), unit: "ms" },
    { what: "from a model's reply to the next prompt, median", figure: quantile(steps, 0.5), unit: "ms" },
    {
      what: `prompt shared with the one before, worst of ${shares.length}`,
      figure: Math.min(...shares) * 100,
      unit: "%",
      least: 90,
    },
  ];
}

function timed(planner: Planner, took: number[]): Planner {
  return {
    ...planner,
    async next(state, signal) {
      const begun = performance.now();
      const move = await planner.next(state, signal);
      took.push(performance.now() - begun);
      return move;
    },
  };
}

/** A server that answers at once, so that the time between its answers is that of the operator. */
function instantModel(id: string, steps: number[], shares: number[]): ModelProvider {
  const info = { name: "instant:4b", contextTokens: 16_384 };
  let step = 0;
  let answered = 0;
  let before = "";
  return {
    id,
    kind: "ollama",
    address: "in this process",
    async *chat({ messages }) {
      if (step > 0) {
        steps.push(performance.now() - answered);
        shares.push(sharedPrefix(before, promptText(messages)) / before.length);
      }
      before = promptText(messages);
      step = step === STEPS ? 0 : step + 1;
      const reply =
        step === 0
          ? { thought: "All places were seen.", respond: true, responseStyle: "strict" }
          : { thought: "Look there.", action: { tool: "look", args: { text: `place ${String(step)}` } } };
      yield { type: "text", text: JSON.stringify(reply) };
      yield {
        type: "done",
        finish: "stop",
        usage: { promptTokens: 1, completionTokens: 1, generationMs: 1 },
      };
      answered = performance.now();
    },
    embed: async () => [],
    list: async () => [info],
    show: async () => info,
  };
}

function promptText(messages: readonly ChatMessage[]): string {
  return messages.map(({ role, content }) => `${role}\n${content}\n`).join("");
}

function sharedPrefix(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  return index;
}

/**
 * Measures the time from a model server's first piece of text to a subscriber of the run's events, over HTTP with the
 * real server.
 */
async function firstTokens(): Promise<Row[]> {
  let words = 0;
  const harness = await openModelHarness({
    answer: () => {
      words = performance.now();
      return { say: "Hello, what shall we do today?", pieces: 6 };
    },
  });
  const took: number[] = [];
  try {
    for (let count = 0; count < GREETINGS; count += 1) {
      const stream = { accept: "text/event-stream" };
      const response = await harness.owner.raw("POST", "/api/operator", { goal: "hello" }, stream);
      let first = true;
      for await (const { event } of readEvents(response)) {
        if (event !== "answer-delta" || !first) continue;
        first = false;
        took.push(performance.now() - words);
      }
    }
  } finally {
    await harness.close();
  }
  return [
    {
      what: `first token passed on, p95 of ${took.length}`,
      figure: quantile(took, 0.95),
      unit: "ms",
      target: 20,
    },
    { what: "first token passed on, median", figure: quantile(took, 0.5), unit: "ms" },
  ];
}
