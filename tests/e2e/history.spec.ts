import type { Locator, Page } from "@playwright/test";
import { FileContent } from "@metahuman/core/contract/files";
import { look, lookAt } from "./looking.ts";
import { alive, answered, ask, carryOut, expect, lastEntry, openChat, test } from "./support.ts";

// The effects of Back, Escape, Undo and notices.

test("Back closes an item of the memory page, and the address keeps query and tab", async ({
  page,
  owner,
}) => {
  await owner.post("/api/memories", { type: "curated", content: "The anvil is in the shed." });
  await page.goto("/memory?tab=curated");
  await alive(page);
  await page
    .getByRole("link", { name: /The anvil is in the shed/ })
    .first()
    .click();
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record.getByRole("button", { name: "Edit" })).toBeVisible();
  await expect(page).toHaveURL(/tab=curated&record=/);
  await page.goBack();
  await expect(page).toHaveURL(/\/memory\?tab=curated$/);
  await expect(record.getByRole("button", { name: "Edit" })).toBeHidden();
  await page.goForward();
  await expect(record.getByRole("button", { name: "Edit" })).toBeVisible();
  await page.getByRole("tab", { name: "Tasks" }).click();
  await expect(record.getByRole("button", { name: "Edit" })).toBeHidden();
  await page.getByLabel("Search all memory").fill("anvil");
  await expect(page).toHaveURL(/query=anvil/);
  await page.reload();
  await expect(page.getByLabel("Search all memory")).toHaveValue("anvil");
  await expect(page.locator("mark").first()).toBeVisible();
});

test("Back closes a function and a run", async ({ page, owner }) => {
  const { runId } = await carryOut(owner, "list my tasks");
  await owner.post("/api/functions", {
    title: "Sweep the porch",
    summary: "",
    steps: ["Sweep."],
    skillsUsed: [],
  });
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("link", { name: /Sweep the porch/ }).click();
  await expect(page.getByRole("heading", { name: "Sweep the porch" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Sweep the porch" })).toBeHidden();
  await page.goto("/runs");
  await alive(page);
  await page.locator(`a[href="/runs?run=${runId}"]`).click();
  await expect(page).toHaveURL(new RegExp(runId));
  await page.goBack();
  await expect(page).toHaveURL(/\/runs$/);
  await expect(page.getByText("Select a run to see its steps.")).toBeVisible();
});

for (const [how, width, close] of [
  ["Escape", 1280, (page: Page) => page.keyboard.press("Escape")],
  ["its link", 390, (page: Page) => page.getByRole("button", { name: "Back to the list" }).click()],
] as const)
  test(`Back after an item was closed by ${how} leaves its page`, async ({ page, owner }) => {
    await owner.send("PUT", "/api/files/content", { path: "out/closing.md", content: "closed" });
    await owner.post("/api/memories", { type: "curated", content: "The closing bell hangs by the door." });
    await owner.post("/api/functions", {
      title: "Close the shop",
      summary: "",
      steps: ["Close."],
      skillsUsed: [],
    });
    await carryOut(owner, "list my tasks");
    await page.setViewportSize({ width, height: 844 });
    for (const [list, row, action] of [
      ["/files?folder=out", /^closing\.md/, "Rename"],
      ["/memory?tab=curated", /The closing bell hangs/, "Edit"],
      ["/functions", /Close the shop/, "Verify"],
      ["/runs", /list my tasks/, "Inspect"],
    ] as const) {
      await page.goto("/settings");
      await page.goto(list);
      await alive(page);
      await page.getByRole("link", { name: row }).first().click();
      await expect(page.locator("#detail").getByRole("button", { name: action, exact: true })).toBeVisible();
      await close(page);
      await expect(page).toHaveURL(new RegExp(`${list.replace("?", "\\?")}$`));
      await page.goBack();
      await expect(page, `Back from ${list}`).toHaveURL(/\/settings$/);
    }
  });

test("what was searched while an item was open stays when the item is closed", async ({ page, owner }) => {
  await owner.post("/api/functions", { title: "Oil the gate", summary: "", steps: ["Oil."], skillsUsed: [] });
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("link", { name: /Oil the gate/ }).click();
  await expect(page.getByRole("heading", { name: "Oil the gate" })).toBeVisible();
  await page.getByLabel("Search functions").fill("oil");
  await expect(page).toHaveURL(/query=oil/);
  await page.getByRole("heading", { name: "Oil the gate" }).focus();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "Oil the gate" })).toBeHidden();
  await expect(page).toHaveURL(/\/functions\?query=oil$/);
  await expect(page.getByLabel("Search functions")).toHaveValue("oil");
});

