import { z } from "zod";
import { describeMoment } from "@metahuman/core/contract/describe-when";
import { ScheduleAnswer } from "@metahuman/core/contract/schedule";
import type { Locator } from "@playwright/test";
import { text } from "node:stream/consumers";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SOWING_RECIPE } from "../support/sample-recipes.ts";
import { startOwnedServer } from "../support/server.ts";
import { startWebServer } from "../support/web-server.ts";
import { lookAt } from "./looking.ts";
import {
  alive,
  answered,
  ask,
  carryOut,
  expect,
  lastEntry,
  openChat,
  signIn,
  test,
  visitorTest,
} from "./support.ts";

/** Chooses a command of the menu of an automation. */
async function chooseMore(row: Locator, name: string | RegExp): Promise<void> {
  await row.getByRole("button", { name: /^More about/ }).click();
  await row.getByRole("button", { name }).click();
}

test.describe("an automation", () => {
  // The words of a day that does not exist are refused.
  test.use({ expectedComplaints: /422 \(Unprocessable/ });

  test("is previewed, created, run, paused, edited and deleted with undo", async ({ page, owner }) => {
    // Other tests leave their schedules.
    const existing = z.object({ items: z.array(z.looseObject({ id: z.string() })) });
    for (const { id } of existing.parse((await owner.get("/api/schedules")).body).items)
      await owner.send("DELETE", `/api/schedules/${id}`);
    await page.goto("/automations");
    await alive(page);
    await expect(page.getByText("Nothing is scheduled yet.")).toBeVisible();
    await page.getByRole("button", { name: "New automation" }).click();
    const dialog = page.getByRole("dialog", { name: "New automation" });
    await dialog.getByRole("textbox", { name: "Request" }).fill("create a task to sweep the floor");
    await dialog.getByLabel("When").fill("31 November");
    await dialog.getByLabel("When").blur();
    await expect(dialog.getByLabel("When")).toHaveAccessibleDescription(/no such day/);
    await dialog.getByLabel("When").fill("every weekday at 7:30");
    await dialog.getByLabel("When").blur();
    await expect(dialog.getByText("every weekday at 07:30")).toBeVisible();
    await expect(dialog.getByRole("listitem")).toHaveCount(5);
    await lookAt(page, "dialog[open]", "automations-new");
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(dialog).toBeHidden();

    const row = page.getByRole("listitem").filter({ hasText: "Create a task to sweep the floor" }).first();
    await expect(row).toContainText("every weekday at 07:30");
    await chooseMore(row, "Run now");
    await expect(row.getByText("succeeded").first()).toBeVisible();
    await row.getByText("History").click();
    await expect(row).toContainText("You started it.");
    await expect(page.getByRole("link", { name: "Done: Create a task to sweep the floor" })).toBeVisible();
    await lookAt(page, "main", "automations");

    await chooseMore(row, "Pause");
    await expect(row.getByText("paused", { exact: true })).toBeVisible();
    await chooseMore(row, "Resume");
    await expect(row.getByText("paused", { exact: true })).toHaveCount(0);

    await row.getByRole("button", { name: "Edit" }).click();
    const editor = page.getByRole("dialog", { name: "Edit automation" });
    await expect(editor.getByRole("button", { name: "Save" })).toBeDisabled();
    await editor.getByLabel("Title").fill("Sweep");
    await editor.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "Sweep" })).toBeVisible();

    await chooseMore(page.locator("main"), "Delete");
    await expect(page.getByText("Nothing is scheduled yet.")).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("heading", { name: "Sweep" })).toBeVisible();
    expect((await owner.get("/api/schedules")).body).toMatchObject({ total: 1 });
  });
});

test("Escape asks before the text of a new automation is lost, and it can be created then", async ({
  page,
}) => {
  await page.goto("/automations");
  await alive(page);
  await page.getByRole("button", { name: "New automation" }).click();
  const dialog = page.getByRole("dialog", { name: "New automation" });
  await dialog.getByText("Reminder", { exact: true }).click();
  await dialog.getByRole("textbox", { name: "Reminder" }).fill("water the ferns");
  await dialog.getByLabel("When").fill("every Sunday at 10");
  await page.keyboard.press("Escape");
  await expect(dialog.getByText("You have unsaved changes.")).toBeVisible();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("heading", { name: "water the ferns" })).toBeVisible();
});

