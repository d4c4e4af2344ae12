import { startTestServer } from "../support/server.ts";
import {
  alive,
  answered,
  ask,
  carryOut,
  expect,
  lastEntry,
  openChat,
  OWNER,
  signIn,
  test,
} from "./support.ts";

// These tests end sessions and servers: each has a session of its own, and a browser that may complain about it.

test("a session that ends while somebody types loses no text", async ({ browser, server }) => {
  const owner = await server.owner();
  const context = await browser.newContext({ baseURL: server.url });
  await signIn(context, owner);
  const page = await context.newPage();
  await openChat(page);
  await page.getByLabel("Your request").fill("what can you do?");

  // The request is what finds out that the session has ended: a stream that connects again could do so before it.
  await page.route("**/api/events*", (route) => route.abort());
  await owner.post("/api/auth/logout");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog.getByLabel(`Password for ${OWNER.username}`)).toBeFocused();
  await page.unroute("**/api/events*");
  await page.keyboard.type("not the password");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel(`Password for ${OWNER.username}`).fill(OWNER.password);
  await page.keyboard.press("Enter");

  await expect(dialog).toBeHidden();
  await answered(page);
  await expect(lastEntry(page)).toContainText("what can you do?");
  await context.close();
});

test("a session that ends during an edit loses none of it", async ({ browser, server }) => {
  const owner = await server.owner();
  const made = { title: "Sort the seeds", summary: "", steps: ["Sort them."], skillsUsed: ["fs_write"] };
  await owner.post("/api/functions", made);
  const context = await browser.newContext({ baseURL: server.url });
  await signIn(context, owner);
  const page = await context.newPage();
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("link", { name: /Sort the seeds/ }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByRole("dialog", { name: "Edit the function" });
  await editor.getByLabel("Summary").fill("By the month they are sown in.");

  await owner.post("/api/auth/logout");
  await page.keyboard.press("Control+s");
  const again = page.getByRole("dialog", { name: "Sign in again" });
  await again.getByLabel(`Password for ${OWNER.username}`).fill(OWNER.password);
  await page.keyboard.press("Enter");
  await expect(again).toBeHidden();
  await expect(editor).toBeHidden();
  await expect(page.getByRole("article")).toContainText("By the month they are sown in.");
  await context.close();
});

test("signing out leaves no data of the person, and signing in restores the page", async ({
  browser,
  server,
}) => {
  const context = await browser.newContext({ baseURL: server.url });
  await signIn(context, await server.owner());
  const page = await context.newPage();
  await openChat(page);
  await page.getByLabel("Your request").fill("a secret draft");
  await page.getByRole("button", { name: /^Profile/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/\/login$/);
  await page.goto("/memory");
  await expect(page).toHaveURL(/\/login/);
  await page.getByLabel("Username").fill(OWNER.username);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/memory$/);
  await page.goto("/");
  await expect(page.getByLabel("Your request")).toHaveValue("");
  await context.close();
});

test("the page survives a restart of its server, with its waiting decisions", async ({
  browser,
  complaints: _none,
}) => {
  const before = await startTestServer();
  const owner = await before.owner();
  const context = await browser.newContext({ baseURL: before.url });
  await signIn(context, owner);
  const page = await context.newPage();
  await carryOut(owner, 'create a file called restart.md with the text "x"');
  await openChat(page);
  await ask(page, "delete restart.md");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  await page.getByLabel("Your request").fill("typed meanwhile");

  await before.end("SIGKILL");
  const away = page.getByText(/^The server cannot be reached/);
  await expect(away).toBeVisible({ timeout: 10_000 });
  await page.keyboard.press("Enter");
  await expect(away).toHaveCount(2);
  const after = await startTestServer({ home: before.home, env: { PORT: new URL(before.url).port } });
  try {
    await expect(away).toHaveCount(0, { timeout: 15_000 });
    await expect(page.getByLabel("Your request")).toHaveValue("typed meanwhile");
    await page.getByRole("button", { name: "Allow once" }).click();
    await answered(page);
    await expect(lastEntry(page)).toContainText("Deleted out/restart.md");
    await context.close();
  } finally {
    await after.dispose();
    await before.dispose();
  }
});