test("a notice covers neither Send nor Attach, and leaves after its dismissal was clicked", async ({
  page,
}) => {
  await openChat(page);
  await ask(page, "list my tasks");
  await answered(page);
  await lastEntry(page).getByRole("button", { name: "Copy the answer" }).click();
  const notice = page.getByRole("status", { name: "News" }).locator("div").first();
  await expect(notice).toBeVisible();
  const box = await notice.boundingBox();
  const send = await page.getByRole("button", { name: "Send", exact: true }).boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(send?.y ?? 0);
});

test("Escape closes an open item while nothing has the focus", async ({ page, owner }) => {
  await owner.post("/api/memories", { type: "curated", content: "The bellows hang by the forge." });
  await page.goto("/memory?tab=curated");
  await alive(page);
  await page
    .getByRole("link", { name: /The bellows hang/ })
    .first()
    .click();
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record.getByRole("button", { name: "Edit" })).toBeVisible();
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("Escape");
  await expect(record.getByRole("button", { name: "Edit" })).toBeHidden();
  await expect(page).toHaveURL(/\/memory\?tab=curated$/);
});

test.describe("restoring a version of a file", () => {
  test.use({ expectedComplaints: /status of (404|409)/ });

  test("the archive lists versions separately, and asks before one replaces the current file", async ({
    page,
    owner,
  }) => {
    const path = "out/versions.md";
    await owner.send("PUT", "/api/files/content", { path, content: "one" });
    const { version } = FileContent.parse((await owner.get(`/api/files/content?path=${path}`)).body);
    await owner.send("PUT", "/api/files/content", { path, content: "one, two", version });
    await page.goto("/memory?tab=archive");
    const entry = page.getByRole("listitem").filter({ hasText: "versions.md" });
    await expect(entry).toContainText("overwritten");
    await expect(entry).toContainText("3 bytes");
    await entry.getByRole("button", { name: /^Restore/ }).click();
    await expect(
      page.getByText(/already exists\. If you replace it, it goes to the archive\./),
    ).toBeVisible();
    await page.getByRole("button", { name: "Replace" }).click();
    await expect(page.getByText("Restored “versions.md”.")).toBeVisible();
    await expect(entry).toContainText("deleted");
    await expect(entry).toContainText("8 bytes");
    // A restored version takes the place of another one, so it can be undone, and that again.
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(entry).toContainText("3 bytes");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(entry).toContainText("8 bytes");
    expect((await owner.get(`/api/files/content?path=${path}`)).body).toMatchObject({ content: "one" });
  });

  test("an archived version is compared with the current file before it is restored", async ({
    page,
    owner,
  }) => {
    const path = "out/route.md";
    await owner.send("PUT", "/api/files/content", { path, content: "Oslo\nby train\n" });
    const { version } = FileContent.parse((await owner.get(`/api/files/content?path=${path}`)).body);
    await owner.send("PUT", "/api/files/content", { path, content: "Oslo\nby ferry\n", version });
    await page.goto("/memory?tab=archive");
    await alive(page);
    await page.getByRole("link", { name: /^out\/route\.md/ }).press("Enter");
    const detail = page.getByRole("region", { name: "Selected record" });
    await expect(detail).toContainText("How restoring it changes out/route.md");
    const changes = detail.getByRole("region", { name: "Changes" });
    await expect(changes.locator("del")).toHaveText("ferry");
    await expect(changes.locator("ins")).toHaveText("train");
    await lookAt(page, "[aria-label='Selected record']", "archive-version");
    await page.reload();
    await alive(page);
    await expect(changes).toBeVisible();
    await detail.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Replace" }).click();
    await expect(page.getByText("Restored “route.md”.")).toBeVisible();
    await expect(detail).toContainText("Select an item");
    expect((await owner.get(`/api/files/content?path=${path}`)).body).toMatchObject({
      content: "Oslo\nby train\n",
    });
  });
});

