import type { Route } from "@playwright/test";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { expectAccessible } from "./looking.ts";
import { alive, answered, ask, carryOut, expect, lastEntry, openChat, ownersFile, test } from "./support.ts";

// Lists whose answers do not come say so, and come back when asked again. The server renders the first page of some:
// the browser reads these in another order, in another tab, or when a request changes them.
const LISTS = [
  { room: "/memory", list: "**/api/memories?*", comes: "tabpanel", order: "Oldest first" },
  { room: "/memory?tab=tasks", list: "**/api/tasks?*", comes: "tabpanel", order: "By title" },
  { room: "/memory?tab=curated", list: "**/api/archive?limit=50*", comes: "tabpanel", tab: "Archive" },
  { room: "/runs", list: "**/api/runs?*", comes: "listitem", request: "list my tasks" },
  { room: "/runs?view=figures", list: "**/api/runs?limit=500*", comes: "img" },
  { room: "/functions?sort=title", list: "**/api/functions?*", comes: "listitem" },
  { room: "/approvals", list: "**/api/approvals?*", comes: "region", request: "delete faults.md" },
  { room: "/", list: "**/api/conversations?*", comes: "link", request: "list my tasks" },
  { room: "/settings#audit", list: "**/api/audit?*", comes: "listitem" },
] as const;

test.describe("a list whose answer does not come", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test.beforeAll(async ({ owner }) => {
    await carryOut(owner, "list my tasks");
    await carryOut(owner, 'create a file called faults.md with the text "x"');
    const guide = { title: "Sweep the yard", summary: "", steps: ["Sweep."], skillsUsed: ["fs_write"] };
    await owner.post("/api/functions", guide);
  });

  for (const { room, list, comes, ...rest } of LISTS) {
    test(`shows this and is loaded again on request: ${room}`, async ({ page, owner }) => {
      await page.route(list, (route) => route.abort("connectionrefused"));
      await page.goto(room);
      await alive(page);
      if ("order" in rest) await page.getByLabel("Order").selectOption(rest.order);
      if ("tab" in rest) await page.getByRole("tab", { name: rest.tab }).click();
      if ("request" in rest) await carryOut(owner, rest.request);
      const problem = page.getByRole("main").getByText("The server cannot be reached.").first();
      await expect(problem).toBeVisible();
      await page.unroute(list);
      // An event may cause another read first.
      const again = page.getByRole("main").getByRole("button", { name: "Try again" }).first();
      await expect(async () => {
        if (await again.isVisible()) await again.click({ timeout: 1_000 });
        await expect(problem).toBeHidden({ timeout: 1_000 });
      }).toPass();
      await expect(page.getByRole("main").getByRole(comes).first()).toBeVisible();
    });
  }

  test("a conversation that is gone, by a link", async ({ page }) => {
    await page.goto(`/?c=conv-${"0".repeat(26)}`);
    await expect(page.getByText("There is no such conversation.")).toBeVisible();
    await page.getByLabel("Your request").fill("still here");
    await page.getByRole("region", { name: "Conversation" }).getByRole("button").click();
    const heading = page.getByRole("heading", { name: "What would you like to do?" });
    await expect(heading).toBeVisible();
    await expect(page.getByLabel("Your request")).toHaveValue("still here");
    // Both stand right of the rule at the margin.
    const left = (await page.locator(".composer").boundingBox())?.x;
    expect((await heading.boundingBox())?.x).toBe(left);
  });

  test("a function that is gone, by a link", async ({ page }) => {
    await page.goto("/functions?function=func-20200101-gone");
    await expect(page.getByRole("region", { name: "Selected function" })).toContainText(
      "There is nothing with this id.",
    );
  });
});

test("a slow server is waited for visibly: the page shows what is loading and what was sent, and accepts typing", async ({
  page,
}) => {
  const waits = Promise.withResolvers<undefined>();
  const slowly = async (route: Route) => {
    await waits.promise;
    await route.continue();
  };
  await page.route("**/api/tasks?*", slowly);
  // The first rows of the tab in the address are in the HTML; those of another tab are loaded.
  await page.goto("/memory");
  await alive(page);
  await page.getByRole("tab", { name: /Tasks/ }).click();
  await expect(page.getByRole("tabpanel")).toHaveText("Loading…");
  await page.goto("/");
  await alive(page);
  await page.route("**/api/operator", slowly);
  await ask(page, "what can you do?");
  await expect(lastEntry(page)).toContainText("Sending…");
  await page.getByLabel("Your request").fill("the next one");
  waits.resolve(undefined);
  await answered(page);
  await expect(page.getByLabel("Your request")).toHaveValue("the next one");
});

