import { carryOut, expect, ownersFile, test } from "./support.ts";
import { existsSync } from "node:fs";

test("what was said is found again by its words, and comes back after it was deleted", async ({
  page,
  owner,
}) => {
  await carryOut(owner, "remember that the tide table lies in the green drawer");
  await page.goto("/memory");
  await page.getByLabel("Search all memory").fill("tide table");
  const row = page.getByRole("link", { name: /^the tide table lies/ });
  await expect(row.locator("mark").first()).toHaveText("tide");
  await row.click();
  const record = page.getByRole("region", { name: "The record that is picked" });
  await expect(record).toContainText("From you, its run");
  await record.getByText("The file, word for word").click();
  await expect(record.getByLabel("The record as JSON")).toContainText('"trust": "trusted"');

  await record.getByRole("button", { name: "Delete" }).click();
  await expect(row).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("link", { name: /^the tide table lies/ })).toBeVisible();
});

test("a fact written down is curated, pinned, and found by its address", async ({ page }) => {
  await page.goto("/memory");
  await page.getByLabel("Write down a fact to keep").fill("The boiler is serviced in May.");
  await page.getByRole("button", { name: "Keep" }).click();
  await expect(page.getByRole("tab", { name: /Curated/ })).toHaveAttribute("aria-selected", "true");
  await page.getByRole("link", { name: /^The boiler is serviced/ }).click();
  await page.getByRole("button", { name: "Pin" }).click();
  await expect(page.getByRole("link", { name: /^The boiler is serviced/ })).toContainText("pinned");
  await page.reload();
  await expect(page.getByRole("region", { name: "The record that is picked" })).toContainText(
    "The boiler is serviced",
  );
});

test("a record tells how often it was of use and what it is linked with, takes a verdict, and is edited", async ({
  page,
  owner,
}) => {
  await owner.post("/api/memories", { type: "curated", content: "Lent the drill", entities: ["Ana Ruiz"] });
  await owner.post("/api/memories", { type: "curated", content: "Bakes rye bread", entities: ["Ana Ruiz"] });
  await page.goto("/memory");
  await page.getByLabel("Search all memory").fill("rye bread");
  await page.getByRole("link", { name: /^Bakes rye bread/ }).click();
  const record = page.getByRole("region", { name: "The record that is picked" });
  await expect(record).toContainText("Opened from a search once");
  await record.getByRole("button", { name: "Useful", exact: true }).click();
  await expect(record).toContainText("found useful once");
  await expect(record).toContainText("Importance 1.00");

  await record.getByRole("button", { name: "Edit" }).click();
  const json = record.getByLabel("What may be changed, as JSON");
  await json.fill(`{"content": ""}`);
  await expect(record).toContainText("content: ");
  await expect(record.getByRole("button", { name: "Save" })).toBeDisabled();
  await json.fill(`{"content": "Bakes rye bread on Fridays"}`);
  await record.getByRole("button", { name: "Save" }).click();
  await expect(record).toContainText("Bakes rye bread on Fridays");

  await record.getByRole("link", { name: "Lent the drill" }).click();
  await expect(record).toContainText("Not used yet");
  await expect(record.getByRole("link", { name: /Bakes rye bread/ })).toBeVisible();
});

test("tasks are finished and deleted with a way back", async ({ page, owner }) => {
  await carryOut(owner, "add a task to oil the garden gate tomorrow");
  await page.goto("/memory?tab=tasks");
  const task = page.getByRole("listitem").filter({ hasText: "oil the garden gate" });
  await expect(task).toContainText("due tomorrow");
  await task.getByRole("checkbox").check();
  await expect(task).toContainText("done");
  await task.getByRole("button", { name: /^Delete/ }).click();
  await expect(task).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(task).toBeVisible();
});

test("the archive lists what went, files too, and brings it back", async ({ page, owner, server }) => {
  await carryOut(owner, 'create a file called archived.md with the text "x"');
  await carryOut(owner, "delete archived.md");
  await page.goto("/approvals");
  await page.getByRole("button", { name: "Allow once" }).first().click();
  await expect.poll(() => existsSync(ownersFile(server, "out/archived.md"))).toBe(false);
  await page.goto("/memory");
  await page.getByRole("tab", { name: /Archive/ }).click();
  const entry = page.getByRole("listitem").filter({ hasText: "archived.md" });
  await entry.getByRole("button", { name: /^Restore/ }).click();
  await expect(page.getByText(/^Restored/)).toBeVisible();
  await expect.poll(() => existsSync(ownersFile(server, "out/archived.md"))).toBe(true);
});

test.describe("a link to what is gone", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("says so instead of showing nothing", async ({ page }) => {
    await page.goto("/memory?record=evt-20200101T000000000Z-gone");
    await expect(page.getByText(/There is no memory/)).toBeVisible();
    await page.goto(`/runs?run=run-${"0".repeat(26)}`);
    await expect(page.getByText(/There is no such run/)).toBeVisible();
  });
});

test.describe("runs", () => {
  test("a run is read step by step, and leads to its conversation", async ({ page, owner }) => {
    const { runId, conversationId } = await carryOut(
      owner,
      'create a file called run-room.md with the text "x"',
    );
    await page.goto("/runs");
    await page.getByLabel("Search requests").fill("run-room");
    await page.getByRole("link", { name: /run-room\.md/ }).click();
    await expect(page).toHaveURL(new RegExp(`run=${runId}$`));
    const detail = page.getByRole("region", { name: "The run that is picked" });
    await expect(detail.getByText("fs_write", { exact: true })).toBeVisible();
    await expect(detail).toContainText("Created out/run-room.md");
    await detail.getByRole("link", { name: "Open the conversation" }).click();
    await expect(page).toHaveURL(new RegExp(`c=${conversationId}`));
  });
});