test("a button that restores an earlier file shows what it changes", async ({ page, owner }) => {
  await owner.send("PUT", "/api/files/content", { path: "out/oars.txt", content: "red oars\nblue oars\n" });
  await openChat(page);
  await ask(page, "change red to green in oars.txt");
  await answered(page);
  await expect(lastEntry(page)).toContainText("“green” → “red”");
  await ask(page, "remove blue oars from oars.txt");
  await answered(page);
  await expect(lastEntry(page)).toContainText("Brings back “blue oars”");
  await ask(page, "add a line at the top of oars.txt: tar");
  await answered(page);
  await expect(lastEntry(page)).toContainText("Takes out “tar”");
  await page.reload();
  const first = page.getByRole("article").first();
  await expect(first).toContainText("“green” → “red”");
  // The whole earlier file comes back, with what was changed since.
  await first.getByText("What this changes").click();
  await expect(first.getByText("After restoring")).toBeVisible();
  await expect(first).toContainText("blue oars");
});

test.describe("restoring an item that is no longer in the archive", () => {
  test.use({ expectedComplaints: /status of 404/ });

  test("a file that was overwritten can be restored once, and no tab offers it again", async ({
    page,
    owner,
  }) => {
    await carryOut(owner, 'create a file called undo.md with the text "first"');
    await openChat(page);
    await ask(page, 'overwrite undo.md with "second"');
    await page.getByRole("button", { name: "Allow once" }).click();
    await answered(page);
    const undo = lastEntry(page).getByRole("button", { name: /^Undo: restore the earlier/ });
    await expect(undo).toBeVisible();
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(page.url());
    await lastEntry(elsewhere)
      .getByRole("button", { name: /^Undo: restore the earlier/ })
      .click();
    await expect(elsewhere.getByRole("status", { name: "News" }).getByText(/^Restored/)).toBeVisible();
    await elsewhere.close();
    const { body } = await owner.post("/api/operator", { goal: "read undo.md" });
    expect(JSON.stringify(body)).toContain("first");
    await expect(undo).toBeHidden();
    const asked = page.waitForResponse((response) => response.url().includes("/api/archive?"));
    await page.reload();
    await asked;
    await answered(page);
    await expect(undo).toBeHidden();
  });
});