test.describe("an empty automation", () => {
  test.use({ expectedComplaints: /422 \(Unprocessable/ });

  test("is not created, and says at its fields what is missing", async ({ page }) => {
    await page.goto("/automations");
    await alive(page);
    await page.getByRole("button", { name: "New automation" }).click();
    const form = page.getByRole("dialog", { name: "New automation" });
    await form.getByRole("button", { name: "Create" }).click();
    const request = form.getByRole("textbox", { name: "Request" });
    await expect(request).toHaveAccessibleDescription(/Must not be empty\./);
    await expect(request).toBeFocused();
    await expect(form.getByLabel("When")).toHaveAccessibleDescription(/Must not be empty\./);
  });
});

test("a notice shows the first lines of a long answer", async ({ page, owner }) => {
  for (let number = 1; number <= 12; number++) {
    await owner.post("/api/tasks", { title: `caulk seam ${number}` });
  }
  const created = await owner.post("/api/schedules", {
    what: { kind: "request", goal: "list my tasks" },
    when: { kind: "every", seconds: 3_600 },
    title: "Seams",
  });
  const { schedule } = ScheduleAnswer.parse(created.body);
  await page.goto("/automations");
  await alive(page);
  await owner.post(`/api/schedules/${schedule.id}/run`);
  const notice = page.getByRole("listitem").filter({ hasText: "Done: Seams" });
  const body = notice.getByRole("paragraph").filter({ hasText: "task · status" });
  await expect(body).toBeVisible();
  // Five lines of 20 pixels.
  expect((await body.boundingBox())?.height).toBeLessThanOrEqual(104);
  await owner.send("DELETE", `/api/schedules/${schedule.id}`);
});

test("a reminder arrives while the page is open, with a badge, until it is read", async ({ page, owner }) => {
  // Notices that earlier tests left unread.
  await owner.post("/api/notices");
  const created = await owner.post("/api/schedules", {
    what: { kind: "reminder", text: "Call the dentist" },
    when: { kind: "every", seconds: 3_600 },
  });
  const { schedule } = ScheduleAnswer.parse(created.body);
  await page.goto("/automations");
  await alive(page);
  await expect(page.getByRole("heading", { name: "Call the dentist" })).toBeVisible();
  await owner.post(`/api/schedules/${schedule.id}/run`);
  await expect(page.getByRole("status", { name: "News" })).toContainText("Call the dentist");
  // A notice of an earlier test may arrive meanwhile, too.
  await expect(page.getByRole("link", { name: /Automations.*[1-9]\d* unread/ })).toBeVisible();
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await expect(page.getByRole("link", { name: /unread/ })).toHaveCount(0);
});

test("one time of a recurring reminder is skipped, and its words can be edited", async ({ page, owner }) => {
  const created = await owner.post("/api/schedules", {
    what: { kind: "reminder", text: "Put out the paper bin" },
    when: "every other Monday at 19:00",
    timeZone: "Europe/Oslo",
  });
  const { next } = ScheduleAnswer.parse(created.body);
  const shown = (at = "", zone = "Europe/Oslo") => describeMoment(new Date(at), zone);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  await page.goto("/automations");
  await alive(page);
  const row = page.getByRole("listitem").filter({ hasText: "Put out the paper bin" });
  await expect(row.getByTitle(shown(next[0], own))).toBeVisible();
  const more = row.getByRole("button", { name: "More about “Put out the paper bin”" });
  await more.press("Enter");
  await row.getByRole("button", { name: /^Skip \d+ / }).press("Enter");
  await expect(row.getByTitle(shown(next[1], own))).toBeVisible();
  await expect(more).toBeFocused();
  await expect(row.getByText(/^Skips \d+ /)).toBeVisible();
  await row.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByRole("dialog", { name: "Edit automation" });
  await expect(editor.getByText(shown(next[1]))).toBeVisible();
  await expect(editor.getByText(shown(next[0]))).toHaveCount(0);
  await editor.getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: /^Do not skip/ }).click();
  await expect(row.getByTitle(shown(next[0], own))).toBeVisible();
  await expect(row.getByText(/^Skips \d+ /)).toHaveCount(0);
  await row.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit automation" });
  await expect(dialog.getByLabel("When")).toHaveValue("every 2 weeks on Monday at 19:00");
  await expect(dialog.getByText("every 2 weeks on Monday at 19:00 (Europe/Oslo). Next:")).toBeVisible();
  await dialog.getByLabel("When").fill("every second Tuesday at 20:00");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row.getByText("every 2 weeks on Tuesday at 20:00")).toBeVisible();
});

