import { mkdir, writeFile } from "node:fs/promises";
import { look, lookAt } from "./looking.ts";
import { alive, answered, ask, carryOut, expect, lastEntry, openChat, ownersFile, test } from "./support.ts";

test("conversations are found, renamed and deleted", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "what's in out?");
  await page.goto(`/?c=${conversationId}`);
  await answered(page);
  const list = page.getByRole("complementary", { name: "Conversations" });
  await list.getByRole("link", { name: "what's in out?" }).first().hover();
  await list.getByRole("button", { name: "More about what's in out?" }).first().click();
  await list.getByRole("button", { name: "Rename" }).click();
  await lookAt(page, "dialog[open]", "conversation-rename");
  const renaming = page.getByRole("dialog");
  // The title is selected, so what is typed takes its place.
  await page.keyboard.type("The drawer");
  await expect(renaming.getByLabel("Title")).toHaveValue("The drawer");
  await page.keyboard.press("Escape");
  await renaming.getByRole("button", { name: "Keep editing" }).press("Enter");
  await expect(renaming.getByLabel("Title")).toHaveValue("The drawer");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("The drawer");

  await list.getByLabel("Search conversations").fill("drawer");
  await expect(list.getByRole("link")).toHaveCount(1);
  await list.getByLabel("Search conversations").fill("what's in out");
  await expect(list.getByRole("link", { name: "The drawer" }).locator("mark").first()).toBeVisible();
  await look(page, "conversations-found", "aside[aria-label=Conversations]");
  await list.getByLabel("Search conversations").fill("no such words anywhere");
  await expect(list.getByText("No matching conversations.")).toBeVisible();
  await list.getByLabel("Search conversations").fill("");
  await list.getByRole("link", { name: "The drawer" }).hover();
  await list.getByRole("button", { name: "More about The drawer" }).click();
  await list.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(list.getByRole("link", { name: "The drawer" })).toBeHidden();
  await expect(page.getByLabel("Your request")).toBeFocused();
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(list.getByRole("link", { name: "The drawer" })).toBeVisible();
  await expect(page.getByText("Restored “The drawer”.")).toBeVisible();
});

test("the open conversation keeps its title while a search leaves it out of the list", async ({ page }) => {
  await openChat(page);
  await ask(page, "what is 12 plus 30");
  await answered(page);
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText("what is 12 plus 30");
  const list = page.getByRole("complementary", { name: "Conversations" });
  await list.getByLabel("Search conversations").fill("no such words anywhere");
  await expect(list.getByText("No matching conversations.")).toBeVisible();
  await expect(heading).toHaveText("what is 12 plus 30");
});

test("a pinned conversation is above newer ones, also after a reload", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "list my tasks to pin this");
  await carryOut(owner, "list my tasks after the pinned one");
  await page.goto(`/?c=${conversationId}`);
  const list = page.getByRole("complementary", { name: "Conversations" });
  const act = async (name: string) => {
    await list.getByRole("link", { name: "list my tasks to pin this" }).hover();
    await list.getByRole("button", { name: "More about list my tasks to pin this" }).click();
    await list.getByRole("button", { name, exact: true }).click();
  };
  await act("Pin");
  const pinned = list.getByRole("region", { name: "Pinned" });
  await expect(pinned.getByRole("link")).toHaveText([/to pin this/]);
  await look(page, "conversations-pinned", "aside[aria-label=Conversations]");
  await page.reload();
  await expect(list.getByRole("heading").first()).toHaveText("Pinned");
  await act("Unpin");
  await expect(pinned).toBeHidden();
});

test("the arrow keys move between the conversations", async ({ page, owner }) => {
  await carryOut(owner, "list my ropes");
  await carryOut(owner, "list my sails");
  await openChat(page);
  const list = page.getByRole("complementary", { name: "Conversations" });
  const newer = list.getByRole("link", { name: "list my sails" });
  await newer.focus();
  await page.keyboard.press("ArrowDown");
  await expect(list.getByRole("link", { name: "list my ropes" })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(newer).toBeFocused();
});

test("an opened conversation is in view in a long list", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "list my anchors");
  for (let count = 1; count <= 24; count += 1) await carryOut(owner, `what is ${String(count)} plus 1`);
  await page.goto(`/?c=${conversationId}`);
  const list = page.getByRole("complementary", { name: "Conversations" });
  await expect(list.getByRole("link", { name: "list my anchors" })).toBeInViewport();
  await expect(list.getByLabel("Search conversations")).toBeInViewport();
});

