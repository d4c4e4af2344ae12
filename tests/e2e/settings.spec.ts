import { mkdir, writeFile } from "node:fs/promises";
import { MemoryAnswer, MemoryDetail, TaskAnswer } from "@metahuman/core/contract/answers";
import { lookAt } from "./looking.ts";
import {
  alive,
  answered,
  ask,
  carryOut,
  expect,
  lastEntry,
  openChat,
  ownersFile,
  signIn,
  test,
} from "./support.ts";

test("emulation is shown on every page, and only talks", async ({ page }) => {
  await openChat(page);
  await page.getByRole("button", { name: /^Mode and trust: Everything/ }).click();
  await page.getByRole("radio", { name: /^Chat only/ }).check();
  const banner = page.getByText("Chat only (emulation): nothing is changed or saved.");
  await expect(banner).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Your request")).toHaveAttribute("placeholder", /nothing is changed/);
  await ask(page, "make emulated file");
  await answered(page);
  await expect(lastEntry(page)).not.toContainText("Created");
  await page.goto("/memory");
  await alive(page);
  await expect(banner).toBeVisible();
  await expect(page.getByRole("button", { name: "Keep" })).toBeHidden();
  await page.getByRole("button", { name: "Back to everything" }).click();
  await expect(banner).toBeHidden();
});

test("the trust level is explained, takes effect, and one skill can be pinned", async ({ page, owner }) => {
  await page.goto("/settings#trust");
  await alive(page);
  const table = page.getByRole("table", { name: "What each trust level allows" });
  await expect(table.getByRole("row", { name: /^High risk/ })).toContainText(/denied.*asks.*asks.*allowed/);
  await expect(table.getByRole("row", { name: /^Web/ })).toContainText(/denied.*asks.*asks.*asks/);
  await page.getByRole("radio", { name: /^Observe/ }).check();
  await expect(page.getByRole("button", { name: /^Mode and trust: Everything .* Observe/ })).toBeVisible();
  await openChat(page);
  await ask(page, 'create a file called observed.md with the text "x"');
  await answered(page);
  await expect(lastEntry(page)).toContainText(/can only read/);

  await page.goto("/settings#trust");
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

test("a setting that is changed in another window is shown, except in a field that somebody edits", async ({
  page,
  owner,
}) => {
  await page.goto("/settings");
  await alive(page);
  const name = page.getByLabel("Name", { exact: true }).first();
  const pin = page.getByLabel("fs_read: when may it be used");
  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: "Trust and skills" })
    .click();
  await expect(pin).toHaveValue("trust");
  await owner.send("PUT", "/api/settings", { displayName: "Ada elsewhere" });
  await owner.send("PUT", "/api/trust", { skillOverrides: { fs_read: "ask" } });
  await expect(pin).toHaveValue("ask");
  await page.goBack();
  await expect(name).toHaveValue("Ada elsewhere");
  await name.fill("Ada, half typ");
  await owner.send("PUT", "/api/settings", { displayName: "Ada again" });
  await owner.send("PUT", "/api/trust", { skillOverrides: { fs_read: null } });
  await expect(page.getByRole("button", { name: "Profile: Ada again" })).toBeVisible();
  await expect(name).toHaveValue("Ada, half typ");
});

test("the theme is the person's choice, and a page is served in it", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/settings");
  await alive(page);
  const document = page.locator("html");
  await expect(document).toHaveCSS("background-color", "oklch(0.985 0.004 95)");
  await page.getByText("Dark", { exact: true }).click();
  await expect(document).toHaveCSS("background-color", "oklch(0.19 0.006 260)");
  expect(await (await page.request.get("/settings")).text()).toContain('data-theme="dark"');
  await page.reload();
  await expect(document).toHaveCSS("background-color", "oklch(0.19 0.006 260)");
  await page.getByText("System", { exact: true }).click();
  await expect(document).toHaveCSS("background-color", "oklch(0.985 0.004 95)");
});

