import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { runAgent } from "./skill.ts";

const harness = skillHarness();

describe("run_agent", () => {
  it("runs the agent and reports the result", async () => {
    const { outputs, narrative } = await harness.call(runAgent, { agent: "librarian" });
    expect(outputs).toEqual({ started: true, result: "The librarian finished: Nothing to do." });
    expect(narrative).toBe("The librarian finished: Nothing to do.");
    const [run] = await harness.ports.agents.list();
    expect(run?.lastRun).toMatchObject({ trigger: "operator", status: "finished" });
  });

  it("does not wait if wait is false", async () => {
    const { outputs } = await harness.call(runAgent, { agent: "librarian", wait: false });
    expect(outputs).toEqual({ started: true, result: "The librarian has started." });
  });

  it("lists the agents for an unknown name", () => {
    expect(() => runAgent.parse({ agent: "plumber" })).toThrow(/librarian/);
  });

  it("has the risk of what the agent does", async () => {
    expect(await runAgent.assess({ agent: "librarian", wait: true }, harness.ports)).toMatchObject({
      risk: "medium",
    });
  });
});