test.describe("a request whose response is lost", () => {
  test.use({ expectedComplaints: /ERR_FAILED|ERR_CONNECTION_REFUSED/ });

  test("is shown once if the server accepted it, and can be sent again if it did not", async ({
    page,
    owner,
  }) => {
    await page.goto("/");
    await alive(page);
    await ask(page, "list my tasks");
    await answered(page);
    const composer = page.getByLabel("Your request");
    const unreachable = page.getByText("The server cannot be reached.", { exact: true });
    const lost = Promise.withResolvers<undefined>();
    await page.route("**/api/operator", async (route) => {
      await route.fetch();
      // All updates about its run arrive before the page learns that the response is lost.
      await expect
        .poll(async () => JSON.stringify((await owner.get("/api/tasks")).body))
        .toContain("buy rye");
      await route.abort();
      lost.resolve(undefined);
    });
    await ask(page, "add a task to buy rye");
    await lost.promise;
    await expect(page.getByRole("heading", { name: "add a task to buy rye" })).toHaveCount(1);
    await expect(composer).toHaveValue("");
    await expect(unreachable).toHaveCount(0);
    await expect(page.getByText(/^Created the task "buy rye"/)).toBeVisible();
    await page.unroute("**/api/operator");

    await page.route("**/api/operator", (route) => route.abort("connectionrefused"));
    await ask(page, "add a task to buy oats");
    await expect(
      page.getByText("The server can be reached again. Your request may not have been sent: it is below."),
    ).toBeVisible();
    await expect(composer).toHaveValue("add a task to buy oats");
    await page.unroute("**/api/operator");
    await page.getByRole("button", { name: "Send again" }).press("Enter");
    await expect(lastEntry(page)).toContainText('Created the task "buy oats".');
    await expect(composer).toHaveValue("");
    await expect(page.getByRole("article")).toHaveCount(3);
  });
});

test("a request without a run is marked as failed, and is sent again with one click", async ({
  page,
  owner,
  server,
}) => {
  const { conversationId, runId } = await carryOut(owner, "list my tasks");
  // As after a restore that ended before the runs.
  const state = openDatabase(ownersFile(server, "state.db"), stateMigrations, { title: "state" });
  state.command("DELETE FROM messages WHERE run_id = ? AND role = 'operator'").run(runId);
  state.command("UPDATE messages SET run_id = NULL WHERE run_id = ?").run(runId);
  state.command("DELETE FROM runs WHERE id = ?").run(runId);
  state.close();
  await page.goto(`/?c=${conversationId}`);
  await expect(lastEntry(page)).toContainText("This request was not carried out.");
  await expectAccessible(page, "a request without a run", "all");
  await lastEntry(page).getByRole("button", { name: "Send again" }).click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await answered(page);
});

test("an earlier answer is shown only when it can be rendered", async ({ page, owner }) => {
  await carryOut(owner, "add a task to hang the curtains");
  await carryOut(owner, "add a task to wash the curtains");
  const { conversationId } = await carryOut(owner, "list my tasks");
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/Markdown\.[\w-]+\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/Markdown\.[\w-]+\.js$/);
  const read = page.waitForResponse((response) =>
    response.url().includes(`/conversations/${conversationId}`),
  );
  await openChat(page);
  await page.locator(`a[href="/?c=${conversationId}"]`).click();
  await Promise.all([asked, read]);
  await expect(page.getByRole("article")).toHaveCount(0);
  held.resolve(undefined);
  await expect(lastEntry(page).locator(".answer").locator("ul, ol, table").first()).toBeVisible();
});

test.describe("when the code that renders answers cannot be loaded", () => {
  test.use({ expectedComplaints: /ERR_FAILED/ });

  test("they are shown as text", async ({ page }) => {
    await page.route(/\/Markdown\.[\w-]+\.js$/, (route) => route.abort());
    await openChat(page);
    await ask(page, "add a task to draw the curtains");
    await answered(page);
    await expect(lastEntry(page)).toContainText("draw the curtains");
    await expect(lastEntry(page).locator(".answer p.plain")).toBeVisible();
  });
});