test("the name, the index and the audit are managed on one page", async ({ page, owner, server }) => {
  await carryOut(owner, "remember that the spare key hangs in the shed");
  await page.goto("/settings");
  await alive(page);
  await page.locator("#profile").getByLabel("Name").fill("Ada, Countess");
  await page.locator("#profile").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Profile: Ada, Countess" })).toBeVisible();

  await page.goto("/settings#index");
  await page.getByRole("button", { name: "Rebuild the index" }).click();
  await expect(page.getByRole("button", { name: "Rebuild the index" })).toBeEnabled({ timeout: 15_000 });

  await page.goto("/settings#audit");
  await page.getByLabel("Search the audit").fill("skill_called");
  await expect(page.locator("#audit").getByText("skill called").first()).toBeVisible();
  await page.getByRole("button", { name: "Follow live" }).press("Enter");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await carryOut(owner, "add a task to oil the weathercock");
  await expect(page.locator("#audit").getByText("weathercock").first()).toBeAttached();
  await page.locator("#audit summary").first().click();
  await lookAt(page, "#audit", "settings-audit");

  await mkdir(ownersFile(server, "inbox"), { recursive: true });
  await writeFile(ownersFile(server, "inbox/tides.md"), "High at six.");
  await page.goto("/automations#agents");
  await expect(page.getByRole("heading", { name: "Agents" })).toBeInViewport();
  const ingestor = page.locator("#agents > ul > li").filter({ hasText: "Ingestor" });
  await ingestor.getByRole("button", { name: /^Run/ }).click();
  await expect(ingestor.getByText(/just now/)).toBeVisible();
  await ingestor.getByText("Log", { exact: true }).click();
  await expect(ingestor.getByRole("listitem").first()).toBeVisible();
  await lookAt(page, "#agents", "automations-agents");
});

test("a backup is previewed before it is restored, kind by kind, and replaced items are archived", async ({
  page,
  owner,
}) => {
  const fact = { type: "curated", content: "The skylight key is blue." };
  const { memory } = MemoryAnswer.parse((await owner.post("/api/memories", fact)).body);
  const backup = Buffer.from(await (await owner.raw("GET", "/api/export")).arrayBuffer());
  await owner.send("PUT", `/api/memories/${memory.id}`, { content: "The skylight key is red.", version: 1 });
  const { task } = TaskAnswer.parse((await owner.post("/api/tasks", { title: "Oil the skylight" })).body);
  await owner.send("DELETE", `/api/tasks/${task.id}`);

  await page.goto("/settings#data");
  await alive(page);
  const data = page.getByRole("region", { name: "Data" });
  await data
    .getByLabel("Restore from a backup")
    .setInputFiles({ name: "ada.zip", mimeType: "application/zip", buffer: backup });
  const found = data.getByRole("region", { name: "Contents" });
  await expect(found.getByRole("columnheader", { name: "different, kept as they are" })).toBeVisible();
  await expect(found.getByRole("row", { name: /^Memories/ })).toBeVisible();
  await expect(data.getByText(/^A backup of .* \(ada\) from/)).toBeVisible();
  await expect(data.getByRole("meter", { name: "Storage" })).toBeVisible();
  await expect(data.getByText(/ of 20 GB, [\d,]+ of 1,000,000 files$/)).toBeVisible();
  await lookAt(page, "#data", "settings-backup");

  await data.getByRole("checkbox", { name: /^Replace items that differ/ }).check();
  await expect(found.getByRole("columnheader", { name: "would be changed" })).toBeVisible();
  const content = async () =>
    MemoryDetail.parse((await owner.get(`/api/memories/${memory.id}`)).body).memory.content;
  expect(await content()).toBe("The skylight key is red.");
  await data.getByRole("button", { name: "Restore", exact: true }).press("Enter");
  await expect(found.getByRole("columnheader", { name: "changed", exact: true })).toBeVisible();
  await expect(data.getByRole("button", { name: "Restore", exact: true })).toBeHidden();
  expect(await content()).toBe("The skylight key is blue.");
  await page.goto("/memory?tab=archive");
  await expect(page.getByRole("tabpanel")).toContainText("The skylight key is red.");
});

