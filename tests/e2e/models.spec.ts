import { chatting, PLANS, play, act, finish, openModelStage } from "../support/model-stage.ts";
import type { ModelStage } from "../support/model-stage.ts";
import { alive, answered, ask, expect, lastEntry, test as base } from "./support.ts";

const EMBEDS = { name: "nomic-embed-text:latest", abilities: ["embedding" as const], dimensions: 32 };
const OTHER = "other:4b";

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

test("a request in any words is planned by a model, answered in its words, and leads to its steps", async ({
  page,
  stage,
}) => {
  const plan = [
    act("fs_write", { path: "camping.md", content: "tent, lamp" }),
    act("fs_read", { path: "camping.md" }),
    finish,
  ];
  await stage.set({ answer: play(plan, "Your camping notes are in out/camping.md [2].") });
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
});

test("the models are seen, given roles, tried out and downloaded in the settings", async ({
  page,
  stage,
}) => {
  await stage.set({
    models: [chatting(PLANS), chatting(OTHER), EMBEDS],
    answer: [{ say: "I am good at lists." }],
  });
  await page.goto("/settings");
  const models = page.locator("#models");
  await expect(models).toContainText(`Plans with ollama/${OTHER}.`);
  await expect(models.getByLabel("Embedder: which model")).toHaveValue("");
  await expect(models.getByLabel("Embedder: which model")).toContainText(`Automatic: ollama/${EMBEDS.name}`);

  await models.getByLabel("Persona: which model").selectOption(`ollama/${PLANS}`);
  await expect
    .poll(async () => (await stage.situation()).roles.find(({ role }) => role === "persona")?.assigned)
    .toEqual([`ollama/${PLANS}`]);

  await models.getByRole("button", { name: `Test ${OTHER}` }).click();
  await expect(models.getByText("I am good at lists.")).toBeVisible();
  await expect(models.getByText(/First sign after \d+ ms, 10000 tokens\/s/)).toBeVisible();

  await models.getByLabel("Pull a model").fill("new:4b");
  await models.getByRole("button", { name: "Pull", exact: true }).click();
  const progress = models.getByRole("progressbar", { name: "Downloading new:4b" });
  await expect(progress).toBeVisible();
  // The bar is there at once; what is to be cancelled has to have reached the model server.
  const asked = () => stage.models.requests.find(({ path }) => path === "/api/pull");
  await expect.poll(asked).toBeDefined();
  await models.getByRole("button", { name: "Cancel" }).click();
  await expect(progress).toBeHidden();
  await expect.poll(() => asked()?.aborted).toBe(true);

  await models.getByLabel("Pull a model").fill("new:4b");
  await models.getByRole("button", { name: "Pull", exact: true }).click();
  await expect(async () => {
    stage.models.advancePull();
    await expect(models.getByText("new:4b", { exact: true })).toBeVisible({ timeout: 200 });
    await expect(progress).toBeHidden({ timeout: 200 });
  }).toPass();
});

test("a test prompt is shown while it is answered", async ({ page, stage }) => {
  await stage.set({ answer: () => ({ fault: "silent-midway" }) });
  await page.goto("/settings");
  const models = page.locator("#models");
  await models.getByRole("button", { name: `Test ${PLANS}` }).click();
  await expect(models.getByText("Half of")).toBeVisible();
  await page.goto("/");
  // Leaving the page ends the call: no model works for nobody.
  await expect.poll(() => stage.models.chats()[0]?.aborted).toBe(true);
});