test.describe("a part of a page that cannot be loaded, as after an update of the server", () => {
  test.use({ expectedComplaints: /ERR_FAILED|dynamically imported module/ });

  test("is reported, and reloading the page loads it", async ({ page }) => {
    const part = /\/ModeAndTrust\.[\w-]+\.js$/;
    await page.route(part, (route) => route.abort());
    await openChat(page);
    await page.getByLabel("Your request").fill("not sent yet");
    const opener = page.getByRole("button", { name: /^Mode and trust/ });
    await opener.click();
    await expect(page.getByText(/^A part of this page could not be loaded/)).toBeVisible();
    await page.keyboard.press("Escape");
    await page.unroute(part);
    await page.getByRole("button", { name: "Reload" }).press("Enter");
    await page.waitForLoadState();
    await alive(page);
    await expect(page.getByLabel("Your request")).toHaveValue("not sent yet");
    await opener.click();
    await expect(page.getByRole("radio", { name: /^Supervised/ })).toBeVisible();
  });
});

test.describe("the card of a question that cannot be loaded", () => {
  test.use({ expectedComplaints: /ERR_FAILED|dynamically imported module/ });

  test("is replaced by the question, which can still be answered", async ({ page, owner }) => {
    await carryOut(owner, "add a task to wax the long table");
    await carryOut(owner, "add a task to wax the round table");
    await page.route(/\/QuestionCard\.[\w-]+\.js$/, (route) => route.abort());
    await openChat(page);
    await ask(page, "mark wax table as done");
    await expect(lastEntry(page)).toContainText("Which one do you mean?");
    await expect(lastEntry(page)).toContainText("wax the round table");
    await expect(page.getByRole("button", { name: "Reload" })).toBeVisible();
    await ask(page, "wax the round table");
    await answered(page);
    await expect(lastEntry(page)).toContainText("wax the round table");
  });
});

test("the next page of a list is loaded also while a change is loaded", async ({ page, owner }) => {
  const many = Array.from({ length: 120 }, (_, index) => ({
    type: "reflection",
    content: `Reflection number ${index}, on lanes that lead to the quay.`,
  }));
  await owner.post("/api/memories", many);
  const held = Promise.withResolvers<undefined>();
  const isNextPage = (url: string) => url.includes("/api/memories?") && url.includes("cursor=");
  let asked = 0;
  await page.route(
    (url) => isNextPage(url.href),
    async (route) => {
      asked += 1;
      if (asked === 1) await held.promise;
      await route.continue();
    },
  );
  await page.goto("/memory?tab=reflections");
  await alive(page);
  const rows = page.getByRole("tabpanel", { name: "Reflections" }).getByRole("listitem");
  await expect(rows.first()).toBeVisible();
  const first = page.waitForRequest((request) => isNextPage(request.url()));
  await page.getByRole("region", { name: "Memories" }).focus();
  await page.keyboard.press("End");
  await first;
  const changed = page.waitForResponse(
    (response) => response.url().includes("/api/memories?") && !isNextPage(response.url()),
  );
  // The list is as it was, and nothing moves.
  await owner.post("/api/memories", { type: "curated", content: "The lanes are swept on Mondays." });
  await changed;
  held.resolve(undefined);
  await expect.poll(() => asked).toBeGreaterThan(1);
});

test.describe("a file that is no backup", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("is refused where it was chosen, until another one is chosen", async ({ page, owner }) => {
    const backup = Buffer.from(await (await owner.raw("GET", "/api/export")).arrayBuffer());
    await page.goto("/settings#data");
    const data = page.locator("#data");
    const field = data.getByLabel("Restore from a backup");
    await field.setInputFiles({
      name: "members.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("name,paid\n"),
    });
    const problem = data.getByRole("alert");
    await expect(problem).toContainText("it is not a zip, or a part of it is missing");
    await field.setInputFiles({ name: "ada.zip", mimeType: "application/zip", buffer: backup });
    await expect(data.getByText(/^A backup of /)).toBeVisible();
    await expect(problem).toBeHidden();
  });
});
