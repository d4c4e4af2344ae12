import { LONGEST, WORD } from "../support/code-samples.ts";
import type { ChatScript } from "../support/model-server/script.ts";
import { chatModel, PLANS, play, act, finish } from "../support/model-harness.ts";
import { lookAt } from "./looking.ts";
import { alive, answered, ask, expect, lastEntry, harnessTest as test } from "./support.ts";

const EMBEDS = { name: "nomic-embed-text:latest", abilities: ["embedding" as const], dimensions: 32 };
const OTHER = "other:4b";

test("a request in any words is planned by a model, answered in its words, and leads to its steps", async ({
  page,
  harness,
}) => {
  const plan = [
    act("fs_write", { path: "camping.md", content: "tent, lamp" }),
    act("fs_read", { path: "camping.md" }),
    finish,
  ];
  await harness.set({ answer: play(plan, "Your camping notes are in out/camping.md [2].") });
  await page.goto("/welcome");
  await expect(page.getByText("a model", { exact: true })).toBeVisible();
  await expect(page.getByText(`Plans with ollama/${PLANS}.`)).toBeVisible();
  await page.getByRole("link", { name: "Open the chat" }).click();
  await alive(page);
  await ask(page, "get my camping notes into shape somehow");
  await answered(page);
  const entry = lastEntry(page);
  await expect(entry).toContainText("Your camping notes are in out/camping.md [2].");

  await entry.getByRole("link", { name: "Step 2" }).click();
  await expect(entry.getByRole("listitem").filter({ hasText: "Step 2, thought" })).toBeFocused();
  await expect(entry.getByText("fs_read", { exact: true })).toBeVisible();

  // Unfolding the steps again is not following the citation again.
  const steps = entry.locator("summary", { hasText: /3 steps ·/ });
  await steps.click();
  await expect(entry.getByText("fs_read", { exact: true })).toBeHidden();
  await steps.focus();
  await page.keyboard.press("Enter");
  await expect(entry.getByText("fs_read", { exact: true })).toBeVisible();
  await expect(steps).toBeFocused();
});

test("the models are listed, given roles, tested and downloaded in the settings", async ({
  page,
  harness,
}) => {
  await harness.set({
    models: [chatModel(PLANS), chatModel(OTHER), EMBEDS],
    answer: [{ say: "I am good at lists." }],
  });
  await page.goto("/settings#models");
  await alive(page);
  const models = page.locator("#models");
  await expect(models).toContainText(`Plans with ollama/${OTHER}.`);
  await expect(models.getByLabel("Embedder: which model")).toHaveValue("");
  await expect(models.getByLabel("Embedder: which model")).toContainText(`Automatic: ollama/${EMBEDS.name}`);

  await models.getByLabel("Persona: which model").selectOption(`ollama/${PLANS}`);
  await expect
    .poll(async () => (await harness.situation()).roles.find(({ role }) => role === "persona")?.assigned)
    .toEqual([`ollama/${PLANS}`]);

  await models.getByRole("button", { name: `Test ${OTHER}` }).click();
  await expect(models.getByText("I am good at lists.")).toBeVisible();
  await expect(models.getByText(/First token after \d+ ms, 10,000 tokens\/s/)).toBeVisible();

  await models.getByLabel("Pull a model").fill("new:4b");
  await models.getByRole("button", { name: "Pull", exact: true }).click();
  const progress = models.getByRole("progressbar", { name: "Downloading new:4b" });
  await expect(progress).toBeVisible();
  // The bar is there at once; the request must have reached the model server before it is cancelled.
  const asked = () => harness.models.requests.find(({ path }) => path === "/api/pull");
  await expect.poll(asked).toBeDefined();
  await lookAt(page, "#models", "models-pull");
  await models.getByRole("button", { name: "Cancel" }).click();
  await expect(progress).toBeHidden();
  await expect.poll(() => asked()?.aborted).toBe(true);

  await models.getByLabel("Pull a model").fill("new:4b");
  await models.getByRole("button", { name: "Pull", exact: true }).click();
  await expect(async () => {
    harness.models.advancePull();
    await expect(models.getByText("new:4b", { exact: true })).toBeVisible({ timeout: 200 });
    await expect(progress).toBeHidden({ timeout: 200 });
  }).toPass();
});