test("Escape closes the inspector, and a second Escape discards no edits", async ({ page, owner }) => {
  await openChat(page);
  await ask(page, 'create a file called inspected.md with the text "here"');
  await answered(page);
  await lastEntry(page)
    .getByText(/^1 step/)
    .click();
  await lastEntry(page).getByRole("listitem").first().hover();
  await lastEntry(page).getByRole("button", { name: "Inspect step 1" }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("fs_write");
  await expect(lastEntry(page).getByRole("button", { name: "Inspect step 1" })).toBeInViewport();
  await page.keyboard.press("Escape");
  await expect(inspector).toBeHidden();

  await owner.post("/api/functions", {
    title: "Dust the shelf",
    summary: "",
    steps: ["Dust."],
    skillsUsed: [],
  });
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("link", { name: /Dust the shelf/ }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByRole("dialog", { name: "Edit the function" });
  await expect(editor.getByRole("button", { name: "Save" })).toBeDisabled();
  await editor.getByLabel("Summary").fill("Every week.");
  for (const _ of [1, 2, 3]) await page.keyboard.press("Escape");
  await expect(editor.getByLabel("Summary")).toHaveValue("Every week.");
  await editor.getByRole("button", { name: "Save" }).click();
  await expect(editor).toBeHidden();
  await expect(page.getByText("Every week.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Restored version 1.")).toBeVisible();
  await expect(page.getByText("Every week.")).toBeHidden();
});

test("a new request that is typed while a question is open is not taken for its answer", async ({
  page,
  owner,
}) => {
  await carryOut(owner, "add a task to scrub the small kettle");
  await carryOut(owner, "add a task to scrub the large kettle");
  await openChat(page);
  await ask(page, "mark scrub kettle as done");
  await expect(page.getByPlaceholder("Answer the question")).toBeVisible();
  await ask(page, "create a folder called for the plumber");
  const choice = page.getByRole("alert").filter({ hasText: "Is this your answer?" });
  await expect(choice).toBeVisible();
  const place = async (one: Locator) => (await one.boundingBox())?.x;
  expect(await place(choice)).toBe(await place(page.locator(".composer")));
  await look(page, "chat-undecided");
  await page.getByRole("button", { name: "Send as a new request" }).press("Enter");
  await expect(page.getByRole("article")).toHaveCount(2);
  await answered(page);
  await expect(page.getByRole("article").first()).toContainText("Stopped.");
});

for (const width of [1280, 390])
  test(`Back closes an open dialog and not its page, at ${width} pixels`, async ({ page, owner }) => {
    const body = { title: `Wax the skis ${width}`, summary: "", steps: ["Wax."], skillsUsed: [] };
    await owner.post("/api/functions", body);
    await page.setViewportSize({ width, height: 844 });
    await page.goto("/settings");
    await page.goto("/functions");
    await alive(page);
    const palette = page.getByRole("dialog", { name: "Find anything" });
    await page.keyboard.press("Control+k");
    await expect(palette).toBeVisible();
    await page.goBack();
    await expect(palette).toBeHidden();
    await expect(page).toHaveURL(/\/functions$/);
    // Forward opens no dialog, and one that is opened there is closed by Back, too.
    await page.goForward();
    await page.keyboard.press("Control+k");
    await expect(palette).toBeVisible();
    await page.goBack();
    await expect(palette).toBeHidden();
    await page.goBack();
    await expect(page).toHaveURL(/\/functions$/);

    await page.getByRole("link", { name: `Wax the skis ${width}` }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const editor = page.getByRole("dialog", { name: "Edit the function" });
    await editor.getByLabel("Summary").fill("Cold wax.");
    for (const _ of [1, 2]) {
      await page.goBack();
      await expect(editor.getByText("You have unsaved changes.")).toBeVisible();
      await editor.getByRole("button", { name: "Keep editing" }).click();
      await expect(editor.getByLabel("Summary")).toHaveValue("Cold wax.");
    }
    await page.goBack();
    await editor.getByRole("button", { name: "Discard" }).click();
    await expect(editor).toBeHidden();
    await expect(page.getByRole("heading", { name: `Wax the skis ${width}` })).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(/\/functions$/);
    await page.goBack();
    await expect(page).toHaveURL(/\/settings$/);
  });

test("Back from what a dialog opened leads to the page of the dialog, and then away from it", async ({
  page,
}) => {
  await page.goto("/settings");
  await page.goto("/approvals");
  await alive(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Find anything" }).getByRole("combobox").fill("runs");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/runs$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/approvals$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/settings$/);
});

for (const width of [1280, 390])
  test(`Back closes an open menu and not its page, at ${width} pixels`, async ({ page, owner }) => {
    const body = { title: `Tar the roof ${width}`, summary: "", steps: ["Tar."], skillsUsed: [] };
    await owner.post("/api/functions", body);
    await page.setViewportSize({ width, height: 844 });
    await page.goto("/settings");
    await page.goto("/functions");
    await alive(page);
    for (const [opener, menu] of [
      ["New", "New function"],
      ["Filters", "Filters"],
      [/^Profile: /, /^Profile: /],
    ] as const) {
      const button = page.getByRole("button", { name: opener, exact: true });
      const panel = page.locator("[popover]").and(page.getByLabel(menu));
      await button.click();
      await expect(panel).toBeVisible();
      await page.goBack();
      await expect(panel).toBeHidden();
      await expect(page).toHaveURL(/\/functions$/);
    }
    // An item that opens a dialog: Back closes the dialog, and then leaves the page.
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByRole("button", { name: "Write a function" }).click();
    const editor = page.getByRole("dialog", { name: "Write a function" });
    await expect(editor).toBeVisible();
    await page.goBack();
    await expect(editor).toBeHidden();
    await expect(page).toHaveURL(/\/functions$/);
    // A filter that was chosen in the menu stays in the address.
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await page.getByLabel("State").selectOption({ label: "Drafts" });
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(/\/functions\?.*draft/);
    // A link outside the menu closes it, and is followed.
    await page.getByRole("button", { name: /^Filters/ }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Memory" }).first().click();
    await expect(page).toHaveURL(/\/memory$/);
    await page.goBack();
    await expect(page).toHaveURL(/\/functions\?.*draft/);
    // What a link in the menu opens takes the place of its entry.
    await alive(page);
    await page.getByRole("button", { name: /^Mode and trust: / }).click();
    await page.getByRole("link", { name: "What each level allows" }).click();
    await expect(page).toHaveURL(/\/settings#trust$/);
    await page.goBack();
    await expect(page).toHaveURL(/\/functions\?.*draft/);
    await page.goBack();
    await expect(page).toHaveURL(/\/settings$/);
  });
