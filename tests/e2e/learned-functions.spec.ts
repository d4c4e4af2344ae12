import { registerLongest } from "../support/code-samples.ts";
import { act, finish, play } from "../support/model-harness.ts";
import { lookAt } from "./looking.ts";
import { FunctionPage } from "@metahuman/core/contract/answers";
import {
  alive,
  answered,
  ask,
  carryOut,
  expect,
  lastEntry,
  openChat,
  test as plainTest,
  harnessTest as test,
} from "./support.ts";

test("the answer links what was learned, with the source of each value", async ({ page, harness }) => {
  await harness.set({
    answer: play(
      [
        act("fs_write", { path: "harbour.md", content: "calm" }),
        act("task_create", { title: "see harbour" }),
        finish,
      ],
      "It is done.",
    ),
  });
  await openChat(page);
  await ask(page, 'write "calm" to harbour.md and add a task "see harbour"');
  await answered(page);
  const chip = lastEntry(page).getByRole("link", { name: /^Learned / });
  await expect(chip).toBeVisible();
  await lookAt(page, "[aria-label='Functions and memories']", "chip-learned");
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const box = await chip.boundingBox();
  // The answer leaves the same margin on both sides.
  expect(390 - (box?.x ?? 0) - (box?.width ?? 390)).toBeGreaterThanOrEqual(Math.floor(box?.x ?? 0));
  if (before) await page.setViewportSize(before);
  await chip.press("Enter");
  await alive(page);
  const detail = page.getByRole("article");
  await expect(detail.getByText("Sources of its values")).toBeVisible();
  const origins = detail.getByRole("listitem").filter({ hasText: "from your request" });
  await expect(origins.filter({ hasText: "fs_write: " })).toContainText(/“path”: [^;]*from your request/);
  await expect(origins.filter({ hasText: "task_create: " })).toContainText(/“title”: [^;]*from your request/);
  await lookAt(page, "article", "function-origins");
  await detail.getByRole("button", { name: "Edit" }).press("Enter");
  const editor = page.getByRole("dialog", { name: "Edit the function" });
  await expect(editor.getByRole("heading", { name: "Sources of its values" })).toBeVisible();
});

plainTest(
  "the history of a learned function is hydrated and names the run of each version",
  async ({ page, owner }) => {
    for (const name of ["oars", "sails"]) {
      await carryOut(owner, `create a file called boat/${name}.md with the text "check"`);
      await carryOut(
        owner,
        `copy boat/${name}.md to boat/${name}-2.md and then append "oil" to boat/${name}-2.md`,
      );
    }
    const { items } = FunctionPage.parse((await owner.get("/api/functions?query=copy")).body);
    await page.goto(`/functions?function=${items[0]?.id ?? ""}`);
    await alive(page);
    const first = page.getByRole("listitem").filter({ hasText: "Learned from a request." });
    await first.getByText("v1").click();
    await expect(first.getByRole("link", { name: "From this run" })).toBeVisible();
    await lookAt(page, "article", "function-learned-history");
  },
);

test("the answer links what was registered to the page where it is approved", async ({ page, harness }) => {
  await harness.set({ answer: play([registerLongest("longest-in-the-yard"), finish], "It is registered.") });
  await openChat(page);
  await ask(page, "keep what you know of words for the yard somehow");
  await answered(page);
  const chip = lastEntry(page).getByRole("link", { name: /Registered, awaiting approval/ });
  await expect(chip).toContainText("Longest in the yard");
  await lookAt(page, "[aria-label='Functions and memories']", "chip-registered");
  await chip.press("Enter");
  await page.waitForURL(/\/approvals$/);
  await expect(page.getByText("Longest in the yard").first()).toBeVisible();
});

test("functions are narrowed to those of one agent, which the address keeps", async ({ page, harness }) => {
  await harness.set({ answer: play([registerLongest("longest-in-the-garden"), finish]) });
  await harness.ask("keep what you know of words for the garden somehow", { agentId: "gardener" });
  await harness.owner.post("/api/functions", {
    title: "Rake the leaves",
    summary: "One line.",
    steps: ["Do it."],
    skillsUsed: ["fs_write"],
  });
  await page.goto("/functions");
  await alive(page);
  const ofGardener = page.getByRole("link", { name: /Longest in the garden/ });
  const ofOperator = page.getByRole("link", { name: /Rake the leaves/ });
  await expect(ofGardener).toBeVisible();
  await expect(ofOperator).toBeVisible();
  await page.getByRole("button", { name: "Filters" }).click();
  const agent = page.getByRole("group", { name: "Filters" }).getByLabel("Agent");
  await agent.fill("The Gardener");
  await agent.press("Enter");
  await expect(agent).toHaveJSProperty("validity.valid", false);
  await expect(ofOperator).toBeVisible();
  await agent.fill("gardener");
  await agent.press("Enter");
  await expect(ofOperator).toHaveCount(0);
  await expect(ofGardener).toBeVisible();
  await expect(page).toHaveURL(/\/functions\?agent=gardener$/);
  await lookAt(page, "main", "functions-of-agent");
  await page.reload();
  await alive(page);
  await page.getByRole("button", { name: "Filters (1)" }).click();
  await expect(agent).toHaveValue("gardener");
  await expect(ofGardener).toBeVisible();
  await expect(ofOperator).toHaveCount(0);
  await agent.fill("");
  await agent.press("Enter");
  await expect(ofOperator).toBeVisible();
});
