import { act, finish, openModelStage, play, type ModelStage } from "../support/model-stage.ts";
import {
  answered,
  ask,
  expect,
  expectAccessible,
  keepScreen,
  lastEntry,
  openChat,
  test as base,
} from "./support.ts";

/** The page of a server that has a double of Ollama beside it. */
const test = base.extend<object, { stage: ModelStage }>({
  stage: [
    async ({ browserName: _none }, use) => {
      const stage = await openModelStage();
      await use(stage);
      await stage.close();
    },
    { scope: "worker" },
  ],
  server: [async ({ stage }, use) => use(stage.server), { scope: "worker" }],
});

test("a run is judged with a thumb, and inspected down to what the model was asked", async ({
  page,
  stage,
}) => {
  stage.models.script(play([act("fs_write", { path: "camping.md", content: "tent" }), finish], "Noted [1]."));
  await openChat(page);
  await ask(page, "get my camping notes into shape somehow");
  await answered(page);
  const entry = lastEntry(page);
  const useful = entry.getByRole("button", { name: "This was useful", exact: true });
  await useful.click();
  await expect(useful).toHaveAttribute("aria-pressed", "true");
  await page.reload();
  await expect(useful).toHaveAttribute("aria-pressed", "true");
  const other = entry.getByRole("button", { name: "This was not useful", exact: true });
  await other.click();
  await expect(other).toHaveAttribute("aria-pressed", "true");
  await expect(useful).toHaveAttribute("aria-pressed", "false");

  await entry.getByRole("button", { name: "Inspect the run" }).click();
  const details = page.getByRole("region", { name: "Details" });
  const calls = details.getByText("ollama/plans:4b");
  await expect(calls).toHaveCount(3);
  await details.getByText("Step 1: Plans").click();
  await details.getByText("system", { exact: true }).first().click();
  await expect(details.getByText("You plan for MetaHuman OS").first()).toBeVisible();
  await expectAccessible(page, "inspector with prompts", "all");
  await keepScreen(page, "inspector-prompts");

  await page.goto("/runs");
  await page.getByRole("link", { name: /get my camping notes/ }).click();
  await page.getByRole("button", { name: "Learn a function from this" }).click();
  await page.getByText("It is a draft now").waitFor();
});
