import { expectAccessible, keepScreen } from "./looking.ts";
import { answered, ask, expect, lastEntry, openChat, harnessTest as test } from "./support.ts";

const write = (...todos: object[]) => ({
  json: { thought: "I keep a list.", action: { tool: "write_todos", args: { todos } } },
});

const script = [
  write({ text: "look at the *boats*", status: "in_progress" }, { text: "tell the crew" }),
  write({ text: "look at the *boats*", status: "done" }, { text: "tell the crew", status: "in_progress" }),
  { json: { thought: "That is all.", respond: true } },
  { say: "The boats are fine." },
];

test("the checklist of a run is updated live and stays with the answer", async ({ page, harness }) => {
  // Only a model keeps a checklist. It sends its second list and its answer only when the test allows it.
  const gates = { 1: Promise.withResolvers<undefined>(), 2: Promise.withResolvers<undefined>() };
  await harness.set({
    answer: async (_request, index) => {
      if (index === 1 || index === 2) await gates[index].promise;
      return script[index] ?? { say: "There is nothing more." };
    },
  });
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
