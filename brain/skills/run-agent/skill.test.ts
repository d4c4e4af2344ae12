import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { runAgent } from "./skill.ts";

const bench = skillBench();

describe("run_agent", () => {
  it("runs the agent and reports the result", async () => {
    const { outputs, narrative } = await bench.call(runAgent, { agent: "librarian" });
    expect(outputs).toEqual({ started: true, result: "The librarian finished: Nothing to do." });
    expect(narrative).toBe("The librarian finished: Nothing to do.");
    const [run] = await bench.ports.agents.list();
    expect(run?.lastRun).toMatchObject({ trigger: "operator", status: "finished" });
  });

  it("does not wait if wait is false", async () => {
    const { outputs } = await bench.call(runAgent, { agent: "librarian", wait: false });
    expect(outputs).toEqual({ started: true, result: "The librarian has started." });
  });

  it("lists the agents for an unknown name", () => {
    expect(() => runAgent.parse({ agent: "plumber" })).toThrow(/librarian/);
  });

  it("has the risk of what the agent does", async () => {
    expect(await runAgent.assess({ agent: "librarian", wait: true }, bench.ports)).toMatchObject({
      risk: "medium",
    });
  });
});