test("the settings of functions are changed by keyboard, and reset to the installation's", async ({
  page,
  owner,
}) => {
  const own = async () => (await owner.get("/api/settings")).body;
  await page.goto("/settings#functions");
  await alive(page);
  const section = page.getByRole("region", { name: "Functions" });
  const approval = section.getByLabel("Require approval");
  await expect(approval).toHaveValue("default");
  await expect(approval.getByRole("option", { name: "Default (on)" })).toBeAttached();
  const choose = async (label: string, key: string) => {
    await section.getByLabel(label, { exact: true }).focus();
    await page.keyboard.type(key);
    await page.keyboard.press("Tab");
  };
  await choose("Register by itself", "Off");
  await choose("Require approval", "Off");
  await choose("Prefer recipes", "On");
  const maximum = section.getByLabel("Maximum number");
  await maximum.fill("0");
  await maximum.press("Tab");
  await expect(maximum).toHaveAccessibleDescription(/Enter a whole number from 1 to 1,000\.$/);
  await lookAt(page, "#functions", "settings-functions-refused");
  await maximum.fill("50");
  await maximum.press("Tab");
  await choose("Search threshold", "A number");
  const fraction = section.getByLabel("Search threshold from 0 to 1");
  await fraction.fill("2");
  await fraction.press("Tab");
  await expect(fraction).toHaveAccessibleDescription("Enter a number from 0 to 1.");
  await fraction.fill("0.4");
  await fraction.press("Tab");
  const changed = {
    autoRegister: false,
    requireApproval: false,
    prefer: true,
    maxPerProfile: 50,
    searchThreshold: 0.4,
  };
  await expect.poll(own).toMatchObject({ settings: { functions: changed } });
  await lookAt(page, "#functions", "settings-functions");

  await owner.send("PATCH", "/api/settings", { functions: { prefer: false } });
  await expect(section.getByLabel("Prefer recipes")).toHaveValue("off");
  await page.reload();
  await alive(page);
  await expect(maximum).toHaveValue("50");
  await expect(fraction).toHaveValue("0.4");
  for (const label of ["Register by itself", "Require approval", "Prefer recipes"])
    await choose(label, "Default");
  await choose("Search threshold", "Default");
  await maximum.fill("");
  await maximum.press("Tab");
  await expect.poll(own).toHaveProperty("settings.functions", {});
});

