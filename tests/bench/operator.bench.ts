import { makeTestHome, type TestOperator } from "../../brain/agents/operator/testing/open-operator.ts";
import { call, say } from "../../brain/agents/operator/testing/scripted-planner.ts";
import { openTestPorts } from "../../brain/agents/operator/testing/test-ports.ts";
import type { Planner } from "../../brain/agents/operator/planner.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "operator";

const RUNS = 100;
const STEPS = 8;

/**
 * The overhead of the loop per step: from the planner's reply to its next call, with a planner and a skill that take no
 * time. It contains parsing, policy, two flushed commits, observation, audit line.
 */
export async function run(): Promise<Row[]> {
  const ports = await openTestPorts();
  const home = makeTestHome(ports);
  try {
    const steps: number[] = [];
    const opened = await home.open(timedPlanner(steps));
    const requests: number[] = [];
    for (let count = 0; count < RUNS; count += 1) requests.push(await timed(opened));
    return [
      {
        what: `operator overhead per step, p95 of ${steps.length}`,
        figure: quantile(steps, 0.95),
        unit: "ms",
        target: 5,
      },
      { what: "operator overhead per step, median", figure: quantile(steps, 0.5), unit: "ms" },
      {
        what: `request of ${STEPS} steps, from asked to answered, p95 of ${RUNS}`,
        figure: quantile(requests, 0.95),
        unit: "ms",
      },
    ];
  } finally {
    await home.remove();
    await ports.close();
  }
}

function timedPlanner(steps: number[]): Planner {
  let moved: number | undefined;
  return {
    name: "built-in",
    async next({ scratchpad }) {
      if (moved !== undefined && scratchpad.length > 0) steps.push(performance.now() - moved);
      const move =
        scratchpad.length < STEPS ? call("look", { text: `place ${scratchpad.length}` }) : say("Seen all.");
      moved = performance.now();
      return move;
    },
  };
}

async function timed(opened: TestOperator): Promise<number> {
  const begun = performance.now();
  const { outcome } = await opened.ask("look everywhere");
  if (outcome !== "answered") throw new Error(`The run ended ${outcome ?? "nowhere"}.`);
  return performance.now() - begun;
}
