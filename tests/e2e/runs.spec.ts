import { alive, carryOut, expect, test } from "./support.ts";

test("a run is read step by step, and leads to its conversation", async ({ page, owner }) => {
  const { runId, conversationId } = await carryOut(
    owner,
    'create a file called run-room.md with the text "x"',
  );
  await page.goto("/runs");
  await alive(page);
  await page.getByLabel("Search requests").fill("run-room");
  await page.getByRole("link", { name: /run-room\.md/ }).click();
  await expect(page).toHaveURL(new RegExp(`run=${runId}`));
  const detail = page.getByRole("region", { name: "Selected run" });
  await expect(detail.getByText("fs_write", { exact: true })).toBeVisible();
  await expect(detail).toContainText("Created out/run-room.md");
  await detail.getByRole("button", { name: "This was useful", exact: true }).click();
  await expect(detail.getByRole("button", { name: "This was useful", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await detail.getByRole("link", { name: "Open the conversation" }).click();
  await expect(page).toHaveURL(new RegExp(`c=${conversationId}`));
});

test("figures show what is asked again, each with its table", async ({ page, owner }) => {
  for (let time = 0; time < 2; time += 1) await carryOut(owner, "List my tasks!");
  await page.goto("/runs");
  await alive(page);
  await page.getByRole("button", { name: "Figures" }).click();
  const again = page
    .getByRole("article")
    .filter({ has: page.getByRole("heading", { name: /^list my tasks/i }) });
  await expect(again.getByRole("img")).toHaveAccessibleName(
    /planning calls? at first.*answered \d+ of \d+ times/,
  );
  await again.getByText("As a table").click();
  await expect(again.getByRole("row").nth(1)).toContainText("answered");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Runs a day" })).toBeVisible();
});