test.describe("a refusal", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("a wrong current password is reported next to the form", async ({ page }) => {
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
  await shortcuts.getByLabel("Use single-key shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await expect(tab).toBeFocused();
  await page.keyboard.press("?");
  await expect(shortcuts).toBeHidden();
  // Typed at once: the keys are kept although the list may still be on its way.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("keyboard");
  await page.keyboard.press("Enter");
  await shortcuts.getByLabel("Use single-key shortcuts").check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL(/\/runs$/);
});

test("commands find a section of the settings by other words, and lead to it", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 400 });
  await openChat(page);
  for (const [typed, title] of [
    ["timezone", "Time zone and language"],
    ["rebuild", "Search index"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(typed);
    await expect(page.getByRole("option").first()).toContainText(title);
    await page.keyboard.press("Enter");
    await alive(page);
    await expect(page.getByRole("heading", { name: title })).toBeInViewport();
  }
});

test("the page is not left without asking while a persona is edited", async ({ page }) => {
  await page.goto("/settings#persona");
  await alive(page);
  const role = page.locator("#persona").getByLabel("Role");
  await expect(role).toBeEnabled();
  const before = await role.inputValue();
  await role.fill("a keen sailor");
  const asked = page.waitForEvent("dialog");
  const left = page.getByRole("link", { name: "Files" }).click();
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  await left;
  await expect(page).toHaveURL(/settings/);
  await expect(role).toHaveValue("a keen sailor");
  await role.fill(before);
});

test("commands list first what has the typed word in its name, in one list that scrolls", async ({
  page,
  owner,
}) => {
  for (let index = 0; index < 6; index += 1) {
    await carryOut(owner, `remember that hawser ${index} is tarred`);
    await owner.post("/api/tasks", { title: `splice the hawser ${index}` });
  }
  await carryOut(owner, "what is tarred?");
  await page.setViewportSize({ width: 1280, height: 400 });
  await openChat(page);
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").fill("hawser");
  await expect(page.getByRole("option").first()).toContainText("hawser");
  const labels = await page.getByRole("option").allInnerTexts();
  const first = labels.findIndex((label) => !label.includes("hawser"));
  expect(
    labels.slice(first === -1 ? labels.length : first).filter((label) => label.includes("hawser")),
  ).toEqual([]);
  const hidden = await dialog.evaluate(
    (element: { scrollHeight: number; clientHeight: number }) => element.scrollHeight - element.clientHeight,
  );
  expect(hidden).toBe(0);
});

test("a long name leaves the title of the page readable", async ({ page, owner }) => {
  await owner.send("PUT", "/api/settings", { displayName: "Wolfeschlegelsteinhausen ".repeat(4).trim() });
  await page.goto("/memory");
  const title = page.getByRole("heading", { name: "Memory", level: 1 });
  const cut = await title.evaluate(
    (element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth - element.clientWidth,
  );
  await owner.send("PUT", "/api/settings", { displayName: "Ada" });
  expect(cut).toBe(0);
});

test("commands list an exchange as its conversation, and a fact once", async ({ page, owner }) => {
  for (let time = 0; time < 3; time += 1) await carryOut(owner, "where is the sextant kept?");
  await owner.post("/api/memories", { type: "curated", content: "The sextant is kept under the stairs." });
  await openChat(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("sextant");
  await expect(page.getByRole("option").filter({ hasText: "under the stairs" })).toHaveCount(1);
  const exchange = page.getByRole("option").filter({ hasText: "where is the sextant kept?" });
  await expect(exchange.filter({ hasText: /Conversations$/ }).first()).toBeVisible();
  await expect(exchange.filter({ hasText: /Memory$/ })).toHaveCount(0);
});

test("Escape asks before the text of a new model server is lost", async ({ page }) => {
  await page.goto("/settings#models");
  await alive(page);
  await page.getByRole("button", { name: "Add a model server…" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a model server" });
  await dialog.getByLabel("Name").fill("lab");
  await page.keyboard.press("Escape");
  await expect(dialog.getByText("You have unsaved changes.")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await expect(dialog.getByLabel("Name")).toHaveValue("lab");
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toBeHidden();
});

test.describe(() => {
  test.use({ expectedComplaints: /422/ });

  test("the time zone and language of a profile are shown, checked and changed", async ({ page, owner }) => {
    await page.goto("/settings");
    await alive(page);
    const section = page.getByRole("region", { name: "Time zone and language" });
    const zone = section.getByRole("combobox", { name: "Time zone" });
    await expect(zone).toHaveAttribute("placeholder", "Same as the server");
    // The list of zones would slow down every opening of the page.
    await expect(section.locator("option")).toHaveCount(0);
    await zone.focus();
    await expect(section.locator('option[value="Europe/Oslo"]')).toHaveCount(1);
    await zone.fill("Middle-earth");
    await section.getByRole("button", { name: "Save" }).click();
    await expect(zone).toBeFocused();
    await expect(zone).toHaveAccessibleDescription(/Must be a time zone such as Europe\/Oslo\./);
    await zone.fill("oslo");
    await section.getByLabel("Language tag").fill("nb-NO");
    await section.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved your time zone and language.")).toBeVisible();
    expect((await owner.get("/api/settings")).body).toMatchObject({
      settings: { timeZone: "Europe/Oslo", locale: "nb-NO" },
    });
    await owner.send("PUT", "/api/settings", { timeZone: null, locale: null });
  });
});

test("a time zone that is typed before the settings load stays as typed", async ({ page }) => {
  const { promise: mayArrive, resolve: letArrive } = Promise.withResolvers<void>();
  await page.route("**/api/settings", async (route) => {
    await mayArrive;
    await route.continue();
  });
  await page.goto("/settings");
  await alive(page);
  const zone = page.getByRole("combobox", { name: "Time zone" });
  await zone.fill("Europe/Oslo");
  letArrive();
  await page.goto("/settings#functions");
  await expect(page.getByRole("region", { name: "Functions" }).getByLabel("Prefer recipes")).toBeVisible();
  await expect(page.locator("#flags").getByRole("checkbox").first()).toBeVisible();
  await page.goto("/settings#region");
  await expect(zone).toHaveValue("Europe/Oslo");
});

test("a request from the page carries the browser's time zone and language", async ({ page }) => {
  await openChat(page);
  const sent = page.waitForRequest((request) => request.url().endsWith("/api/operator"));
  await ask(page, "list my files");
  const { timeZone, locale } = await page.evaluate(() => {
    return new Intl.DateTimeFormat(navigator.language).resolvedOptions();
  });
  expect((await sent).postDataJSON()).toMatchObject({ timeZone, locale });
  await answered(page);
});

test("a time is shown in the time zone of the browser, in the answer and in the list of tasks", async ({
  browser,
  server,
  owner,
}) => {
  const context = await browser.newContext({ baseURL: server.url, timezoneId: "Europe/Helsinki" });
  await signIn(context, owner);
  const page = await context.newPage();
  await openChat(page);
  await ask(page, "add a task to call the zone office at 5pm on friday");
  await answered(page);
  await expect(lastEntry(page)).toContainText(/17:00|5 ?pm/i);
  await expect(lastEntry(page)).not.toContainText(/15:00|UTC/);
  await page.goto("/memory?tab=tasks");
  await expect(page.getByRole("listitem").filter({ hasText: "call the zone office" })).toContainText("17:00");
  await page.goto("/memory?query=zone%20office");
  const call = page.getByRole("link", { name: /^Created the task "call the zone office"/ });
  await expect(call).toContainText("17:00");
  await context.close();
});
