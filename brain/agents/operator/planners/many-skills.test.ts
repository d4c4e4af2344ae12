import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorConfig } from "@metahuman/core/contract/config";
import { ModelsConfig } from "@metahuman/core/contract/models";
import { type Skill, defineSkill } from "@metahuman/skills/define-skill";
import { installedSkills } from "@metahuman/skills/installed";
import { skillCard } from "@metahuman/skills/skill-card";
import { openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import { z } from "zod";
import { act, finish, play } from "../../../../tests/support/model-harness.ts";
import { startModelServer, type ModelServer } from "../../../../tests/support/model-server/server.ts";
import { makeTestHome, type TestHome } from "../testing/open-operator.ts";
import { openTestPorts, type TestPorts } from "../testing/test-ports.ts";
import { createCatalogSource } from "./model/catalog.ts";
import { createStructuredPlanner } from "./structured.ts";
import { createToolCallingPlanner } from "./tool-calling.ts";

// Three hundred skills and a small model, which is shown some of them and finds the others when it needs them.

const deliveries: string[] = [];

const tool = (id: string, summary: string): Skill =>
  defineSkill({
    id,
    summary,
    category: "web",
    input: z.strictObject({ to: z.string().min(1).max(80) }),
    output: z.strictObject({ sent: z.string() }),
    effects: "write",
    risk: "low",
    phrases: [],
    narrate: ({ sent }) => `Sent to ${sent}.`,
    run: async ({ to }) => {
      deliveries.push(`${id} ${to}`);
      return { sent: to };
    },
  });

const many = Array.from({ length: 300 }, (_, index) =>
  tool(
    `gadget_${String(index)}`,
    `Operate the gadget with the serial number ${String(index)} in the workshop`,
  ),
);
many.splice(250, 1, tool("invoice_send", "Send an invoice to a customer"));
many.splice(100, 1, tool("greenhouse_water", "Water the tomatoes in the greenhouse"));
const skills: readonly Skill[] = [...installedSkills, ...many];
const cards = skills.map(skillCard);

let models: ModelServer;
let ports: TestPorts;
let home: TestHome;
beforeAll(async () => {
  models = await startModelServer();
  const opened = await openTestPorts();
  ports = { ...opened, ports: { ...opened.ports, catalog: () => cards } };
  home = makeTestHome(ports);
});
afterAll(async () => {
  await home.remove();
  await ports.close();
  await models.close();
});

function planning() {
  const config = ModelsConfig.parse({ providers: { ollama: { kind: "ollama", baseUrl: models.url } } });
  const router = createRouter({
    config: () => config,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  const operator = OperatorConfig.parse({});
  const catalog = createCatalogSource({ cards: () => cards, settings: () => operator.performance });
  return { router, config: () => operator, catalog };
}

describe("300 skills", () => {
  it("are listed only if they are core skills or relevant to the request", async () => {
    models.script(play([act("invoice_send", { to: "Ada" }), finish]));
    models.requests.splice(0);
    const { ask } = await home.open(createStructuredPlanner(planning()), { skills });
    const run = await ask("bill my customer for the work in March with an invoice");
    expect(run.scratchpad[0]).toMatchObject({
      action: { tool: "invoice_send" },
      observation: { success: true },
    });
    expect(deliveries.splice(0)).toEqual(["invoice_send Ada"]);
    const [first] = models.chats();
    const rules = first?.messages[0]?.content ?? "";
    expect(rules).toContain("- invoice_send(to*): Send an invoice to a customer");
    expect(rules).toContain("- skill_search(query*");
    expect(rules).not.toContain("greenhouse_water");
    expect(rules.length / 3.5).toBeLessThan(2_000);
  });

  it("are found by skill_search when the request does not name them, and can then be called", async () => {
    models.script(
      play([
        act("skill_search", { query: "water tomatoes" }),
        act("greenhouse_water", { to: "bed 2" }),
        finish,
      ]),
    );
    models.requests.splice(0);
    const { ask } = await home.open(createStructuredPlanner(planning()), { skills });
    const run = await ask("it has been dry for days, look after my vegetables");
    expect(run.outcome).toBe("answered");
    expect(deliveries.splice(0)).toEqual(["greenhouse_water bed 2"]);
    const [before, after] = models.chats();
    expect(after?.messages.at(-1)?.content).toContain("- greenhouse_water(to*) → sent:");
    expect(JSON.stringify(before?.format)).not.toContain("greenhouse_water");
    expect(JSON.stringify(after?.format)).toContain("greenhouse_water");
    // A server can reuse the cached prefix of the first prompt for the second.
    expect(after?.messages[0]).toEqual(before?.messages[0]);
  });

  it("become separate tools for models with tool calls", async () => {
    let step = 0;
    models.script(({ tools }) =>
      tools.length === 0
        ? { say: "Done." }
        : ([
            { call: [{ name: "skill_search", args: { query: "water tomatoes" } }] },
            { call: [{ name: "greenhouse_water", args: { to: "bed 3" } }] },
          ][step++] ?? { say: "Watered." }),
    );
    models.requests.splice(0);
    const { ask } = await home.open(createToolCallingPlanner(planning()), { skills });
    await ask("it has been dry for days, look after my vegetables");
    expect(deliveries.splice(0)).toEqual(["greenhouse_water bed 3"]);
    const [before, after] = models.chats();
    expect(before?.tools).toContain("fs_read");
    expect(before?.tools).not.toContain("greenhouse_water");
    expect(after?.tools).toContain("greenhouse_water");
  });
});
