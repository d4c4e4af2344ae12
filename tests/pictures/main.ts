import { chromium, type Page } from "@playwright/test";
import { FunctionPage } from "@metahuman/core/contract/answers";
import { join } from "node:path";
import { browserFlags, findBrowser } from "../../scripts/browser/find.mjs";
import { createContent } from "../e2e/create-content.ts";
import { alive, answered, ask, carryOut } from "../e2e/support.ts";
import type { Client } from "../support/client.ts";
import { REPOSITORY, startTestServer } from "../support/server.ts";
import { signIn } from "../support/sign-in.ts";

/** Takes the pictures of the guide and the README from the page as it is: `npm run pictures`. */
const IMAGES = join(REPOSITORY, "docs/images");
const WINDOW = { width: 1280, height: 800 };

const server = await startTestServer();
const executablePath = findBrowser();
const browser = await chromium.launch({
  ...(executablePath !== undefined && { executablePath }),
  args: browserFlags(),
});
try {
  await createContent(server);
  const owner = await server.owner();
  await learn(owner);
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: WINDOW,
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  await signIn(context, owner);
  const page = await context.newPage();
  await chat(page);
  await functions(page);
  await functionEditor(page);
  await memory(page);
  await page.goto("/runs?view=figures");
  await page.getByRole("heading", { name: "Runs per day" }).waitFor();
  await keep(page, "runs");
} finally {
  await browser.close();
  await server.dispose();
}

/** One task done several times, so that there is a function which was learned from it and used. */
async function learn(owner: Client): Promise<void> {
  await carryOut(owner, "create a task to buy milk and make milk file");
  const { body } = await owner.get("/api/functions?query=task&limit=1");
  const [learned] = FunctionPage.parse(body).items;
  if (!learned) throw new Error("Nothing was learned.");
  const { status } = await owner.post("/api/functions/promote", { id: learned.id });
  if (status !== 200) throw new Error(`What was learned is not verified: ${status}.`);
  for (const what of ["tea", "bread", "honey"])
    await carryOut(owner, `create a task to buy ${what} and make ${what} file`);
}

async function chat(page: Page): Promise<void> {
  await page.goto("/");
  await ask(page, "create a task to buy jam and make jam file");
  await answered(page);
  await page.locator("article summary").first().click();
  await page.getByRole("heading", { level: 2 }).first().click();
  await keep(page, "chat");
  await page.goto("/");
  await ask(page, "delete notes/today.md");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await keep(page, "approval");
}

async function functions(page: Page): Promise<void> {
  await page.goto("/functions?which=verified");
  await page.getByRole("link", { name: /task/i }).first().click();
  await page.getByRole("heading", { name: "Verification" }).waitFor();
  // Tall enough for the checks to show.
  await page.setViewportSize({ width: 1280, height: 960 });
  await keep(page, "functions");
  await page.setViewportSize(WINDOW);
}

async function functionEditor(page: Page): Promise<void> {
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("button", { name: "Generate…" }).click();
  await page.getByRole("button", { name: "Write it yourself" }).click();
  const editor = page.getByRole("dialog", { name: "Write a function" });
  await editor.getByRole("radio", { name: /Code/ }).check();
  await editor.getByLabel("Title").fill("Greet in capitals");
  await editor.getByLabel("May use").fill("fs_read");
  await editor.getByRole("textbox", { name: "Code" }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("await skills.fs_read({ path: 7 });\n");
  await editor.getByText("1 problem in code and tests.").waitFor();
  await editor.getByLabel("May use").scrollIntoViewIfNeeded();
  await keep(page, "function-editor");
}

async function memory(page: Page): Promise<void> {
  await page.goto("/memory");
  await page.getByLabel("Search all memory").fill("garage code");
  await page
    .getByRole("link", { name: /^the garage code/ })
    .first()
    .click();
  await page.getByText("The file, verbatim").waitFor();
  await keep(page, "memory");
}

async function keep(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: "disabled", caret: "hide" });
}
