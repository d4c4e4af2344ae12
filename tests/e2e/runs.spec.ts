import { z } from "zod";
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
  await detail.getByRole("link", { name: "Open conversation" }).click();
  await expect(page).toHaveURL(new RegExp(`c=${conversationId}`));
});

test("a request that was not understood, refused or failed is not counted or colored as answered", async ({
  page,
  owner,
}) => {
  await carryOut(owner, "create a file called outcomes/one.md");
  await carryOut(owner, "zorp the blick outcomes");
  await carryOut(owner, "read outcomes/missing.md");
  await carryOut(owner, 'create a file called outcomes/two.md with the text "x"');
  const waiting = await carryOut(owner, "delete outcomes/two.md");
  const { body } = await owner.get("/api/approvals");
  const [approval] = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) }).parse(body).items;
  await owner.post(`/api/approvals/${approval?.id}`, { decision: "deny" });
  await expect
    .poll(async () => (await owner.get(`/api/runs/${waiting.runId}`)).body)
    .toMatchObject({ status: "ended" });
  await page.goto("/runs");
  await alive(page);
  await page.getByLabel("Search requests").fill("outcomes");
  const outcomeOf = async (request: RegExp) => {
    const row = page.getByRole("link", { name: request });
    return await row
      .locator(".badge")
      .evaluate((badge: { textContent: string; className: string }) => [
        badge.textContent.trim(),
        /\bsuccess\b/.test(badge.className),
      ]);
  };
  expect(await outcomeOf(/outcomes\/one/)).toEqual(["answered", true]);
  for (const request of [/zorp/, /missing/, /delete outcomes/]) {
    expect(await outcomeOf(request)).toEqual(["not completed", false]);
  }
});

test("figures show repeated requests, each with its table", async ({ page, owner }) => {
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
  await expect(page.getByRole("heading", { name: "Runs per day" })).toBeVisible();
});

test("a run that is opened appears together with the approval that it waits for", async ({ page, owner }) => {
  await carryOut(owner, 'create a file called whole/card.md with the text "x"');
  const { runId } = await carryOut(owner, "delete whole/card.md");
  await page.goto("/runs");
  await alive(page);
  await page.evaluate(`(() => {
    globalThis.heights = [];
    const look = () => {
      const height = document.querySelector("#detail .detail")?.getBoundingClientRect().height;
      if (height !== undefined && heights.at(-1) !== height) heights.push(height);
      requestAnimationFrame(look);
    };
    look();
  })()`);
  await page.locator(`a[href="/runs?run=${runId}"]`).click();
  await expect(page.locator("#detail").getByRole("button", { name: "Allow once" })).toBeVisible();
  await expect.poll(() => page.evaluate("heights.length")).toBe(1);
});
