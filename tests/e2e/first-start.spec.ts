import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { startTestServer } from "../support/server.ts";
import { expect, visitorTest } from "./support.ts";

/** Nobody is known to the server. */
const test = visitorTest.extend({
  server: async ({ browserName: _none }, use) => {
    const server = await startTestServer();
    await use(server);
    await server.dispose();
  },
});

/** Presses a key until the control has focus, as a keyboard user does. */
async function moveTo(page: Page, control: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press(key);
    if ((await control.and(page.locator(":focus")).count()) > 0) return;
  }
  throw new Error(`${String(control)} cannot be reached with ${key}.`);
}

test("a newcomer gets from the first page to a file on disk by keyboard alone", async ({ page, server }) => {
  await page.goto(server.url);
  await expect(page).toHaveURL(/\/setup$/);
  await expect(page.getByRole("button", { name: "Create the owner account" })).toBeEnabled();

  await moveTo(page, page.getByLabel("Your name"));
  await page.keyboard.type("Ada Lovelace");
  await moveTo(page, page.getByLabel("Username"));
  await expect(page.getByLabel("Username")).toHaveValue("ada-lovelace");
  await moveTo(page, page.getByLabel("Password"));
  await page.keyboard.type("correct horse battery");
  await page.keyboard.press("Enter");

  await page.waitForURL(/\/welcome$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome, Ada Lovelace");
  await expect(page.getByText("the built-in planner", { exact: true })).toBeVisible();
  await expect(page.getByText(join(server.home, "profiles", "ada-lovelace"))).toBeVisible();

  await moveTo(page, page.getByRole("link", { name: "make sandwich file" }));
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Your request")).toBeFocused();
  await expect(page.getByLabel("Your request")).toHaveValue("make sandwich file");
  await page.keyboard.press("Enter");

  const entry = page.getByRole("article");
  await expect(entry.getByRole("heading", { name: "make sandwich file" })).toBeVisible();
  await expect(entry.getByText(/^1 step · created out\/sandwich\.txt/)).toBeVisible();
  await expect(entry).toContainText("Created out/sandwich.txt (empty).");
  expect(await readFile(join(server.home, "profiles/ada-lovelace/out/sandwich.txt"), "utf8")).toBe("");

  // From the composer back up to the trace, which opens with the keyboard and shows the exact call.
  await moveTo(page, entry.locator("summary"), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(entry.getByText("fs_write", { exact: true })).toBeVisible();
  await expect(entry.getByText("sandwich.txt", { exact: true })).toBeVisible();
});

test.describe("refusals", () => {
  // The browser notes them, too.
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("a password is shown while it is typed, and hidden again", async ({ page, server }) => {
    await page.goto(server.url);
    await expect(page.getByRole("button", { name: "Create the owner account" })).toBeEnabled();
    const password = page.getByLabel("Password");
    await password.fill("correct horse battery");
    await expect(password).toHaveAttribute("type", "password");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(password).toHaveAttribute("type", "text");
    await page.getByRole("button", { name: "Hide what you type" }).click();
    await expect(password).toHaveAttribute("type", "password");
    await expect(password).toHaveValue("correct horse battery");
  });

  test("a field that the server refuses is named next to the field and gets focus", async ({
    page,
    server,
  }) => {
    await page.goto(server.url);
    await page.getByLabel("Username").fill("Ada!");
    await page.getByLabel("Password").fill("short");
    await page.getByRole("button", { name: "Create the owner account" }).click();
    await expect(page.getByLabel("Username")).toHaveAccessibleDescription(/lower-case letters/);
    await expect(page.getByLabel("Username")).toBeFocused();
    await expect(page.getByLabel("Password")).toHaveAccessibleDescription(/at least 8 characters/i);
    await page.getByLabel("Username").fill("con");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Username")).toHaveAccessibleDescription(
      /The name con cannot be used: it is the name of a device on Windows\./,
    );
    await expect(page.getByLabel("Username")).toBeFocused();
  });

  test("a page that was opened before somebody else created the owner leads to the sign-in", async ({
    page,
    server,
  }) => {
    await page.goto(server.url);
    await page.getByLabel("Username").fill("bob");
    await page.getByLabel("Password").fill("correct horse battery");
    await server.owner();
    await page.getByRole("button", { name: "Create the owner account" }).click();
    await expect(page.getByText("This installation already has an owner.")).toBeVisible();
    await page.getByRole("link", { name: "Sign in" }).click();
    await expect(page).toHaveURL(/\/login$/);
  });

  visitorTest("nobody gets further than the doors without signing in", async ({ page, server }) => {
    await page.goto(`${server.url}/runs`);
    await expect(page).toHaveURL(/\/login\?to=%2Fruns$/);
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password").fill("a wrong password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await page.getByLabel("Password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/runs$/);
    await page.goto(`${server.url}/setup`);
    await expect(page).toHaveURL(`${server.url}/`);
  });
});
