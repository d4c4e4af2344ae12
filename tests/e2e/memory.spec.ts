import { existsSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { z } from "zod";
import { MemoryAnswer } from "@metahuman/core/contract/answers";
import { lookAt } from "./looking.ts";
import { startOwnedServer } from "../support/server.ts";
import { alive, carryOut, expect, ownersFile, signIn, test, visitorTest } from "./support.ts";

/** Opens a page and waits until it answers: what is typed before would be lost. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await alive(page);
}

test.describe("a conversation", () => {
  // The list asks whether what no longer matches is still there, and a deletion takes the exchanges along.
  test.use({ expectedComplaints: /404 \(Not Found/ });

  test("is found by its words, and is restored after it was deleted", async ({ page, owner }) => {
    await carryOut(owner, "remember that the tide table lies in the green drawer");
    await visit(page, "/memory");
    await page.getByLabel("Search all memory").fill("tide table");
    const row = page.getByRole("link", { name: /^the tide table lies/ });
    await expect(row.locator("mark").first()).toHaveText("tide");
    await row.click();
    const record = page.getByRole("region", { name: "Selected record" });
    await expect(record).toContainText("From you, in this run");
    await record.getByText("The file, verbatim").click();
    await expect(record.getByLabel("The record as JSON")).toContainText('"trust": "trusted"');

    await record.getByRole("button", { name: "Delete" }).click();
    await expect(row).toBeHidden();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("link", { name: /^the tide table lies/ })).toBeVisible();
  });
});

visitorTest("a list shows every row that fits, however few the server had rendered", async ({ browser }) => {
  const { server, owner } = await startOwnedServer();
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 1600 } });
  try {
    await signIn(context, owner);
    await owner.post("/api/memories", { type: "observation", content: "The only fact" });
    for (const what of ["jam", "rye", "tea", "oil"]) await carryOut(owner, `add a task to buy ${what}`);
    const page = await context.newPage();
    await visit(page, "/memory");
    const rows = page.getByRole("region", { name: "Memories" }).getByRole("listitem");
    await expect(rows).toHaveCount(1);
    await page.getByText(/^Everything/).click();
    // Each request leaves the call and the exchange.
    await expect(rows).toHaveCount(9);

    for (let count = 0; count < 14; count += 1) await owner.post("/api/memories", fact(count));
    await visit(page, "/memory");
    await expect(rows).toHaveCount(15);
  } finally {
    await context.close();
    await server.dispose();
  }
});

const fact = (count: number) => ({ type: "observation", content: `Fact ${String(count)}` });

test("on a phone, the focus moves to the record and back to the list", async ({ page, owner }) => {
  await owner.post("/api/memories", { type: "curated", content: "The stove is swept in autumn" });
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(page, "/memory?query=stove");
  await page.getByRole("link", { name: /^The stove is swept/ }).press("Enter");
  await expect(page.getByRole("region", { name: "Selected record" })).toBeFocused();
  await page.getByRole("button", { name: "Back to the list" }).press("Enter");
  await expect(page.getByRole("region", { name: "Memories" })).toBeFocused();
});

test("the tabs have counts in the HTML, which are updated only after a change", async ({ page, owner }) => {
  const asked: string[] = [];
  // The tab may still show a page of the test before, which follows changes, too.
  await page.goto("about:blank");
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await owner.post("/api/memories", { type: "curated", content: "The weir is opened in March." });
  const { body } = await owner.get("/memory");
  const text = String(body).replaceAll(/ props="[^"]*"/gu, "");
  expect(text).toMatch(/data-tab="curated"[^]*?count[^>]*>[1-9]/);
  await visit(page, "/memory");
  const curated = page.getByRole("tab", { name: /^Curated/ });
  const before = await curated.innerText();
  await expect(page.getByText("Index: up to date")).toBeVisible();
  expect(asked).not.toContain("/api/memories_all");
  await owner.post("/api/memories", { type: "curated", content: "The weir is closed in October." });
  await expect(curated).not.toHaveText(before);
});

test("on a phone, the last tab, when selected, is not covered by the fade", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(page, "/memory?tab=archive");
  const list = page.getByRole("tablist");
  const last = list.getByRole("tab").last();
  await expect(last).toContainText(/\d/);
  const ends = async (part: Locator) => {
    const box = await part.boundingBox();
    return box ? box.x + box.width : Number.NaN;
  };
  const unfaded = (await ends(list)) - 22;
  await expect.poll(() => ends(last)).toBeLessThanOrEqual(unfaded);
});

test("a fact is added, curated, pinned, and found by its address", async ({ page }) => {
  await visit(page, "/memory");
  await page.getByLabel("Write down a fact to remember").fill("The boiler is serviced in May.");
  await page.getByRole("button", { name: "Keep" }).click();
  await expect(page.getByRole("tab", { name: /Curated/ })).toHaveAttribute("aria-selected", "true");
  await page.getByRole("link", { name: /^The boiler is serviced/ }).click();
  await page.getByRole("button", { name: "Pin" }).click();
  await expect(page.getByRole("link", { name: /^The boiler is serviced/ })).toContainText("pinned");
  await page.reload();
  await expect(page.getByRole("region", { name: "Selected record" })).toContainText("The boiler is serviced");
});

test("a record shows its uses and its links, accepts a verdict, and is edited", async ({ page, owner }) => {
  await owner.post("/api/memories", { type: "curated", content: "Lent the drill", entities: ["Ana Ruiz"] });
  await owner.post("/api/memories", { type: "curated", content: "Bakes rye bread", entities: ["Ana Ruiz"] });
  await owner.post("/api/memories", { type: "curated", content: "Owns a kayak" });
  await visit(page, "/memory");
  await page.getByLabel("Search all memory").fill("rye bread");
  await page.getByRole("link", { name: /^Bakes rye bread/ }).click();
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record).toContainText("Opened from a search once");
  await record.getByRole("button", { name: "Useful", exact: true }).click();
  await expect(record).toContainText("found useful once");
  await expect(record).toContainText("Important.");
  await expect(record).not.toContainText("1.00");

  await record.getByRole("button", { name: "Edit" }).press("Enter");
  await expect(record.getByLabel("Content")).toBeFocused();
  await expect(record.getByRole("button", { name: "Save" })).toBeDisabled();
  await record.getByLabel("Content").fill("");
  await expect(record).toContainText("Content must not be empty.");
  await expect(record.getByRole("button", { name: "Save" })).toBeDisabled();
  await record.getByLabel("Content").fill("Bakes rye bread on Fridays");
  await record.getByLabel("Tags").fill("bread, #rye");
  await record.getByLabel("Link to another record…").fill("kayak");
  await record.getByRole("button", { name: "Owns a kayak" }).click();
  await expect(record.getByRole("button", { name: "Remove the link to Owns a kayak" })).toBeVisible();
  await record.getByLabel("Importance").selectOption("Less important");
  await lookAt(page, "form[aria-label=Record]", "memory-fields");
  await record.getByText("All fields as JSON").click();
  const json = record.getByLabel("Editable fields, as JSON");
  await expect(json).toHaveValue(/"rye"/);
  await record.getByRole("button", { name: "Save" }).click();
  await expect(record).toContainText("Bakes rye bread on Fridays");
  await expect(record).toContainText("#bread#rye");
  await expect(record).toContainText("Less important.");

  await record.getByRole("link", { name: "Lent the drill" }).click();
  await expect(record).toContainText("Not used yet");
  await expect(record.getByRole("link", { name: /Bakes rye bread/ })).toBeVisible();
});

test("an edited record or task asks before another one replaces it", async ({ page, owner }) => {
  for (const content of ["The lamp is in the cellar", "The ladder is in the shed"])
    await owner.post("/api/memories", { type: "curated", content });
  await visit(page, "/memory?tab=curated");
  const record = page.getByRole("region", { name: "Selected record" });
  const other = page.getByRole("link", { name: /^The ladder/ });
  await page.getByRole("link", { name: /^The lamp/ }).click();
  await record.getByRole("button", { name: "Edit" }).click();
  const content = record.getByLabel("Content");
  await content.fill("The lamp is in the attic");
  await other.click();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(content).toBeFocused();
  await expect(content).toHaveValue("The lamp is in the attic");
  await page.goBack();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(page).toHaveURL(/record=/);
  await other.click();
  await record.getByRole("button", { name: "Discard" }).click();
  await expect(record).toContainText("The ladder is in the shed");

  await carryOut(owner, "add an urgent task to oil the garden gate");
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.getByRole("link", { name: /oil the garden gate/i }).click();
  await record.getByLabel("Title").fill("Oil the gate");
  await page.getByRole("tab", { name: "Curated" }).click();
  await expect(record.getByRole("alert")).toContainText("unsaved changes");
  await record.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("link", { name: /^The lamp is in the cellar/ })).toBeVisible();
});

test.describe("two tabs that edit one memory", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("resolve their conflict: the slower one chooses, and loses no text", async ({ page, owner }) => {
    const made = await owner.post("/api/memories", { type: "curated", content: "The ferry goes at nine" });
    const { memory } = MemoryAnswer.parse(made.body);
    await visit(page, `/memory?record=${memory.id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByText("All fields as JSON").click();
    const json = page.getByLabel("Editable fields, as JSON");
    await json.fill(`{"content": "The ferry goes at ten"}`);
    await owner.send("PUT", `/api/memories/${memory.id}`, { tags: ["theirs"], version: 1 });
    await json.press("Control+s");
    await expect(page.getByText("This memory was saved elsewhere in the meantime.")).toBeVisible();
    await expect(page.getByRole("region", { name: "Their changes" })).toContainText("Tags: theirs");
    await expect(json).toHaveValue(/at ten/);
    await lookAt(page, "article", "memory-stale");
    await page.getByRole("button", { name: "Merge my changes into theirs" }).click();
    await expect(json).toBeHidden();
    expect((await owner.get(`/api/memories/${memory.id}`)).body).toMatchObject({
      memory: { content: "The ferry goes at ten", tags: ["theirs"], version: 3 },
    });

    // Later changes are visible without a reload.
    await owner.send("PUT", `/api/memories/${memory.id}`, { content: "The ferry goes at noon", version: 3 });
    const record = page.getByRole("region", { name: "Selected record" });
    await expect(record.getByText("The ferry goes at noon", { exact: true })).toBeVisible();
  });
});

test("the archive lists deleted items, including files, and restores them", async ({
  page,
  owner,
  server,
}) => {
  await carryOut(owner, 'create a file called archived.md with the text "x"');
  await carryOut(owner, "delete archived.md");
  await visit(page, "/approvals");
  await page.getByRole("button", { name: "Allow once" }).first().click();
  await expect.poll(() => existsSync(ownersFile(server, "out/archived.md"))).toBe(false);
  await visit(page, "/memory");
  await page.getByRole("tab", { name: /Archive/ }).click();
  const entry = page.getByRole("listitem").filter({ hasText: "archived.md" });
  await entry.getByRole("button", { name: /^Restore/ }).click();
  await expect(page.getByText(/^Restored/)).toBeVisible();
  await expect.poll(() => existsSync(ownersFile(server, "out/archived.md"))).toBe(true);
});

test("a memory with Markdown is rendered when it is opened, and its row has no marks", async ({
  page,
  owner,
}) => {
  await owner.post("/api/memories", { type: "curated", content: "# Sails\n\n**Jib**: patch it\n- the main" });
  await visit(page, "/memory?tab=curated");
  const row = page.getByRole("link", { name: /^Sails/ });
  await expect(row).not.toContainText(/[#*]/);
  await row.click();
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record.getByRole("heading", { name: "Sails" })).toBeVisible();
  await expect(record.getByRole("listitem").filter({ hasText: "the main" })).toBeVisible();
});

test("every kind of memory has its tab, and an empty one explains how records are added", async ({
  page,
}) => {
  await visit(page, "/memory");
  const tabs = page.getByRole("tablist", { name: "Kinds of memory" }).getByRole("tab");
  await expect(tabs).toHaveText([
    /^Episodic/,
    /^Reflections/,
    /^Tasks/,
    /^Curated/,
    /^Dreams/,
    /^Curiosity/,
    /^Audio/,
    /^Patterns/,
    /^Functions/,
    /^Archive/,
  ]);
  await expect(tabs.filter({ hasText: "Audio" })).toHaveText(/0$/);
  await page.getByRole("tab", { name: /^Audio/ }).click();
  await expect(page.getByRole("tabpanel", { name: "Audio" })).toContainText("does not record audio");
  await page.getByRole("tab", { name: /^Audio/ }).press("ArrowRight");
  await expect(page.getByRole("tabpanel", { name: "Patterns" })).toContainText("make three times");
  await page.getByRole("tab", { name: /^Functions/ }).click();
  await expect(page.getByRole("tabpanel", { name: "Functions" })).toContainText(
    /written by you|draft|verified/,
  );
  await visit(page, "/memory?tab=archive");
  await expect(page.getByRole("tab", { name: /^Archive \d/ })).toBeInViewport({ ratio: 0.9 });
});

test("conversations are listed separately from requests and calls", async ({ page, owner }) => {
  await carryOut(owner, "remember that the sledge is in the loft");
  await visit(page, "/memory");
  const panel = page.getByRole("tabpanel", { name: "Episodic" });
  await expect(panel.getByRole("link", { name: /the sledge is in the loft/ })).toHaveCount(1);
  await expect(panel).not.toContainText("→");
  await page.getByRole("radio", { name: "Everything" }).press("Space");
  await expect(panel).toContainText("remember that the sledge is in the loft →");
});

test("the person's own questions are not marked as untrusted, and their answers are shown when they open", async ({
  page,
  owner,
}) => {
  await carryOut(owner, 'create a file called tides.md with the text "High at six."');
  await carryOut(owner, "read tides.md");
  await visit(page, "/memory");
  await page.getByRole("radio", { name: "Everything" }).press("Space");
  const panel = page.getByRole("tabpanel", { name: "Episodic" });
  const asked = panel.getByRole("link", { name: /^read tides\.md →/ });
  await expect(asked).toBeVisible();
  await expect(asked).not.toContainText("untrusted");
  await asked.click();
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record).toContainText("The answer contains text from a file, the web or a skill.");
  await expect(record.getByRole("term")).toHaveText(["Asked", "Answered"]);
  await expect(record.getByRole("definition").first()).toHaveText("read tides.md");
  await expect(record.getByRole("definition").last()).toContainText("High at six.");
});

test("the first rows of a list are in the HTML", async ({ owner }) => {
  await carryOut(owner, 'create a file called rows/first.md with the text "x"');
  await owner.post("/api/memories", { type: "curated", content: "The kiln is fired on Sundays." });
  await owner.post("/api/tasks", { title: "rake out the kiln", due: "2020-01-01", priority: "P0" });
  await carryOut(owner, 'create a file called rows/gone.md with the text "x"');
  await owner.send("DELETE", "/api/files?path=out/rows/gone.md");
  const steps = ["Sweep."];
  await owner.post("/api/functions", { title: "Fire the kiln", summary: "", steps, skillsUsed: [] });
  for (const [path, row] of [
    ["/memory?tab=curated", "The kiln is fired on Sundays."],
    ["/memory?tab=tasks", "rake out the kiln"],
    ["/memory?tab=archive", "gone.md"],
    ["/functions", "Fire the kiln"],
    ["/runs", "create a file called rows/first.md"],
    ["/files?folder=out/rows", "first.md"],
  ] as const) {
    const { body } = await owner.get(path);
    // Not only in the data for the scripts, which is in an attribute.
    const text = String(body).replaceAll(/ props="[^"]*"/gu, "");
    expect(text, path).toContain(row);
  }
});

test("filters narrow a tab and a search, and report when nothing matches", async ({ page, owner }) => {
  await owner.post("/api/memories", [
    { type: "curated", content: "The lighthouse key hangs by the door.", tags: ["coast"] },
    { type: "curated", content: "The lighthouse lamp needs oil.", tags: ["chores"] },
  ]);
  await visit(page, "/memory?tab=curated");
  const panel = page.getByRole("tabpanel", { name: "Curated" });
  await expect(panel).toContainText("lighthouse lamp");
  await expect(panel.getByRole("link").first()).toContainText("lighthouse lamp");
  await page.getByLabel("Order").selectOption("Oldest first");
  await expect(panel.getByRole("link").first()).not.toContainText("lighthouse lamp");
  await page.getByText("Filters", { exact: true }).click();
  await page.getByLabel("Tag").fill("#coast");
  await page.getByLabel("Tag").press("Enter");
  await expect(panel).not.toContainText("lighthouse lamp");
  await expect(panel).toContainText("lighthouse key");

  // A filter that is set while the search is still under way counts for it, too.
  const held = Promise.withResolvers<void>();
  await page.route("**/api/memories/search?*", (route) => held.promise.then(() => route.continue()));
  const asked = page.waitForRequest("**/api/memories/search?*");
  await page.getByLabel("Search all memory").fill("lighthouse");
  await asked;
  await page.getByRole("combobox", { name: "Trust", exact: true }).selectOption("Untrusted");
  held.resolve();
  await expect(page.getByText("No results. Try fewer or other words.")).toBeVisible();
  await page.getByRole("combobox", { name: "Trust", exact: true }).selectOption("");
  await expect(page.getByRole("link", { name: /^The lighthouse key/ })).toBeVisible();
  await expect(page.getByRole("link", { name: /^The lighthouse lamp/ })).toBeHidden();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await expect(page.getByRole("link", { name: /^The lighthouse lamp/ })).toBeVisible();
});

