import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer } from "../support/model-server/server.ts";
import { startTestServer } from "../support/server.ts";
import { expectAccessible, keepScreen } from "./looking.ts";
import { answered, ask, test as base, expect, lastEntry, openChat } from "./support.ts";

const MODEL = "plans:4b";
const write = (...todos: object[]) => ({
  json: { thought: "I keep a list.", action: { tool: "write_todos", args: { todos } } },
});

/**
 * A server whose planner is a model: only a model keeps a checklist. It waits with its second list, and with its last
 * words, until it is let go on.
 */
const gates = { 1: Promise.withResolvers<undefined>(), 2: Promise.withResolvers<undefined>() };
const script = [
  write({ text: "look at the *boats*", status: "in_progress" }, { text: "tell the crew" }),
  write({ text: "look at the *boats*", status: "done" }, { text: "tell the crew", status: "in_progress" }),
  { json: { thought: "That is all.", respond: true } },
  { say: "The boats are fine." },
];
const test = base.extend({
  server: [
    async ({ browserName: _none }, use) => {
      const models = await startModelServer({
        models: [{ name: MODEL, abilities: ["completion", "tools"], contextTokens: 8_192 }],
        answer: async (_request, index) => {
          if (index === 1 || index === 2) await gates[index].promise;
          return script[index] ?? { say: "There is nothing more." };
        },
      });
      const home = await mkdtemp(join(tmpdir(), "metahuman-checklist-"));
      await mkdir(join(home, "etc"));
      const providers = { ollama: { kind: "ollama", baseUrl: models.url } };
      await writeFile(join(home, "etc/models.json"), JSON.stringify({ providers }));
      const server = await startTestServer({ home });
      await use(server);
      await server.dispose();
      await models.close();
      await rm(home, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

test("the checklist of a run shows and changes while it goes on, and stays with the answer", async ({
  page,
}) => {
  await openChat(page);
  await ask(page, "prepare the regatta, whatever that takes");
  const list = lastEntry(page).getByRole("list", { name: "Checklist of this run" });
  await expect(list.getByRole("listitem")).toHaveText([
    "under way: look at the *boats*",
    "to do: tell the crew",
  ]);
  gates[1].resolve(undefined);
  await expect(list.getByRole("listitem")).toHaveText([
    "done: look at the *boats*",
    "under way: tell the crew",
  ]);
  await expectAccessible(page, "a checklist", "all");
  await keepScreen(page, "checklist");
  gates[2].resolve(undefined);
  await answered(page);
  await expect(list).toBeVisible();
});
