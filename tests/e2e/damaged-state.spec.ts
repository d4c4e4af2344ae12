import { readdir, readFile } from "node:fs/promises";
import { startDamagedServer } from "../support/damaged-home.ts";
import { IMPORTED_FILES, killImport } from "../support/killed-import.ts";
import { startServerHere } from "../support/server.ts";
import { look } from "./looking.ts";
import { alive, expect, ownersFile, signIn, visitorTest } from "./support.ts";

const test = visitorTest.extend({
  server: async ({ browserName: _none }, use) => {
    const server = await startDamagedServer();
    await use(server);
    await server.dispose();
  },
});

test("chat reports unreadable conversations, and restores them", async ({ page, server }) => {
  const owner = await server.owner();
  await signIn(page.context(), owner);
  await page.goto(server.url);
  await alive(page);
  const notice = page.getByRole("alert");
  await expect(notice).toContainText("state.db");
  await expect(notice).toContainText("The damaged file is kept");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(notice.getByRole("button", { name: "Restore backup" })).toBeInViewport({ ratio: 1 });
    await look(page, "damaged-state");
  }

  await page.goto(`${server.url}/memory`);
  await expect(page.getByText("Conversations and runs are not available.")).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("link", { name: "Chat", exact: true }).last().click();
  await alive(page);
  await notice.getByRole("button", { name: "Restore backup" }).click();
  await expect(page.getByRole("heading", { name: "What would you like to do?" })).toBeVisible();
  await expect(page.getByRole("link", { name: /water the ferns/u }).first()).toBeVisible();
  await expect(page.getByRole("alert")).toBeHidden();
});

test("chat starts without them instead, and keeps the unreadable file", async ({ page, server }) => {
  await signIn(page.context(), await server.owner());
  await page.goto(server.url);
  await alive(page);
  await page.getByRole("alert").getByRole("button", { name: "Start anew" }).click();
  await expect(page.getByRole("heading", { name: "What would you like to do?" })).toBeVisible();
  await expect(page.getByRole("alert")).toBeHidden();
  await expect(page.getByText("Your conversations appear here.")).toBeVisible();
  const kept = (await readdir(ownersFile(server, "."))).filter((name) =>
    /^state\.db\.corrupt-\w+$/u.test(name),
  );
  expect(kept).toHaveLength(1);
  expect(await readFile(ownersFile(server, kept[0] ?? ""), "utf8")).toContain("garbage garbage");
});

const killedImportTest = visitorTest.extend({
  server: async ({ browserName: _none }, use) => {
    const killed = await killImport();
    const server = await startServerHere({ home: killed.home });
    await use(server);
    await server.dispose();
    await killed.dispose();
  },
});

killedImportTest(
  "a banner says how far a killed import came, until it is dismissed",
  async ({ page, server }) => {
    await signIn(page.context(), await server.owner());
    await page.goto(server.url);
    await alive(page);
    const banner = page.getByRole("status").filter({ hasText: "An import was cut off" });
    await expect(banner).toContainText(`of ${String(IMPORTED_FILES)} records are in place.`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await expect(banner.getByRole("button", { name: "Dismiss" })).toBeInViewport({ ratio: 1 });
      await look(page, "import-cut-off");
    }
    await banner.getByRole("link", { name: "Restore" }).click();
    await expect(page.getByRole("region", { name: "Data" })).toBeInViewport();
    await alive(page);
    await banner.getByRole("button", { name: "Dismiss" }).click();
    await expect(banner).toBeHidden();
    await page.reload();
    await alive(page);
    await expect(banner).toBeHidden();
    await page.goto(server.url);
    await alive(page);
    await expect(banner).toBeHidden();
  },
);