test("a long list is scrolled to its end, and only its visible part is rendered", async ({ page, owner }) => {
  const many = Array.from({ length: 200 }, (_, index) => ({
    type: "dream",
    content: `Dream number ${index}, of stairs that lead up and down.`,
  }));
  await owner.post("/api/memories", many);
  await visit(page, "/memory?tab=dreams");
  const panel = page.getByRole("tabpanel", { name: "Dreams" });
  const rows = panel.getByRole("listitem");
  await expect(rows.first()).toBeVisible();
  const list = page.getByRole("region", { name: "Memories" });
  await list.focus();
  await expect
    .poll(
      async () => {
        await page.keyboard.press("End");
        return rows.last().getAttribute("aria-posinset");
      },
      { intervals: [100] },
    )
    .toBe("200");
  await expect(rows.last()).toHaveAttribute("aria-setsize", "200");
  expect(await rows.count()).toBeLessThan(80);
});

test("a changed memory is undone", async ({ page, owner }) => {
  const { body } = await owner.post("/api/memories", {
    type: "curated",
    content: "The skylight was sealed in June.",
  });
  const { memory } = z.object({ memory: z.object({ id: z.string() }) }).parse(body);
  await visit(page, `/memory?tab=curated&record=${memory.id}`);
  const record = page.getByRole("region", { name: "Selected record" });
  await record.getByRole("button", { name: "Edit" }).click();
  await record.getByLabel("Content").fill("The skylight leaks.");
  await page.keyboard.press("Control+s");
  await expect(record.getByText("The skylight leaks.", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(record.getByText("The skylight was sealed in June.", { exact: true })).toBeVisible();
});

test("a row is opened by a click right after its list was scrolled", async ({ page, owner }) => {
  const many = Array.from({ length: 60 }, (_, index) => ({
    type: "reflection",
    content: `Reflection number ${index} on the tide.`,
  }));
  await owner.post("/api/memories", many);
  await visit(page, "/memory?tab=reflections");
  await expect(
    page.getByRole("tabpanel", { name: "Reflections" }).getByRole("listitem").first(),
  ).toBeVisible();
  const list = page.getByRole("region", { name: "Memories" });
  const { x, y, width, height } = (await list.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.evaluate(`new Promise((scrolled) => {
    const list = document.querySelector("[data-scrolls]");
    list.addEventListener("scroll", scrolled, { once: true });
    list.scrollTop = 600;
  })`);
  await page.mouse.click(x + width / 2, y + height / 2);
  await expect(page.getByRole("region", { name: "Selected record" })).toContainText(/on the tide\./);
});

test("the state of the index is shown, and the index rebuilt, on the memory page", async ({ page }) => {
  await visit(page, "/memory");
  await page.getByText(/^Index:/).click();
  await page.getByRole("button", { name: "Rebuild the index" }).click();
  await expect(page.getByText("Index: up to date")).toBeVisible();
  await expect(page.getByRole("button", { name: "Rebuild the index" })).toBeEnabled();
});