test("the keyboard keeps its place in the list of conversations", async ({ page, owner }) => {
  await carryOut(owner, "list my kites");
  await openChat(page);
  const list = page.getByRole("complementary", { name: "Conversations" });
  const link = list.getByRole("link", { name: /^list my kites/ });
  const more = list.getByRole("button", { name: "More about list my kites" });
  await more.press("Enter");
  await expect(list.getByRole("button", { name: "Pin", exact: true })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(list.getByRole("button", { name: "Rename", exact: true })).toBeFocused();
  await page.keyboard.press("End");
  await expect(list.getByRole("button", { name: "Delete", exact: true })).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect(list.getByRole("region", { name: "Pinned" }).getByRole("link")).toBeFocused();
  await more.press("Enter");
  await list.getByRole("button", { name: "Select…", exact: true }).press("Enter");
  await expect(list.getByRole("checkbox", { name: "list my kites" })).toBeFocused();
  await list.getByRole("button", { name: "Cancel", exact: true }).press("Enter");
  await expect(link).toBeFocused();
  await more.press("Enter");
  await list.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  await expect(link).toBeHidden();
  await page.keyboard.press("u");
  await expect(link).toBeVisible();
  await page.getByLabel("Your request").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(shortcuts).toBeVisible();
  // Only the list in it scrolls.
  expect(
    await shortcuts.evaluate((box: { scrollHeight: number; clientHeight: number }) => [
      box.scrollHeight - box.clientHeight,
    ]),
  ).toEqual([0]);
});

test("commands find a task, and a conversation where its words are", async ({ page, owner }) => {
  await carryOut(owner, "add a task to varnish the dinghy");
  await openChat(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dinghy");
  const task = page.getByRole("option", { name: /^varnish the dinghy/ });
  await expect(task).toBeVisible();
  await page.getByRole("option", { name: "add a task to varnish the dinghy Conversations" }).click();
  await expect(page).toHaveURL(/\/\?c=conv-\w+$/);
  await expect(
    page.getByRole("heading", { level: 2, name: "add a task to varnish the dinghy" }),
  ).toBeInViewport();
});

test("on a phone, a button leads to the search over everything", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openChat(page);
  await page.getByRole("button", { name: "Search and commands" }).click();
  await expect(page.getByRole("combobox")).toBeFocused();
});

test("several conversations are deleted together, permanently when the page closes", async ({
  page,
  owner,
}) => {
  const made = [await carryOut(owner, "list my lemons"), await carryOut(owner, "list my limes")];
  await openChat(page);
  const list = page.getByRole("complementary", { name: "Conversations" });
  await expect(list.getByRole("heading", { name: "Today" })).toBeVisible();
  await list.getByRole("button", { name: "More about list my limes" }).press("Enter");
  await list.getByRole("button", { name: "Select…" }).press("Enter");
  await list.getByRole("checkbox", { name: "list my lemons" }).check();
  await look(page, "conversations-select", "aside[aria-label=Conversations]");
  await list.getByRole("button", { name: "Delete 2" }).click();
  await expect(list.getByRole("link", { name: /list my (lemons|limes)/ })).toHaveCount(0);
  await expect(page.getByText("Deleted 2 conversations.")).toBeVisible();
  await page.goto("/runs");
  for (const { conversationId } of made)
    await expect.poll(async () => (await owner.get(`/api/conversations/${conversationId}`)).status).toBe(404);
});

test("on a phone, deleted conversations can be taken back", async ({ page, owner }) => {
  await carryOut(owner, "list my cherries");
  await page.setViewportSize({ width: 390, height: 844 });
  await openChat(page);
  await ask(page, "list my plums");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("list my plums");
  const drawer = page.getByRole("dialog", { name: "Conversations" });
  await page.getByRole("button", { name: "Conversations" }).click();
  await drawer.getByRole("button", { name: "More about list my plums" }).press("Enter");
  await drawer.getByRole("button", { name: "Select…" }).press("Enter");
  await drawer.getByRole("checkbox", { name: "list my cherries" }).check();
  await drawer.getByRole("button", { name: "Delete 2" }).click();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByRole("button", { name: "Conversations" }).click();
  await expect(drawer.getByRole("link", { name: /list my (cherries|plums)/ })).toHaveCount(2);
});

test("a conversation found by its text opens where the words are", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "list my tasks about marmalade");
  for (let turn = 0; turn < 8; turn += 1)
    await owner.post("/api/operator", { goal: "what can you do?", conversationId });
  await openChat(page);
  const list = page.getByRole("complementary", { name: "Conversations" });
  const found = page.waitForResponse(/\/api\/conversations\?.*query=marmalade/);
  await list.getByLabel("Search conversations").fill("marmalade");
  await found;
  await list.getByRole("link", { name: /marmalade/ }).click();
  await expect(page.getByRole("article")).toHaveCount(9);
  await expect(
    page.getByRole("article").getByRole("heading", { name: "list my tasks about marmalade" }),
  ).toBeInViewport();
});

