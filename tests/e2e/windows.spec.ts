import { ScheduleAnswer } from "@metahuman/core/contract/schedule";
import { alive, answered, ask, carryOut, expect, lastEntry, openChat, test } from "./support.ts";

test("a reload and a second tab attach to the same run", async ({ page, owner }) => {
  await carryOut(owner, 'create a file called attach.md with the text "x"');
  await openChat(page);
  await ask(page, "delete attach.md");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();

  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByRole("button", { name: "Allow once" }).click();
  await answered(second);
  await answered(page);
  await expect(lastEntry(page)).toContainText("Deleted out/attach.md");

  // The next request of the second tab is visible in the first without a reload.
  await carryOut(owner, 'create a file called attach2.md with the text "x"');
  await ask(second, "delete attach2.md");
  await expect(page.getByRole("heading", { name: "delete attach2.md" })).toBeVisible();
  await page.getByRole("button", { name: "Allow once" }).click();
  await answered(second);

  // So are requests that ended before the event arrived, and other changes of conversations.
  await ask(second, 'create a file called attach3.md with the text "x"');
  await expect(lastEntry(page)).toContainText("Created out/attach3.md");
  const other = await carryOut(owner, "add a task to look through the other window");
  await expect(
    second.getByRole("link", { name: "add a task to look through the other window" }),
  ).toBeVisible();
  await owner.send("PATCH", `/api/conversations/${other.conversationId}`, { title: "Through both windows" });
  await expect(page.getByRole("link", { name: "Through both windows" })).toBeVisible();
  await owner.send("PUT", "/api/settings", { displayName: "Ada of two windows" });
  await expect(page.getByRole("button", { name: "Profile: Ada of two windows" })).toBeVisible();
  await second.close();
});

test.describe("an automation that was deleted in another window", () => {
  test.use({ expectedComplaints: /404 \(Not Found/ });

  test("says so and where it is, in its editor and in its row", async ({ page, owner }) => {
    const { body } = await owner.post("/api/schedules", {
      what: { kind: "reminder", text: "tar the jetty" },
      when: "every Monday at 9",
    });
    const { schedule } = ScheduleAnswer.parse(body);
    // Without the live updates, the page learns of the deletion from its own requests alone.
    await page.route("**/api/events*", () => undefined);
    await page.goto("/automations");
    await alive(page);
    const row = page.getByRole("listitem").filter({ hasText: "Tar the jetty" }).first();
    await row.getByRole("button", { name: "Edit" }).click();
    const editor = page.getByRole("dialog", { name: "Edit automation" });
    await editor.getByLabel("When").fill("every Tuesday at 20:00");
    await owner.send("DELETE", `/api/schedules/${schedule.id}`);
    await editor.getByRole("button", { name: "Save" }).click();
    await expect(editor.getByText(/^This was deleted in the meantime\. Restore it/)).toBeVisible();
    await editor.getByRole("button", { name: "Cancel" }).click();
    await editor.getByRole("button", { name: "Discard" }).click();
    await row.getByRole("button", { name: /^More about/ }).click();
    await row.getByRole("button", { name: "Pause" }).click();
    await expect(
      page.getByText("“Tar the jetty” was deleted in the meantime. You find it under Memory → Archive."),
    ).toBeVisible();
    await expect(row).toHaveCount(0);
  });
});
