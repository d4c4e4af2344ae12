import { mkdir, readFile, writeFile } from "node:fs/promises";
import { lookAt } from "./looking.ts";
import {
  alive,
  answered,
  ask,
  carryOut,
  expect,
  lastEntry,
  openChat,
  ownersFile,
  test,
  chooseAction,
} from "./support.ts";

test("an unclear request is answered by a question with choices", async ({ page, owner }) => {
  await carryOut(owner, "add a task to polish the brass lamp");
  await carryOut(owner, "add a task to polish the brass bell");
  await openChat(page);
  await ask(page, "mark polish the brass as done");
  const card = lastEntry(page).getByRole("region", { name: /Which one do you mean\?$/ });
  // One field takes the answer: the composer.
  await expect(page.getByLabel("Your answer")).toHaveCount(1);
  await expect(card.getByRole("textbox")).toHaveCount(0);
  await lookAt(page, "article", "chat-question");
  await card.getByRole("button", { name: "polish the brass bell" }).click();
  await answered(page);
  await expect(card).toBeHidden();
  await expect(lastEntry(page)).toContainText("polish the brass bell");
});

test("a question is answered in one's own words in the message field, which has the focus", async ({
  page,
  owner,
}) => {
  await carryOut(owner, "add a task to oil the front gate");
  await carryOut(owner, "add a task to oil the back gate");
  await openChat(page);
  await ask(page, "mark oil gate as done");
  await expect(page.getByPlaceholder("Answer the question")).toBeFocused();
  await ask(page, "oil the back gate");
  await answered(page);
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(lastEntry(page)).toContainText("oil the back gate");
  await expect(page.getByPlaceholder("Ask, or say what to do")).toBeVisible();
});

test("an impossible request is answered with requests that would work, a click away", async ({
  page,
  owner,
}) => {
  const request = 'create a file called offers/of-a-name-that-is-longer-than-most.md with the text "x"';
  await carryOut(owner, request);
  await openChat(page);
  await ask(page, request);
  await answered(page);
  const offered = lastEntry(page).getByRole("list", { name: "Suggested requests" }).getByRole("button");
  await expect(offered).not.toHaveCount(0);
  await lookAt(page, "article", "chat-suggestions");
  await offered.last().press("Enter");
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page.getByLabel("Your request")).toBeFocused();
  await answered(page);
  await expect(lastEntry(page)).toContainText("Created out/offers/");
});

test("a request that the trust level forbids is answered with the way to change it", async ({
  page,
  owner,
}) => {
  await owner.send("PUT", "/api/trust", { trustLevel: "observe" });
  await openChat(page);
  await ask(page, "add a task to prune the quince");
  await answered(page);
  const change = lastEntry(page).getByRole("link", { name: "Change the trust level" });
  await expect(lastEntry(page)).toContainText("To allow changes, choose another trust level");
  await change.press("Enter");
  const saved = page.waitForResponse(
    (response) => response.url().endsWith("/api/trust") && response.request().method() === "PUT",
  );
  await page.getByRole("radio", { name: /^Suggest/ }).check();
  // Going back before it is saved would open the chat at the old level.
  expect((await saved).status()).toBe(200);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: "add a task to prune the quince" })).toBeVisible();
  await expect(change).toBeHidden();
  await owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
});