test("a download shows its size and speed, and a model is deleted after a question", async ({
  page,
  harness,
}) => {
  await harness.set({ models: [chatModel(PLANS)] });
  await page.goto("/settings#models");
  await alive(page);
  const models = page.locator("#models");
  await models.getByLabel("Pull a model").fill("brief:4b");
  await models.getByRole("button", { name: "Pull", exact: true }).press("Enter");
  const progress = models.getByRole("progressbar", { name: "Downloading brief:4b" });
  await expect
    .poll(() =>
      harness.models.requests.some(({ path, model }) => path === "/api/pull" && model === "brief:4b"),
    )
    .toBe(true);
  await expect(models.getByText("pulling manifest")).toBeVisible();
  harness.models.advancePull();
  await expect(models.getByText(/^0 bytes of 1/)).toBeVisible();
  // The speed is an average over half a second and more.
  await expect(async () => {
    harness.models.advancePull();
    await expect(models.getByText(/^\d+ bytes of 1.+, \d.*\/s$/)).toBeVisible({ timeout: 700 });
  }).toPass();
  await expect(async () => {
    harness.models.advancePull();
    await expect(progress).toBeHidden({ timeout: 200 });
  }).toPass();

  const remove = models.getByRole("button", { name: "Delete brief:4b" });
  const question = page.getByRole("dialog", { name: "Delete ollama/brief:4b?" });
  await remove.press("Enter");
  await question.getByRole("button", { name: "Cancel" }).press("Enter");
  await expect(question).toBeHidden();
  await expect(remove).toBeVisible();
  await remove.press("Enter");
  await question.getByRole("button", { name: "Delete" }).press("Enter");
  await expect(remove).toHaveCount(0);
  expect(harness.models.models.map(({ name }) => name)).toEqual([PLANS]);
});

test("a download that fails says why beside its form, also on a phone", async ({ page, harness }) => {
  await harness.set();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/settings#models");
  await alive(page);
  const models = page.locator("#models");
  await models.getByLabel("Pull a model").fill("missing:1b");
  await models.getByRole("button", { name: "Pull", exact: true }).click();
  await expect(models.getByText(/missing:1b. could not be downloaded/)).toBeInViewport();
  await expect(models.getByLabel("Pull a model")).toHaveValue("missing:1b");
});

test("an open page shows when a model becomes available or unavailable", async ({ page, harness }) => {
  await harness.set({ models: [chatModel(PLANS)] });
  await page.goto("/");
  await alive(page);
  await expect(page.getByRole("button", { name: `Model: ${PLANS}` })).toBeVisible();
  await harness.set({ models: [] });
  await expect(page.getByRole("button", { name: "Model: Built-in planner" })).toBeVisible();
  await harness.set({ models: [chatModel(OTHER)] });
  await expect(page.getByRole("button", { name: `Model: ${OTHER}` })).toBeVisible();
});

test("a missing ability of the chosen model is shown in the top bar and in the settings", async ({
  page,
  harness,
}) => {
  const limit = "ollama/small:1b has a context of 2,048 tokens; the planner needs 8,192";
  await harness.set({ models: [{ name: "small:1b", abilities: ["completion"], contextTokens: 2_048 }] });
  await page.goto("/settings#models");
  await alive(page);
  await expect(page.locator("#models").getByText(limit)).toBeVisible();

  await page.getByRole("button", { name: "Model: small:1b, limited" }).click();
  const popover = page.getByRole("banner").getByText(limit);
  await expect(popover).toBeVisible();
  await expect(page.getByRole("link", { name: "Choose models" })).toHaveAttribute("href", "/settings#models");
});

test("the model's popover closes when Tab leaves it, and the focus moves to what follows its button", async ({
  page,
  harness,
}) => {
  await harness.set();
  await page.goto("/");
  await alive(page);
  const opener = page.getByRole("button", { name: `Model: ${PLANS}`, exact: true });
  const panel = page.getByRole("dialog", { name: `Model: ${PLANS}` });
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(panel).toBeVisible();
  // The panel may hold links and buttons, which come first.
  await expect(async () => {
    await page.keyboard.press("Tab");
    await expect(panel).toBeHidden({ timeout: 500 });
  }).toPass();
  await expect(page.getByRole("button", { name: /^Mode and trust/ })).toBeFocused();
});

test("a test prompt is shown while it is answered", async ({ page, harness }) => {
  await harness.set({ answer: () => ({ fault: "silent-midway" }) });
  await page.goto("/settings#models");
  await alive(page);
  const models = page.locator("#models");
  await models.getByRole("button", { name: `Test ${PLANS}` }).click();
  await expect(models.getByText("Half of")).toBeVisible();
  await page.goto("/");
  // Leaving the page ends the call.
  await expect.poll(() => harness.models.chats()[0]?.aborted).toBe(true);
});

