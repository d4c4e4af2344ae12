import { alive, carryOut, expect, longHistoryTest as test, openChat } from "./support.ts";

// In one worker, because it takes longer to make the history than to test it.
test.describe.configure({ mode: "default" });

test("the focus moves to the first older conversation when the button for older ones goes", async ({
  page,
}) => {
  await openChat(page);
  const older = page.getByRole("button", { name: "Older conversations" });
  await older.press("Enter");
  await expect(older).toHaveCount(0);
  const focused = () => page.evaluate<string>("document.activeElement?.closest('a')?.href ?? ''");
  await expect.poll(focused).toContain("c=");
});

test("Escape closes a run that is older than the list, and the focus moves to the list", async ({
  page,
  owner,
  longHistory,
}) => {
  const { runId } = longHistory.oldest;
  const { body } = await owner.get(`/runs?run=${runId}`);
  // The server renders the list beside the run, with the run in a section of its own.
  expect(String(body)).toContain("aria-posinset");
  expect(String(body)).toContain('id="unlisted"');
  await page.goto(`/runs?run=${runId}`);
  await alive(page);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/runs$/);
  await expect(page.getByRole("region", { name: "Runs", exact: true })).toBeFocused();
});

test("a run that an address names is selected in the list, also if it is older than the runs that are loaded", async ({
  page,
  owner,
  longHistory,
}) => {
  const { runId } = longHistory.oldest;
  await page.goto(`/runs?run=${runId}`);
  await alive(page);
  const row = page
    .getByRole("region", { name: "Runs", exact: true })
    .getByRole("link", { name: /oldest brass/ });
  await expect(row).toHaveAttribute("aria-current", "true");
  await expect(row).toBeInViewport();
  const listed = await carryOut(owner, "add a task to polish the newer brass");
  for (let count = 0; count < 20; count += 1) await carryOut(owner, "list my tasks");
  await page.goto(`/runs?run=${listed.runId}`);
  await alive(page);
  await expect(page.getByRole("link", { name: /newer brass/ })).toBeInViewport();
  await page.goto(`/runs?run=${runId}`);
  await alive(page);
  // Once the list has come to it, it is there only once.
  await page.getByLabel("Search requests").fill("oldest brass");
  await expect(page.getByText("Opened from a link")).toHaveCount(0);
  await expect(row).toHaveCount(1);
});