test("a conversation found by words far down a long answer opens at these words", async ({
  page,
  owner,
  server,
}) => {
  const lines = Array.from({ length: 120 }, (_, number) => `Berth ${number + 1} is free.`);
  await mkdir(ownersFile(server, "out"), { recursive: true });
  await writeFile(
    ownersFile(server, "out/berths.txt"),
    [...lines, "The quince barge has the last."].join("\n"),
  );
  const { conversationId } = await carryOut(owner, "read out/berths.txt");
  await owner.post("/api/operator", { goal: "what can you do?", conversationId });
  await openChat(page);
  const list = page.getByRole("complementary", { name: "Conversations" });
  await list.getByLabel("Search conversations").fill("quince barge");
  await list.locator("mark", { hasText: "quince" }).first().click();
  await expect(page.getByRole("article")).toHaveCount(2);
  // The answer is one block whose end is in the window.
  const block = page.getByRole("article").first().getByText("The quince barge has the last.");
  await expect.poll(async () => bottomOf(await block.boundingBox())).toBeLessThan(720);
});

test("the link to the chat leads back to the conversation that was open", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "list my tasks for the way back");
  await page.goto(`/?c=${conversationId}`);
  await answered(page);
  await page.goto("/runs");
  await alive(page);
  await page.getByRole("link", { name: "Chat", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(conversationId));
  await expect(lastEntry(page)).toContainText("list my tasks for the way back");
});

test("a conversation is downloaded as Markdown", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "list my tasks for the download");
  await page.goto(`/?c=${conversationId}`);
  await alive(page);
  await page
    .getByRole("button", { name: /^More about list my tasks for the download/ })
    .first()
    .click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download", exact: true }).click();
  expect((await download).suggestedFilename()).toBe(`${conversationId}.md`);
});

function bottomOf(box: { y: number; height: number } | null): number {
  return box === null ? Number.POSITIVE_INFINITY : box.y + box.height;
}

test("a search shows the words that it found, in the list and in the conversation", async ({
  page,
  owner,
}) => {
  const long = "The harbour office sends a letter about the berths each spring, and ";
  const { conversationId } = await carryOut(owner, `remember that ${long}marmalade is kept aboard`);
  await owner.post("/api/operator", { goal: "calculate 3 + 4", conversationId });
  await openChat(page);
  await page.getByLabel("Search conversations").fill("marmalade");
  const found = page.getByRole("complementary", { name: "Conversations" }).locator("mark").first();
  await expect(found).toHaveText("marmalade");
  // A row shows two lines of a match.
  const row = page
    .getByRole("link")
    .filter({ has: page.locator("mark") })
    .first();
  const [mark, match] = await Promise.all([found.boundingBox(), row.locator(".match").boundingBox()]);
  expect((mark?.y ?? 0) + (mark?.height ?? 0)).toBeLessThanOrEqual(
    (match?.y ?? 0) + (match?.height ?? 0) + 1,
  );
  await row.click();
  await expect(page).toHaveURL(new RegExp(conversationId));
  await expect
    .poll(() =>
      page.evaluate(
        `[...(CSS.highlights.get("found") ?? [])].some((range) => range.toString() === "marmalade")`,
      ),
    )
    .toBe(true);
  // The whole conversation is in the window.
  await expect(page.getByRole("button", { name: "Jump to the latest" })).toBeHidden();
  await lookAt(page, "html", "chat-found");
});

test("a deleted conversation says so, and its page asks for it no more", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "list my tasks before this is deleted");
  await owner.send("DELETE", `/api/conversations/${conversationId}`);
  // A failed request would be a complaint of the browser.
  await page.goto(`/?c=${conversationId}`);
  await alive(page);
  await expect(page.getByText(/^There is no such conversation\./)).toBeVisible();
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole("button", { name: "New conversation" }).last().click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole("heading", { name: "What would you like to do?" })).toBeVisible();
});

test("titles are shown without marks of Markdown", async ({ page, owner }) => {
  const { runId, conversationId } = await carryOut(owner, "remember that **Olga** drinks `green tea`");
  const title = "remember that Olga drinks green tea";
  await page.goto(`/?c=${conversationId}`);
  await alive(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
  const list = page.getByRole("complementary", { name: "Conversations" });
  await expect(list.getByRole("link", { name: title }).first()).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("olga");
  const option = page.getByRole("option").filter({ hasText: "Conversations" });
  await expect(option.filter({ hasText: title })).toBeVisible();
  await page.goto("/runs");
  await expect(page.locator(`a[href="/runs?run=${runId}"] .title`)).toHaveText(title);
  const guide = { title: "Brew `green tea` for **Olga**", summary: "", steps: ["Boil."], skillsUsed: [] };
  await owner.post("/api/functions", guide);
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("link", { name: "Brew green tea for Olga" }).click();
  await expect(page.getByRole("heading", { name: "Brew green tea for Olga", exact: true })).toBeVisible();
});