test("a skipped day on which nothing is due any more is no longer skipped, and the notice says so", async ({
  page,
  owner,
}) => {
  const { body } = await owner.post("/api/schedules", {
    what: { kind: "reminder", text: "feed the hens" },
    when: "every day at 9",
  });
  const { schedule } = ScheduleAnswer.parse(body);
  // The next Saturday that is not today, on which nothing may be due any more.
  const at = new Date();
  at.setUTCDate(at.getUTCDate() + (6 - at.getUTCDay() || 7));
  const saturday = at.toISOString().slice(0, 10);
  await owner.send("PUT", `/api/schedules/${schedule.id}`, { skipDays: [saturday] });
  await page.goto("/automations");
  await alive(page);
  const row = page.getByRole("listitem").filter({ hasText: "Feed the hens" }).first();
  await expect(row.getByText(/^Skips \d+ /)).toBeVisible();
  await row.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByRole("dialog", { name: "Edit automation" });
  await editor.getByLabel("When").fill("every weekday at 9");
  await editor.getByRole("button", { name: "Save" }).click();
  await expect(
    page.getByText(/^Saved “Feed the hens”\. It no longer skips \d+ \w+: nothing is due then\.$/),
  ).toBeVisible();
  await expect(row.getByText(/^Skips \d+ /)).toHaveCount(0);
});

