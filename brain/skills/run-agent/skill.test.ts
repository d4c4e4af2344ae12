import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { runAgent } from "./skill.ts";

const bench = skillBench();

describe("run_agent", () => {
  it("lets the agent work and tells what came of it", async () => {
    const { outputs, narrative } = await bench.call(runAgent, { agent: "librarian" });
    expect(outputs).toEqual({ started: true, result: "The librarian finished: Nothing to do." });
    expect(narrative).toBe("The librarian finished: Nothing to do.");
    const [run] = await bench.ports.agents.list();
    expect(run?.lastRun).toMatchObject({ trigger: "operator", status: "finished" });
  });

  it("does not wait when it is told not to", async () => {
    const { outputs } = await bench.call(runAgent, { agent: "librarian", wait: false });
    expect(outputs).toEqual({ started: true, result: "The librarian has begun." });
  });

  it("names the agents there are when it is asked for another", () => {
    expect(() => runAgent.parse({ agent: "plumber" })).toThrow(/librarian/);
  });

  it("is judged by what it sets off", async () => {
    expect(await runAgent.assess({ agent: "librarian", wait: true }, bench.ports)).toMatchObject({
      risk: "medium",
    });
  });
});
