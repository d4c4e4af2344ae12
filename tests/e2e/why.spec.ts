import { z } from "zod";
import { expectAccessible } from "./looking.ts";
import { answered, ask, expect, lastEntry, openChat, test } from "./support.ts";

const Made = z.object({ function: z.looseObject({ id: z.string() }) });

test("the chip of a replayed function explains, as soon as the run ends, why it was chosen", async ({
  page,
  owner,
}) => {
  const spiceRecipe = (title: string, template: string, path: string) => ({
    title,
    summary: "A file for each shelf.",
    steps: ["Write the file.", "Note a task."],
    skillsUsed: ["fs_write", "task_create"],
    parameters: [{ name: "name", type: "string", description: "Which one", required: true }],
    recipe: {
      promptTemplates: [template],
      actions: [
        { skill: "fs_write", args: { path, content: "" } },
        { skill: "task_create", args: { title: "See to ${name}" } },
      ],
    },
  });
  const { body } = await owner.post(
    "/api/functions",
    spiceRecipe("Lay out a shelf", "lay out the {name} shelf", "shelves/${name}.md"),
  );
  const { id } = Made.parse(body).function;
  await owner.post("/api/functions/promote", { id, reason: "Looked through." });

  await openChat(page);
  await ask(page, "lay out the spice shelf");
  await answered(page);
  const chips = lastEntry(page).getByRole("list", { name: "Functions and memories" });
  await expect(chips.getByRole("button", { name: "Replayed Lay out a shelf" })).toBeVisible();
  await chips.getByRole("button", { name: "Replayed Lay out a shelf" }).press("Enter");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  const chosen = inspector.getByRole("listitem").filter({ hasText: "Lay out a shelf" });
  await expect(chosen).toContainText(/Followed, (strong|good|weak) match/);
  await expect(chosen).toContainText(/Has \d+ % of the words of the request/);
  await expectAccessible(page, "why a function was chosen", "all");
  // On a low panel, it opens scrolled to the function.
  await page.setViewportSize({ width: 1280, height: 300 });
  await inspector.getByRole("button", { name: "Close the inspector" }).click();
  await chips.getByRole("button", { name: "Replayed Lay out a shelf" }).click();
  await expect(chosen).toBeInViewport();
  await chosen.getByRole("link", { name: "Lay out a shelf" }).press("Enter");
  await expect(page).toHaveURL(new RegExp(`function=${id}`));
  await expect(page.getByRole("article").getByText("worked once")).toBeVisible();
});

test("a verified function runs by its title", async ({ page, owner }) => {
  const { body } = await owner.post("/api/functions", {
    title: "Start a packing list",
    summary: "An empty list to fill.",
    steps: ["Write the file.", "Note a task."],
    skillsUsed: ["fs_write", "task_create"],
    recipe: {
      promptTemplates: ["start a packing list"],
      actions: [
        { skill: "fs_write", args: { path: "packing/list.md", content: "- tent" } },
        { skill: "task_create", args: { title: "Fill the packing list" } },
      ],
    },
  });
  const { id } = Made.parse(body).function;
  await owner.post("/api/functions/promote", { id, reason: "Looked through." });
  await openChat(page);
  await ask(page, "run the function Start a packing list");
  await answered(page);
  await expect(lastEntry(page).getByRole("button", { name: "Followed Start a packing list" })).toBeVisible();
  const sentence = lastEntry(page).getByText(/^Created out\/packing\/list\.md/);
  await expect(sentence).toContainText("Fill the packing list");
  await expect(lastEntry(page)).not.toContainText('{"');
});

test("an answer from memory leads to its source, also for a question about the source", async ({
  page,
  owner,
}) => {
  await owner.post("/api/operator", { goal: "remember that the spare key hangs behind the barometer" });
  await openChat(page);
  for (const question of ["where does the spare key hang?", "how do you know where the spare key is?"]) {
    await ask(page, question);
    await answered(page);
    await expect(lastEntry(page)).toContainText("The spare key hangs behind the barometer.");
    // Without a model, no memory was read for the answer but the one that it repeats.
    await expect(lastEntry(page).getByRole("button", { name: /^Read / })).toHaveCount(0);
  }
  await lastEntry(page)
    .getByRole("link", { name: "From memory the spare key hangs behind the barometer" })
    .press("Enter");
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record).toContainText("From you");
  await expect(record).toContainText("Cited in an answer 2 times");
  await expect(record.getByRole("link", { name: "the conversation" })).toBeVisible();
});
