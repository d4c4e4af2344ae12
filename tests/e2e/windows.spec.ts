import { answered, ask, carryOut, expect, lastEntry, openChat, test } from "./support.ts";

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