test("Stop ends a waiting run, and reports it", async ({ page, owner }) => {
  await carryOut(owner, 'create a file called stop.md with the text "x"');
  await openChat(page);
  await ask(page, "delete stop.md");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(lastEntry(page).getByText("Stopped. What it had done before is kept.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeHidden();
  await expect(page.getByRole("button", { name: "Allow once" })).toBeHidden();
});

for (const width of [1280, 390])
  test(`Attach and Send stay in their places while Stop is beside them, ${width} pixels wide`, async ({
    page,
    owner,
  }) => {
    await carryOut(owner, 'create a file called stays.md with the text "x"');
    await page.setViewportSize({ width, height: 844 });
    await openChat(page);
    const buttons = ["Attach a file", "Send"].map((name) => page.getByRole("button", { name }));
    const places = async () => Promise.all(buttons.map(async (button) => (await button.boundingBox())?.x));
    const before = await places();
    await ask(page, "delete stays.md");
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await expect(stop).toBeVisible();
    expect(await places()).toEqual(before);
    const [attach = 0, send = 0] = before;
    const { x = 0 } = (await stop.boundingBox()) ?? {};
    expect([attach < x, x < send]).toEqual([true, true]);
    await stop.click();
    await expect(stop).toBeHidden();
    expect(await places()).toEqual(before);
  });

test("the trace opens to exact calls, in three views, and each step can be inspected", async ({ page }) => {
  await openChat(page);
  await ask(page, 'create a file called trace.md with the text "<b>bold</b>"');
  await answered(page);
  const entry = lastEntry(page);
  await entry.getByText(/^1 step · created out\/trace\.md/).click();
  await expect(entry.getByText("<b>bold</b>", { exact: true })).toBeVisible();
  await entry.getByText("Structured", { exact: true }).click();
  await expect(entry.locator("dl").getByText("bytes", { exact: true })).toBeVisible();
  await entry.getByText("Verbatim", { exact: true }).click();
  await expect(entry.getByLabel("Result, verbatim")).toContainText('"created": true');
  await page.reload();
  await lastEntry(page)
    .getByText(/^1 step/)
    .click();
  await expect(lastEntry(page).getByRole("radio", { name: "Verbatim" })).toBeChecked();

  await lastEntry(page).getByRole("listitem").first().hover();
  await lastEntry(page).getByRole("button", { name: "Inspect step 1" }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("fs_write");
  await inspector.getByText("Context", { exact: true }).click();
  await expect(inspector).toContainText("Memories given to the planner");
  await expect(inspector).toContainText(/Conversation shown to the planner\s*0 turns word for word/);
  await expect(inspector).toContainText(/Tokens by section\s*persona\s*\d+ of 150/);
  await inspector.getByText("Run", { exact: true }).click();
  await expect(inspector).toContainText("built-in");
  await inspector.getByRole("button", { name: "Close the inspector" }).click();
  await expect(inspector).toBeHidden();
});

test("the inspector shows what a step found, and no column of its table is as narrow as a letter", async ({
  page,
  owner,
}) => {
  await owner.post("/api/tasks", { title: "sweep the veranda" });
  await openChat(page);
  await ask(page, "list my tasks");
  await answered(page);
  await lastEntry(page)
    .getByText(/^1 step/)
    .click();
  await lastEntry(page).getByRole("listitem").first().hover();
  await lastEntry(page).getByRole("button", { name: "Inspect step 1" }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector.getByText(/^Listed tasks: \d+ results?\.$/)).toBeVisible();
  const id = inspector.getByRole("cell", { name: /^task-.*sweep-veranda$/ });
  expect((await id.boundingBox())?.width).toBeGreaterThan(70);
});

test("a draft survives a reload, per conversation, and is deleted when it is sent", async ({ page }) => {
  await openChat(page);
  await page.getByLabel("Your request").fill("an unfinished thought");
  await page.reload();
  await expect(page.getByLabel("Your request")).toHaveValue("an unfinished thought");
  await ask(page, "what can you do?");
  await answered(page);
  await page.getByLabel("Your request").fill("another");
  await page.getByRole("button", { name: "New conversation" }).click();
  await expect(page.getByLabel("Your request")).toHaveValue("");
});

test("the browser's Back button leads to the previous conversation", async ({ page, owner }) => {
  const first = await carryOut(owner, "add a task to find the first thread");
  const second = await carryOut(owner, "add a task to find the second thread");
  await page.goto(`/?c=${first.conversationId}`);
  await answered(page);
  await page.getByRole("link", { name: "add a task to find the second thread" }).click();
  await expect(lastEntry(page)).toContainText("second thread");
  await expect(page).toHaveURL(new RegExp(second.conversationId));
  await page.goBack();
  await expect(lastEntry(page)).toContainText("first thread");
  await expect(page.getByRole("article")).toHaveCount(1);
});

test("an earlier request can be asked again, or edited first", async ({ page }) => {
  await openChat(page);
  await ask(page, "list my tasks");
  await answered(page);
  await chooseAction(lastEntry(page), "Ask again");
  await expect(page.getByRole("article")).toHaveCount(2);
  await answered(page);
  await chooseAction(lastEntry(page), "Edit and ask again");
  await expect(page.getByLabel("Your request")).toHaveValue("list my tasks");
  await expect(page.getByLabel("Your request")).toBeFocused();
});

test("a screen reader announces the answer once, and before it that the page is busy", async ({ page }) => {
  await openChat(page);
  await ask(page, 'create a file called heard.md with the text "x"');
  await expect(page.getByTestId("announcement")).toHaveText("Answer: Created out/heard.md.");
  await expect(page.getByRole("region", { name: "Conversation" })).toHaveAttribute("aria-busy", "false");
});

test("ten thousand lines neither freeze the page nor fill it", async ({ page, server }) => {
  const lines = Array.from({ length: 10_000 }, (_, line) => `line ${line}`).join("\n");
  await mkdir(ownersFile(server, "out"), { recursive: true });
  await writeFile(ownersFile(server, "out/long.txt"), lines);
  await openChat(page);
  await ask(page, "read long.txt");
  await answered(page);
  await expect(lastEntry(page)).toContainText("line 9");
  await page.getByLabel("Your request").fill("still typing");
  await expect(page.getByLabel("Your request")).toHaveValue("still typing");
});

test("a reader who scrolled away is not moved, and can return to the end", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await openChat(page);
  for (const request of ["what can you do?", "list my tasks"]) {
    await ask(page, request);
    await expect(page.getByRole("heading", { level: 2, name: request })).toBeVisible();
    await answered(page);
  }
  await ask(page, "delete no-such-file.md");
  await expect(page.getByRole("article")).toHaveCount(3);
  await answered(page);
  await expect(lastEntry(page).getByRole("button", { name: "More actions" })).toBeInViewport();

  const region = page.getByRole("region", { name: "Conversation" });
  await region.focus();
  await page.keyboard.press("Home");
  // Scrolling may take the browser some time.
  await expect(region).toHaveJSProperty("scrollTop", 0);
  await page.getByRole("button", { name: "Jump to the latest" }).click();
  await expect(page.getByRole("button", { name: "Jump to the latest" })).toBeHidden();
  await expect(lastEntry(page).getByRole("button", { name: "More actions" })).toBeInViewport();
});

test("a long answer is read from its beginning, also when its conversation is opened", async ({
  page,
  server,
}) => {
  await page.setViewportSize({ width: 1280, height: 600 });
  const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n\n");
  await mkdir(ownersFile(server, "out"), { recursive: true });
  await writeFile(ownersFile(server, "out/whole-book.md"), lines);
  await openChat(page);
  await ask(page, "list my tasks");
  await answered(page);
  await ask(page, "read whole-book.md");
  const request = page.getByRole("heading", { level: 2, name: "read whole-book.md" });
  const toLatest = page.getByRole("button", { name: "Jump to the latest" });
  await answered(page);
  await expect(toLatest).toBeVisible();
  await expect(request).toBeInViewport();
  await page.reload();
  await answered(page);
  await expect(toLatest).toBeVisible();
  await expect(request).toBeInViewport();
  await toLatest.click();
  await expect(lastEntry(page).getByRole("button", { name: "More actions" })).toBeInViewport();
  await expect(toLatest).toBeHidden();
});

test("the tooltip of a button leaves when the button is pressed, and returns with the pointer", async ({
  page,
}) => {
  await openChat(page);
  const upload = page.getByRole("button", { name: "Attach a file" });
  const tip = upload.getByText("Attach a file");
  await upload.hover();
  await expect(tip).toBeVisible();
  const chosen = page.waitForEvent("filechooser");
  await upload.click();
  await (await chosen).setFiles({ name: "tooltip.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await page.getByLabel("Your request").pressSequentially("while the mouse rests");
  await expect(tip).toBeHidden();
  await page.getByLabel("Your request").hover();
  await upload.hover();
  await expect(tip).toBeVisible();
});

test("a file that is dropped on the conversation is stored in inbox/ and attached to the request", async ({
  page,
  server,
}) => {
  await openChat(page);
  const dropped = await page.evaluateHandle<unknown>(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["High at six."], "dropped tides.md"));
    return transfer;
  })()`);
  const conversation = page.getByRole("region", { name: "Conversation" });
  await conversation.dispatchEvent("dragenter", { dataTransfer: dropped });
  await expect(page.getByText(/^Drop to upload to inbox/)).toBeVisible();
  await conversation.dispatchEvent("drop", { dataTransfer: dropped });
  const attached = page.getByRole("list", { name: "Attached files" });
  await expect(attached.first()).toContainText("dropped tides.md");
  await expect(page.getByLabel("Your request")).toHaveValue("");
  expect(await readFile(ownersFile(server, "inbox/dropped tides.md"), "utf8")).toBe("High at six.");
  await page.reload();
  await alive(page);
  await expect(attached.first()).toContainText("dropped tides.md");
  await lookAt(page, ".foot", "chat-attached");
  await ask(page, "what does it say?");
  await answered(page);
  await expect(lastEntry(page).getByRole("heading", { level: 2 })).toHaveText("what does it say?");
  await expect(lastEntry(page)).toContainText("High at six.");
  await expect(lastEntry(page).getByRole("link", { name: "dropped tides.md" }).first()).toBeVisible();
  await expect(page.locator("form.composer")).not.toContainText("dropped tides.md");
});

test.describe("a file that is not text", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("is refused with the reason, picked by keyboard", async ({ page }) => {
    await openChat(page);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach a file" }).press("Enter");
    const bytes = Buffer.from([0x89, 0x50, 0, 0xff]);
    await (await chooser).setFiles({ name: "photo.png", mimeType: "image/png", buffer: bytes });
    await expect(page.getByText(/photo\.png is not a text file/)).toBeVisible();
  });
});

test("an answer can be rated and shows its sources, by keyboard alone", async ({ page, owner }) => {
  await carryOut(owner, "remember that the ladder hangs behind the shed");
  await openChat(page);
  await ask(page, "where does the ladder hang?");
  await answered(page);
  const thumb = lastEntry(page).getByRole("button", { name: "This was useful", exact: true });
  const ratings: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/feedback")) ratings.push(request.method());
  });
  // The second click of a double click was meant for what was in this place before.
  await thumb.dispatchEvent("click", { detail: 2 });
  await thumb.press("Enter");
  await expect(thumb).toHaveAttribute("aria-pressed", "true");
  expect(ratings).toEqual(["POST"]);
  await chooseAction(lastEntry(page), "Inspect the run");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByText("Context", { exact: true }).click();
  await expect(inspector).toContainText("Memories given to the planner");
  await expect(inspector).toContainText(/(Strong|Good|Weak) match/);
});

for (const [width, height] of [
  [1280, 720],
  [390, 844],
] as const)
  test(`an empty conversation does not scroll, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openChat(page);
    const hidden = await page
      .getByRole("region", { name: "Conversation", exact: true })
      .evaluate(
        (turns: { scrollHeight: number; clientHeight: number }) => turns.scrollHeight - turns.clientHeight,
      );
    expect(hidden).toBe(0);
  });

test("a long title stays in one line on a phone", async ({ page, owner }) => {
  const { conversationId } = await carryOut(owner, "list my tasks about the summer house by the lake");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/?c=${conversationId}`);
  await alive(page);
  const box = await page.getByRole("heading", { level: 1 }).boundingBox();
  expect(box?.height).toBeLessThan(30);
  expect(box?.width).toBeGreaterThan(100);
});

test("an answered conversation does not scroll sideways in a narrow window, nor for a tooltip", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openChat(page);
  await ask(page, "what is 3 + 4");
  await answered(page);
  const turns = page.getByRole("region", { name: "Conversation", exact: true });
  const hidden = () =>
    turns.evaluate((box: { scrollWidth: number; clientWidth: number }) => box.scrollWidth - box.clientWidth);
  expect(await hidden()).toBe(0);
  for (const button of await lastEntry(page).locator("footer").getByRole("button").all()) {
    await button.hover();
    expect(await hidden()).toBe(0);
  }
});
