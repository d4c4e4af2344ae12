import { describeMoment } from "@metahuman/core/contract/describe-when";
import { ScheduleAnswer, SchedulePreview } from "@metahuman/core/contract/schedule";
import { alive, expect, test } from "./support.ts";

test("an interval keeps the moments of its preview, when it is created and when it is edited", async ({
  page,
  owner,
}) => {
  await page.goto("/automations");
  await alive(page);
  await page.getByRole("button", { name: "New automation" }).click();
  const form = page.getByRole("dialog", { name: "New automation" });
  await form.getByText("Reminder", { exact: true }).click();
  await form.getByRole("textbox", { name: "Reminder" }).fill("check the bilge");
  const previewed = page.waitForResponse(/\/api\/schedules\/preview/);
  await form.getByLabel("When").fill("every hour");
  const { when } = SchedulePreview.parse(await (await previewed).json());
  await expect(form.getByRole("listitem")).toHaveCount(5);
  const created = page.waitForResponse(/\/api\/schedules$/);
  await form.getByRole("button", { name: "Create" }).click();
  const { schedule } = ScheduleAnswer.parse(await (await created).json());
  expect(schedule.when).toEqual(when);
  await expect(form).toBeHidden();

  const anchor = new Date(Date.now() - 17 * 60_000).toISOString();
  const changed = await owner.send("PUT", `/api/schedules/${schedule.id}`, {
    when: { kind: "every", seconds: 3_600, anchor },
  });
  const { next } = ScheduleAnswer.parse(changed.body);
  const row = page.getByRole("listitem").filter({ hasText: "Check the bilge" }).first();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const first = describeMoment(new Date(next[0] ?? ""), own);
  await expect(row.getByTitle(first)).toBeVisible();
  await row.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByRole("dialog", { name: "Edit automation" });
  await expect(editor.getByRole("listitem").first()).toHaveText(first);
});

test("after a deletion is undone by keyboard, the focus is on the page", async ({ page, owner }) => {
  await owner.post("/api/schedules", {
    what: { kind: "reminder", text: "coil the ropes" },
    when: "every day at 9",
  });
  await page.goto("/automations");
  await alive(page);
  const row = page.getByRole("listitem").filter({ hasText: "Coil the ropes" }).first();
  await row.getByRole("button", { name: /^More about/ }).press("Enter");
  await row.getByRole("button", { name: "Delete" }).press("Enter");
  await page.getByRole("button", { name: "Undo" }).last().press("Enter");
  await expect(row).toBeVisible();
  await expect(page.locator("main")).toBeFocused();
});

test("a schedule names its time zone only if it differs from that of the browser", async ({
  page,
  owner,
}) => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const [text, timeZone] of [
    ["Oil the oarlocks", own],
    ["Ring the Suva office", "Pacific/Fiji"],
  ])
    await owner.post("/api/schedules", {
      what: { kind: "reminder", text },
      when: "every day at 9",
      timeZone,
    });
  await page.goto("/automations");
  await alive(page);
  const rows = page.getByRole("listitem");
  await expect(
    rows
      .filter({ hasText: "Ring the Suva office" })
      .first()
      .getByText("Reminder · every day at 09:00 (Pacific/Fiji)", { exact: true }),
  ).toBeVisible();
  await expect(
    rows
      .filter({ hasText: "Oil the oarlocks" })
      .first()
      .getByText("Reminder · every day at 09:00", { exact: true }),
  ).toBeVisible();
});

test("the next moment and the history of a schedule of another zone are told by the clock of the browser", async ({
  page,
  owner,
}) => {
  const { body } = await owner.post("/api/schedules", {
    what: { kind: "reminder", text: "Call the Auckland office" },
    when: "every day at 9",
    timeZone: "Pacific/Auckland",
  });
  const { schedule, next } = ScheduleAnswer.parse(body);
  await owner.post(`/api/schedules/${schedule.id}/run`);
  await page.goto("/automations");
  await alive(page);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const row = page.getByRole("listitem").filter({ hasText: "Call the Auckland office" }).first();
  await expect(row.getByText(/^Next: (?:today|tomorrow), \d\d:\d\d by your clock$/)).toBeVisible();
  await expect(row.getByTitle(describeMoment(new Date(next[0] ?? ""), own))).toBeVisible();
  await row.getByText("History").click();
  await expect(row.getByText("Times are by your clock.")).toBeVisible();
  const moment = describeMoment(new Date(), own).slice(0, -5);
  await expect(row.getByRole("listitem").getByText(moment)).toBeVisible();
});
