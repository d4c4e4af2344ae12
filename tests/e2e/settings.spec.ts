import { alive, answered, ask, carryOut, expect, lastEntry, openChat, test } from "./support.ts";

test("emulation is said on every page, and only talks", async ({ page }) => {
  await openChat(page);
  await page.getByRole("button", { name: /^Mode and trust: Dual/ }).click();
  await page.getByRole("radio", { name: /^Emulation/ }).check();
  const banner = page.getByText("Emulation: you can talk, but nothing is done, changed or kept.");
  await expect(banner).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Your request")).toHaveAttribute("placeholder", /nothing will be done/);
  await ask(page, "make emulated file");
  await answered(page);
  await expect(lastEntry(page)).not.toContainText("Created");
  await page.goto("/memory");
  await expect(banner).toBeVisible();
  await expect(page.getByRole("button", { name: "Keep" })).toBeHidden();
  await page.getByRole("button", { name: "Back to dual" }).click();
  await expect(banner).toBeHidden();
});

test("the trust level is explained, takes effect, and one skill can be pinned", async ({ page, owner }) => {
  await page.goto("/settings");
  await alive(page);
  const table = page.getByRole("table", { name: "What each trust level allows" });
  await expect(table.getByRole("row", { name: /^High risk/ })).toContainText(/refuses.*asks.*asks.*does it/);
  await page.getByRole("radio", { name: /^Observe/ }).check();
  await expect(page.getByRole("button", { name: /^Mode and trust: Dual · Observe/ })).toBeVisible();
  await openChat(page);
  await ask(page, 'create a file called observed.md with the text "x"');
  await answered(page);
  await expect(lastEntry(page)).toContainText(/may only read/);

  await page.goto("/settings");
  await alive(page);
  await page.getByRole("radio", { name: /^Supervised/ }).check();
  await page.getByLabel("task_create: when may it be used").selectOption("Always ask");
  await openChat(page);
  await ask(page, "add a task to test the pin");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await answered(page);
  await owner.send("PUT", "/api/trust", { skillOverrides: { task_create: null } });
});

test("the theme is the person's choice, and a page arrives in it", async ({ page, context }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/settings");
  await alive(page);
  const document = page.locator("html");
  await expect(document).toHaveCSS("background-color", "oklch(0.985 0.004 95)");
  await page.getByText("Dark", { exact: true }).click();
  await expect(document).toHaveCSS("background-color", "oklch(0.19 0.006 260)");
  expect(await (await context.request.get("/settings")).text()).toContain('data-theme="dark"');
  await page.reload();
  await expect(document).toHaveCSS("background-color", "oklch(0.19 0.006 260)");
  await page.getByText("System", { exact: true }).click();
  await expect(document).toHaveCSS("background-color", "oklch(0.985 0.004 95)");
});

test("the name, the index and the audit are looked after in one place", async ({ page, owner }) => {
  await carryOut(owner, "remember that the spare key hangs in the shed");
  await page.goto("/settings");
  await alive(page);
  await page.locator("#profile").getByLabel("Name").fill("Ada, Countess");
  await page.locator("#profile").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Profile: Ada, Countess" })).toBeVisible();

  await page.getByRole("button", { name: "Rebuild the index" }).click();
  await expect(page.getByRole("button", { name: "Rebuild the index" })).toBeEnabled({ timeout: 15_000 });

  await page.getByLabel("Search the audit").fill("skill_called");
  await expect(page.locator("#audit").getByText("skill called").first()).toBeVisible();
  await page.getByRole("button", { name: "Follow live" }).press("Enter");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await carryOut(owner, "add a task to oil the weathercock");
  await expect(page.locator("#audit").getByText("weathercock").first()).toBeAttached();
});

test.describe("a refusal", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("a wrong current password is told beside the form", async ({ page }) => {
    await page.goto("/settings");
    await alive(page);
    await page.getByLabel("Current password").fill("certainly wrong");
    await page.locator("#password").getByLabel("New password").fill("another good password");
    await page.getByRole("button", { name: "Change the password" }).click();
    await expect(page.locator("#password").getByRole("alert")).toBeVisible();
  });
});

test("commands and shortcuts reach everything without a pointer", async ({ page }) => {
  await openChat(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox")).toBeFocused();
  await page.keyboard.type("memo");
  await expect(page.getByRole("option").first()).toHaveText(/^Memory/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/memory$/);
  await alive(page);
  const tab = page.getByRole("tab", { name: /Episodic/ });
  await tab.focus();
  await page.keyboard.press("?");
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(shortcuts).toBeVisible();
  await shortcuts.getByLabel("Use shortcuts of a single key").uncheck();
  await page.keyboard.press("Escape");
  await expect(tab).toBeFocused();
  await page.keyboard.press("?");
  await expect(shortcuts).toBeHidden();
  // Typed at once: the keys are kept although the list may still be on its way.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("keyboard");
  await page.keyboard.press("Enter");
  await shortcuts.getByLabel("Use shortcuts of a single key").check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL(/\/runs$/);
});
