import { expect, expectAccessible, keepScreen, test } from "./support.ts";

test("a draft is read, promoted, disabled, deleted and brought back", async ({ page, owner }) => {
  const note = {
    title: "Keep a fence note",
    summary: "One line.",
    steps: ["Write it."],
    skillsUsed: ["fs_write"],
  };
  expect((await owner.post("/api/functions", note)).status).toBe(201);
  await page.goto("/functions");
  await page.getByRole("link", { name: /Keep a fence note/ }).click();
  const detail = page.getByRole("article");
  await expect(detail.getByText("Not verified yet.")).toBeVisible();
  await expectAccessible(page, "a function", "all");
  await keepScreen(page, "functions");

  await detail.getByRole("button", { name: "Promote" }).click();
  await expect(detail.getByText("verified", { exact: true })).toBeVisible();
  await expect(detail.getByText("skills exist")).toBeVisible();
  await expect(detail.getByRole("button", { name: "Promote" })).toHaveCount(0);
  await detail.getByRole("button", { name: "Disable" }).click();
  await expect(detail.getByText("disabled", { exact: true })).toBeVisible();

  await detail.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("link", { name: /Keep a fence note/ })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("link", { name: /Keep a fence note/ })).toBeVisible();
});
