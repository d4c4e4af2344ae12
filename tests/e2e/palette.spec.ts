import type { Page } from "@playwright/test";
import { z } from "zod";
import { alive, carryOut, expect, test } from "./support.ts";

const palette = (page: Page) => page.getByRole("dialog", { name: "Find anything" });
const field = (page: Page) => palette(page).getByRole("combobox");
const SEARCH = "**/api/conversations?*";

/** Opens the palette and waits until the first results of the server are there. */
async function openPalette(page: Page): Promise<void> {
  const listed = page.waitForResponse(SEARCH);
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await listed;
}

/** Holds the searches of the palette back. Returns a function that lets them go on. */
async function holdSearch(page: Page): Promise<() => void> {
  const proceed = Promise.withResolvers<void>();
  await page.route(SEARCH, async (route) => {
    await proceed.promise;
    await route.continue();
  });
  return proceed.resolve;
}

test("Enter right after typing opens the first result of what was typed, not of what was typed before", async ({
  page,
  owner,
}) => {
  await carryOut(owner, 'create a file called palette/zebra-stripes.md with the text "x"');
  await carryOut(owner, 'create a file called palette/zebra-crossing.md with the text "x"');
  await page.goto("/settings");
  await alive(page);
  await openPalette(page);
  await field(page).fill("zebra stripes");
  await expect(page.getByRole("option").first()).toContainText("zebra-stripes");
  const release = await holdSearch(page);
  await field(page).fill("zebra crossing");
  await page.keyboard.press("Enter");
  release();
  await page.waitForURL(/crossing|c=/);
  await alive(page);
  await expect(page.getByText("zebra-crossing").first()).toBeVisible();
});

test("Enter right after typing is not lost while nothing is found yet", async ({ page, owner }) => {
  await carryOut(owner, 'create a file called palette/okapi-notes.md with the text "x"');
  await page.goto("/settings");
  await alive(page);
  await openPalette(page);
  const release = await holdSearch(page);
  await field(page).fill("okapi-notes");
  await page.keyboard.press("Enter");
  release();
  await page.waitForURL(/okapi|c=/);
});

test("typing on after Enter takes Enter back", async ({ page, owner }) => {
  await carryOut(owner, 'create a file called palette/tapir-notes.md with the text "x"');
  await page.goto("/settings");
  await alive(page);
  await openPalette(page);
  const release = await holdSearch(page);
  await field(page).fill("tapir");
  await page.keyboard.press("Enter");
  await page.keyboard.type("-notes");
  release();
  await expect(page.getByRole("option").first()).toContainText("tapir-notes");
  await expect(palette(page)).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/settings");
});

test("a conversation that is found stands for what was said and done in it", async ({ page, owner }) => {
  await carryOut(owner, "remember that the quagga stable is behind the mill");
  await page.goto("/settings");
  await alive(page);
  await openPalette(page);
  await field(page).fill("quagga");
  const found = page.getByRole("option").filter({ hasText: "quagga" });
  await expect(found.first()).toBeVisible();
  await expect(found).toHaveText([
    /^remember that the quagga stable is behind the mill *Conversations$/,
    /^the quagga stable is behind the mill *Memory$/,
  ]);
});

for (const [where, path] of [
  ["a button", "/approvals"],
  ["the request", "/"],
] as const)
  test(`Escape in the palette returns the focus to ${where}`, async ({ page }) => {
    await page.goto(path);
    await alive(page);
    const before =
      path === "/" ? page.getByLabel("Your request") : page.getByRole("button", { name: /^Model: / });
    await before.focus();
    await page.keyboard.press("Control+k");
    await expect(field(page)).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(palette(page)).toHaveCount(0);
    await expect(before).toBeFocused();
  });

test("Escape in the palette leaves the focus nowhere if it was nowhere", async ({ page }) => {
  await page.goto("/approvals");
  await alive(page);
  expect(await page.evaluate("document.activeElement.tagName")).toBe("BODY");
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(palette(page)).toHaveCount(0);
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
  expect(await page.evaluate("document.activeElement.tagName")).toBe("BODY");
});

test("memories that contain what was typed come before those that only have it as a tag", async ({
  page,
  owner,
}) => {
  await owner.post("/api/memories", { type: "curated", content: "The zither is tuned in A." });
  const tagged = Array.from({ length: 6 }, (_, index) => ({
    type: "curated",
    content: `Lesson ${String(index)} was on a Monday.`,
    tags: ["zither"],
  }));
  await owner.post("/api/memories", tagged);
  await page.goto("/");
  await alive(page);
  await openPalette(page);
  await field(page).fill("zither");
  const options = page.getByRole("option");
  await expect(options).toHaveCount(5);
  await expect(options.first()).toContainText("The zither is tuned");
  const { body } = await owner.post("/api/tasks", { title: "string the zither" });
  const { task } = z.object({ task: z.object({ id: z.string() }) }).parse(body);
  await owner.send("PATCH", `/api/tasks/${task.id}`, { status: "done" });
  await owner.post("/api/memories", { type: "tool_invocation", content: "fs_list: zither.md" });
  await field(page).fill("zither ");
  await expect(options.filter({ hasText: "string the zither" })).toContainText("Tasks");
  await expect(options.filter({ hasText: "zither.md" })).toHaveCount(0);
  await field(page).fill("tasks");
  await expect(options.first()).toContainText("Tasks");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/memory\?tab=tasks$/);
});