test.describe("an automation that is changed in another tab", () => {
  test.use({ expectedComplaints: /409 \(Conflict/ });

  test("keeps both changes after a second save", async ({ page, owner }) => {
    const { body } = await owner.post("/api/schedules", {
      what: { kind: "reminder", text: "grease the winch" },
      when: "every Monday at 9",
    });
    const { schedule } = ScheduleAnswer.parse(body);
    await page.goto("/automations");
    await alive(page);
    const row = page.getByRole("listitem").filter({ hasText: "Grease the winch" }).first();
    await row.getByRole("button", { name: "Edit" }).click();
    const editor = page.getByRole("dialog", { name: "Edit automation" });
    await editor.getByLabel("When").fill("every Tuesday at 20:00");
    await owner.send("PUT", `/api/schedules/${schedule.id}`, { version: 1, title: "The winch" });
    await editor.getByRole("button", { name: "Save" }).click();
    await expect(
      editor.getByText(/^This automation was changed elsewhere.*“The winch”, every Monday at 09:00/),
    ).toBeVisible();
    await editor.getByRole("button", { name: "Save" }).click();
    await expect(editor).toBeHidden();
    const { schedule: saved } = ScheduleAnswer.parse((await owner.get(`/api/schedules/${schedule.id}`)).body);
    expect(saved).toMatchObject({ title: "The winch", when: { kind: "cron", expression: "0 20 * * 2" } });
  });
});

test("an edit is confirmed, and a title that repeats the words follows them", async ({ page, owner }) => {
  await owner.post("/api/schedules", {
    what: { kind: "reminder", text: "air the cellar" },
    when: "every day at 9",
  });
  await page.goto("/automations");
  await alive(page);
  const notices = page.getByRole("status", { name: "News" });
  const row = page.getByRole("listitem").filter({ hasText: "Air the cellar" }).first();
  await chooseMore(row, /^Skip \d+ /);
  await expect(notices.getByText(/^Skipped “Air the cellar”/)).toBeVisible();
  // An editor that is opened before the row shows the change is based on the version before it.
  await expect(row.getByText(/^Skips \d+ /)).toBeVisible();
  await row.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByRole("dialog", { name: "Edit automation" });
  await editor.getByRole("textbox", { name: "Reminder" }).fill("air the attic");
  await editor.getByRole("button", { name: "Save" }).click();
  await expect(notices.getByText("Saved “Air the attic”.")).toBeVisible();
  // Undoing the skip would be refused now: the schedule has changed.
  await expect(notices.getByText(/^Skipped/)).toHaveCount(0);
  const attic = page.getByRole("listitem").filter({ hasText: "Air the attic" }).first();
  await attic.getByRole("button", { name: "Edit" }).click();
  await editor.getByLabel("Title").fill("The roof");
  await editor.getByRole("button", { name: "Save" }).click();
  const roof = page.getByRole("listitem").filter({ hasText: "The roof" }).first();
  await roof.getByRole("button", { name: "Edit" }).click();
  await editor.getByRole("textbox", { name: "Reminder" }).fill("air the hayloft");
  await editor.getByRole("button", { name: "Save" }).click();
  await expect(editor).toBeHidden();
  await expect(page.getByRole("heading", { name: "The roof" })).toBeVisible();
});

visitorTest(
  "the words of an empty list of automations stand at the edge of their section",
  async ({ browser }) => {
    const { server, owner } = await startOwnedServer();
    const context = await browser.newContext({ baseURL: server.url });
    try {
      await signIn(context, owner);
      const page = await context.newPage();
      await page.goto("/automations");
      const left = async (name: string | RegExp) => (await page.getByText(name).boundingBox())?.x;
      await expect(page.getByText(/^No notices\./)).toBeVisible();
      const edge = (await page.getByRole("heading", { name: "Notices" }).boundingBox())?.x;
      expect(await left(/^Nothing is scheduled yet\./)).toBe(edge);
      expect(await left(/^No notices\./)).toBe(edge);
    } finally {
      await context.close();
      await server.dispose();
    }
  },
);

test("a reminder that was stopped in the chat is restored by the button under the answer", async ({
  page,
}) => {
  await openChat(page);
  await ask(page, "remind me every Sunday at 18:00 to water the orchids");
  await answered(page);
  await ask(page, "stop reminding me about the orchids");
  const allow = page.getByRole("button", { name: "Allow once" });
  await expect(allow.or(lastEntry(page).getByText(/can be restored/))).toBeVisible();
  if (await allow.isVisible()) await allow.click();
  await lastEntry(page)
    .getByRole("button", { name: /^Undo: restore/ })
    .click();
  await expect(lastEntry(page).getByText(/^Restored “/)).toBeVisible();
  await page.goto("/automations");
  await expect(page.getByRole("heading", { name: /orchids/ })).toBeVisible();
});

test("a finished run is scheduled from its page", async ({ page, owner }) => {
  const { runId } = await carryOut(owner, "create a task to rake the leaves");
  await page.goto(`/runs?run=${runId}`);
  await alive(page);
  await page.getByRole("button", { name: "Schedule…" }).click();
  const dialog = page.getByRole("dialog", { name: "New automation" });
  await expect(dialog.getByRole("textbox", { name: "Request" })).toHaveValue(
    "create a task to rake the leaves",
  );
  await dialog.getByLabel("When").fill("every weekday at 7:30");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("Scheduled. See it under Automations.")).toBeVisible();
  expect((await owner.get("/api/schedules?query=rake")).body).toMatchObject({
    items: [{ what: { kind: "request", goal: "create a task to rake the leaves" } }],
  });
});