test("a function is generated by the curator: watched, cancelled, requested again, approved, improved and accepted", async ({
  page,
  harness,
}) => {
  test.slow();
  // Type checks, lint rules and tests of the code take seconds of processor time, which other tests use meanwhile.
  const whenChecked = { timeout: 60_000 };
  const written = (more = "") => ({
    json: {
      description: "Finds the longest word of a list.",
      parameters: [WORD],
      code: `${more}${LONGEST.source}`,
      tests: LONGEST.tests,
      examplePrompts: ["which word is the longest"],
    },
  });
  const never = new Promise<ChatScript>(() => undefined);
  await harness.set({ answer: (_request, index) => (index === 0 ? never : written()) });
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("button", { name: "New", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Generate…" }).press("Enter");
  const asking = page.getByRole("dialog", { name: "Generate a function" });
  await expect(asking.getByLabel("What should it do?")).toBeFocused();
  await page.keyboard.type("Find the longest word of a list");
  await expect(asking.getByLabel("Name")).toHaveValue("find-longest-word-list");
  await asking.getByRole("button", { name: "Generate" }).press("Enter");
  await expect(asking.getByRole("status")).toHaveText("Writing code, parameters and tests…");
  await lookAt(page, "dialog[open]", "curation-at-work");
  await asking.getByRole("button", { name: "Cancel" }).click();
  await expect(asking.getByRole("status")).toHaveText("Cancelled. Nothing was published or changed.");

  await asking.getByRole("button", { name: "Ask again" }).click();
  await expect(asking.getByLabel("What should it do?")).toHaveValue("Find the longest word of a list");
  await asking.getByRole("button", { name: "Generate" }).click();
  await expect(asking.getByRole("status")).toHaveText(
    "All checks passed. Review it and decide.",
    whenChecked,
  );
  await lookAt(page, "dialog[open]", "curation-written");
  await page.reload();
  await expect(asking.getByLabel("Code", { exact: true })).toContainText("longest: words.reduce");
  await asking.getByRole("button", { name: "Approve" }).click();
  await expect(asking.getByText("is verified, version 1.")).toBeVisible(whenChecked);
  await asking.getByRole("button", { name: "Open “Find longest word list”" }).click();

  await harness.set({ answer: [written("/** The longest of some words. */\n")] });
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("button", { name: "Improve with the curator" }).click();
  const improving = page.getByRole("dialog", { name: "Improve “Find longest word list”" });
  await improving.getByLabel("What should be improved?").fill("Say what it does in a comment");
  await improving.getByRole("button", { name: "Improve" }).click();
  const diff = improving.getByRole("region", { name: "Changes in the proposal" });
  await expect(diff.locator("ins").first()).toContainText("The longest of some words.", whenChecked);
  await lookAt(page, "dialog[open]", "curation-improved");
  await improving.getByRole("button", { name: "Accept" }).click();
  await expect(improving.getByText("is verified, version 2.")).toBeVisible(whenChecked);

  await harness.set({ answer: [written("const unfinished = (;\n"), written("const unfinished = (;\n")] });
  await improving.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("button", { name: "Improve with the curator" }).click();
  await improving.getByLabel("What should be improved?").fill("Make it faster");
  await improving.getByRole("button", { name: "Improve" }).click();
  await expect(improving.getByRole("status")).toContainText("It failed its checks", whenChecked);
  await lookAt(page, "dialog[open]", "curation-failed");
  await improving.getByRole("button", { name: "Edit it yourself" }).click();
  const editor = page.getByRole("dialog", { name: "Edit the function" });
  await expect(editor.getByRole("textbox", { name: "Code" })).toContainText("const unfinished");
  await expect(editor.getByRole("region", { name: "Problems in the code" })).toContainText("Code 1:");
});

test("an owner adds a model server with a key, tests it, changes it and removes it", async ({
  page,
  harness,
}) => {
  await harness.set({ models: [chatModel(PLANS)], answer: [{ say: "Hello." }] });
  await page.goto("/settings#models");
  await alive(page);
  const models = page.locator("#models");
  await models.getByRole("button", { name: "Add a model server…" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a model server" });
  await dialog.getByLabel("Name").fill("lab");
  await dialog.getByLabel("Address").fill(harness.models.openAiUrl);
  await dialog.getByRole("radio", { name: "Enter a key" }).check();
  await dialog.getByLabel("The key").fill("sk-secret-of-the-lab");
  await dialog.getByRole("button", { name: "Test" }).click();
  await expect(dialog.getByText(/Connected \(\d+ ms\)\. It has 1 model\./)).toBeInViewport();
  await lookAt(page, "dialog[open]", "model-server");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(models.getByRole("heading", { name: /^lab/ })).toBeVisible();
  expect(await page.content()).not.toContain("sk-secret-of-the-lab");

  await models.getByRole("button", { name: "Change…" }).click();
  const changing = page.getByRole("dialog", { name: "Change lab" });
  await expect(changing.getByRole("radio", { name: "Keep the key" })).toBeChecked();
  await changing.getByRole("radio", { name: "Environment variable" }).check();
  await changing.getByLabel("Variable name").fill("LAB_API_KEY");
  await changing.getByRole("button", { name: "Save" }).click();
  await expect(changing).toBeHidden();
  await lookAt(page, "#models", "models-servers");

  await models.getByRole("button", { name: "Remove…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(models.getByRole("heading", { name: /^lab/ })).toHaveCount(0);

  await models.getByRole("button", { name: `Delete ${PLANS}` }).click();
  await expect(page.getByRole("dialog")).toContainText("It currently has these roles: planner");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(models.getByRole("button", { name: `Delete ${PLANS}` })).toHaveCount(0);
});