test("a verified function is scheduled with values, from its page and from the automations", async ({
  page,
  owner,
}) => {
  const made = await owner.post("/api/functions", SOWING_RECIPE);
  const { id } = z.object({ function: z.looseObject({ id: z.string() }) }).parse(made.body).function;
  expect((await owner.post("/api/functions/promote", { id, reason: "Looked through." })).status).toBe(200);
  await page.goto(`/functions?function=${id}`);
  await alive(page);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("button", { name: "Schedule…" }).click();
  const dialog = page.getByRole("dialog", { name: "New automation" });
  await dialog.getByLabel("When").fill("on the first of the month");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByLabel("plant")).toHaveAccessibleDescription(/Required/);
  await dialog.getByLabel("plant").fill("beans");
  await expect(
    dialog.getByText(/^Without asking it may do this: add text at the end of a file/),
  ).toBeVisible();
  await lookAt(page, "dialog[open]", "automations-function");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("Scheduled. See it under Automations.")).toBeVisible();
  expect((await owner.get("/api/schedules?query=sowing")).body).toMatchObject({
    items: [
      { title: "Note a sowing", what: { kind: "function", functionId: id, values: { plant: "beans" } } },
    ],
  });

  await page.goto("/automations");
  await alive(page);
  await page.getByRole("button", { name: "New automation" }).click();
  await dialog.getByText("Function", { exact: true }).click();
  await expect(dialog.getByRole("button", { name: "Create" })).toBeDisabled();
  await dialog.getByLabel("Find a function").fill("harvest");
  await expect(dialog.getByText("No verified function matches.")).toBeVisible();
  await dialog.getByLabel("Find a function").fill("sowing");
  await dialog.getByRole("radio", { name: /^Note a sowing/ }).check();
  await dialog.getByLabel("plant").fill("kale");
  await dialog.getByLabel("When").fill("tomorrow at 8");
  await expect(
    dialog.getByText(/^Without asking it may do this: add text at the end of a file/),
  ).toBeVisible();
  await lookAt(page, "dialog[open]", "automations-pick-function");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog).toBeHidden();
  const listed = z.object({ items: z.array(z.looseObject({ what: z.unknown() })) });
  expect(listed.parse((await owner.get("/api/schedules")).body).items.map(({ what }) => what)).toContainEqual(
    {
      kind: "function",
      functionId: id,
      values: { plant: "kale" },
    },
  );
});

test.describe("a channel", () => {
  // The first test message goes to a private address that nobody has named.
  test.use({ expectedComplaints: /403 \(Forbidden/ });

  test("is turned on by the owner, set up, tested and turned off", async ({ page, server }) => {
    const bodies: string[] = [];
    const receiver = await startWebServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.end();
      });
    });
    await page.goto("/settings#notices");
    await alive(page);
    await expect(page.getByText("Off. Turn it on under Servers for notices.")).toHaveCount(3);
    await page.getByLabel("Webhooks").check();
    await page.getByRole("button", { name: "Set up Webhook" }).click();
    const dialog = page.getByRole("dialog", { name: "Webhook notices" });
    await dialog.getByLabel("Address").fill(`http://${receiver.host}/hook`);
    await dialog.getByRole("radio", { name: /^All/ }).check();
    await lookAt(page, "dialog[open]", "channel-set-up");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText(/^whsec_/)).toBeVisible();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByText(`http://${receiver.host}/hook`)).toBeVisible();

    await page.getByRole("button", { name: "Test Webhook" }).click();
    await expect(page.getByText(/is not on the public internet/)).toBeVisible();
    await mkdir(join(server.home, "etc"), { recursive: true });
    const network = { privateHosts: [receiver.host] };
    await writeFile(join(server.home, "etc/skills.json"), JSON.stringify({ network }));
    await expect(async () => {
      await page.getByRole("button", { name: "Test Webhook" }).click();
      await expect(page.getByText(/Sent a test message by Webhook/)).toBeVisible({ timeout: 1_000 });
    }).toPass();
    expect(bodies[0]).toContain("Test message");
    await lookAt(page, ".sections", "channels");

    await page.getByRole("button", { name: "Turn off Webhook" }).click();
    await expect(page.getByRole("button", { name: "Set up Webhook" })).toBeVisible();
    await receiver.close();
  });
});

test("the page is used with the keyboard alone", async ({ page }) => {
  await page.goto("/runs");
  await alive(page);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(page).toHaveURL(/\/automations$/);
  await alive(page);
  await page.getByRole("button", { name: "New automation" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "New automation" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "New automation" })).toBeFocused();
});
