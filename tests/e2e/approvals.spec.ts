import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { FunctionPage } from "@metahuman/core/contract/answers";
import { expectAccessible, lookAt } from "./looking.ts";
import { alive, answered, ask, carryOut, expect, lastEntry, openChat, ownersFile, test } from "./support.ts";

const execute = promisify(execFile);

test("deleting asks with a preview, and can be undone from the archive", async ({ page, owner, server }) => {
  await carryOut(owner, 'create a file called notes/undo.md with the text "call the plumber"');
  await openChat(page);
  await ask(page, "delete notes/undo.md");
  const card = page.getByRole("region", { name: "Delete out/notes/undo.md?" });
  await expect(card).toContainText("can be undone");
  await expect(card).toContainText("call the plumber");
  await card.getByText("Exact call").click();
  await expect(card).toContainText("fs_delete");
  expect(existsSync(ownersFile(server, "out/notes/undo.md"))).toBe(true);

  await card.getByRole("button", { name: "Allow once" }).click();
  await answered(page);
  await expect(card).toBeHidden();
  expect(existsSync(ownersFile(server, "out/notes/undo.md"))).toBe(false);

  await lastEntry(page)
    .getByRole("button", { name: /^Undo: restore/ })
    .click();
  await expect(page.getByRole("status", { name: "News" }).getByText(/^Restored/)).toBeVisible();
  expect(await readFile(ownersFile(server, "out/notes/undo.md"), "utf8")).toBe("call the plumber");
  await expect(lastEntry(page).getByRole("button", { name: /^Undo/ })).toBeHidden();
  // The focused button is gone, so the focus moves to its entry.
  await expect(lastEntry(page)).toBeFocused();
});

test("an approval shows characters that are invisible or change the order of others", async ({
  page,
  server,
}) => {
  await mkdir(ownersFile(server, "out"), { recursive: true });
  await writeFile(ownersFile(server, "out/sly.txt"), "pay \u202E001\u202C, now\u200B\u{E0041}");
  await openChat(page);
  await ask(page, "delete sly.txt");
  const card = page.getByRole("region", { name: "Delete out/sly.txt?" });
  await expect(card).toContainText("pay <202E>001<202C>, now<200B><E0041>");
});

test("the approval of an undo says which request it undoes, and raises no alarm", async ({
  page,
  server,
}) => {
  await mkdir(ownersFile(server, "inbox"), { recursive: true });
  await writeFile(ownersFile(server, "inbox/fees.csv"), "name,paid\nMaija,no\nPekka,yes\n");
  await openChat(page);
  const change = "set paid of Maija to yes in inbox/fees.csv";
  await ask(page, change);
  const card = lastEntry(page).getByRole("region", { name: /^(?:Change|Restore) / });
  await expect(card).toContainText("can be undone");
  await expect(card).not.toContainText("risk");
  await card.getByRole("button", { name: "Allow once" }).click();
  await answered(page);
  await ask(page, "undo that");
  await expect(card).toContainText(`This undoes “${change}”.`);
  await expect(card).toContainText("can be undone");
  await card.getByRole("button", { name: "Allow once" }).click();
  await answered(page);
  expect(await readFile(ownersFile(server, "inbox/fees.csv"), "utf8")).toContain("Maija,no");
});

test("on a phone, long labels leave room for the facts of an approval, one moment in each line", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openChat(page);
  await ask(page, "every day at 7 check https://example.org/tides and tell me when it changes");
  const card = page.getByRole("region", { name: /^Schedule “Check https/ });
  const value = card.getByRole("definition").filter({ hasText: /\d{4} at \d/ });
  await expect(value).toHaveText(/at \d\d:\d\d\n.* at \d\d:\d\d\n/, { useInnerText: true });
  const [whole, part] = [await card.boundingBox(), await value.boundingBox()];
  expect(part?.width ?? 0).toBeGreaterThan((whole?.width ?? 0) * 0.55);
  await card.getByRole("button", { name: "Deny…" }).click();
  await card.getByRole("button", { name: "Deny", exact: true }).click();
  await answered(page);
});

/**
 * Headless browsers deny notifications, so this replaces them with ones that ask, remember the answer and record what
 * they showed.
 */
const NOTIFICATIONS = `
  window.shownNotifications = [];
  window.Notification = class extends EventTarget {
    static get permission() { return localStorage.getItem("test-permission") ?? "default"; }
    static async requestPermission() { localStorage.setItem("test-permission", "granted"); return "granted"; }
    constructor(title, { body }) { super(); window.shownNotifications.push(title + ": " + body); }
  };
`;

test("a waiting run is reported to a person on another page, if permitted", async ({ page, owner }) => {
  await page.addInitScript(NOTIFICATIONS);
  const shown = () => page.evaluate("window.shownNotifications");
  const wait = async (name: string) => {
    await carryOut(owner, `create a file called notes/${name}.md with the text "keep"`);
    await owner.post("/api/operator", { goal: `delete notes/${name}.md`, background: true });
  };
  await page.goto("/settings#notifications");
  await alive(page);
  expect(await page.evaluate("Notification.permission")).toBe("default");
  await page.getByRole("button", { name: "Allow notifications" }).click();
  const state = page.getByText("This browser shows notifications.");
  await expect(state).toBeFocused();
  await lookAt(page, "#notifications", "settings-notifications");

  const waiting = async () =>
    z
      .looseObject({ items: z.array(z.looseObject({ id: z.string() })) })
      .parse((await owner.get("/api/approvals")).body).items;
  const before = (await waiting()).length;
  await wait("seen");
  await expect(
    page.getByRole("link", { name: new RegExp(`^Approvals.*${String(before + 1)}`) }),
  ).toBeVisible();
  await page.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })");
  await wait("unseen");
  await expect.poll(shown).toEqual(["A run is waiting for your approval: Delete out/notes/unseen.md?"]);
  for (const { id } of await waiting()) await owner.post(`/api/approvals/${id}`, { decision: "deny" });
});

test("a refusal sends its reason, and nothing happens", async ({ page, owner, server }) => {
  await carryOut(owner, 'create a file called notes/keep.md with the text "keep me"');
  await openChat(page);
  await ask(page, "delete notes/keep.md");
  const card = page.getByRole("region", { name: "Delete out/notes/keep.md?" });
  await card.getByRole("button", { name: "Deny…" }).click();
  await expect(card.getByLabel(/^Why not\?/)).toBeFocused();
  await page.keyboard.type("it is still needed");
  await page.keyboard.press("Escape");
  await card.getByRole("button", { name: "Deny…" }).press("Enter");
  await expect(card.getByLabel(/^Why not\?/)).toHaveValue("it is still needed");
  await page.keyboard.press("Enter");
  await answered(page);
  await expect(lastEntry(page)).toContainText("it is still needed");
  expect(await readFile(ownersFile(server, "out/notes/keep.md"), "utf8")).toBe("keep me");

  await page.goto("/approvals");
  await alive(page);
  const history = page
    .getByRole("region", { name: "History" })
    .or(page.locator("section", { hasText: "History" }));
  await expect(history.getByText("“it is still needed”")).toBeVisible();
});

test.describe("a decision that does not reach the server", () => {
  test.use({ expectedComplaints: /ERR_CONNECTION_REFUSED/ });

  test("is reported on its card until the server reports something again", async ({ page, owner }) => {
    for (const name of ["mast", "boom"]) await carryOut(owner, `create a file called notes/${name}.md`);
    const { runId } = await carryOut(owner, "delete notes/mast.md");
    await page.goto(`/runs?run=${runId}`);
    await alive(page);
    const card = page.getByRole("region", { name: "Delete out/notes/mast.md?" });
    await page.route("**/api/approvals/*", (route) => route.abort("connectionrefused"));
    // A late report of what came before also ends the message.
    await expect(async () => {
      await card.getByRole("button", { name: "Allow once" }).click();
      await expect(card.getByText("The server cannot be reached.")).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await page.unroute("**/api/approvals/*");
    await carryOut(owner, "delete notes/boom.md");
    await expect(card.getByText("The server cannot be reached.")).toHaveCount(0);
    await card.getByRole("button", { name: "Allow once" }).click();
    await expect(card).toHaveCount(0);
  });
});

test("“always” for a file covers that file alone, and can be revoked", async ({ page, owner, server }) => {
  await carryOut(owner, 'create a file called lists/a.md with the text "one"');
  await carryOut(owner, 'create a file called lists/b.md with the text "two"');
  await openChat(page);
  await ask(page, "delete lists/a.md");
  await page.getByRole("button", { name: "Always for out/lists/a.md", exact: true }).click();
  await answered(page);
  await ask(page, "delete lists/b.md");
  const other = page.getByRole("region", { name: "Delete out/lists/b.md?" });
  await other.getByRole("button", { name: "Deny…" }).click();
  await page.keyboard.press("Enter");
  await answered(page);
  expect(existsSync(ownersFile(server, "out/lists/b.md"))).toBe(true);
  await ask(page, "delete the folder lists");
  await expect(
    page.getByRole("button", { name: "Always for everything in out/lists/", exact: true }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await answered(page);

  await carryOut(owner, 'create a file called lists/a.md with the text "three"');
  await ask(page, "delete lists/a.md");
  await answered(page);
  expect(existsSync(ownersFile(server, "out/lists/a.md"))).toBe(false);

  await page.goto("/approvals");
  await alive(page);
  const permission = page
    .getByRole("listitem")
    .filter({ hasText: "out/lists/a.md" })
    .filter({ hasText: "Revoke" });
  await permission.getByRole("button", { name: "Revoke" }).click();
  await expect(permission).toBeHidden();
  await carryOut(owner, 'create a file called lists/a.md with the text "four"');
  await openChat(page);
  await ask(page, "delete lists/a.md");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await answered(page);
});

test("the buttons of a long approval are visible", async ({ page, owner }) => {
  const content = Array.from({ length: 120 }, (_, line) => `line ${line}`).join("\n");
  await owner.send("PUT", "/api/files/content", { path: "out/long-log.md", content });
  await page.setViewportSize({ width: 390, height: 700 });
  await openChat(page);
  await ask(page, "delete long-log.md");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeInViewport({ ratio: 1 });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
});

test("a commit shows its diff, and asks again with what changed since it was allowed", async ({
  page,
  server,
}) => {
  const site = ownersFile(server, "out/site");
  await mkdir(site, { recursive: true });
  const git = async (...args: string[]) => (await execute("git", ["-C", site, ...args])).stdout;
  await git("init", "--quiet", "--initial-branch=main");
  await writeFile(join(site, "ferry.md"), "# Ferry\n\nLeaves at nine.\n");
  await openChat(page);
  await ask(page, "commit site/ferry.md with message 'Say when the ferry leaves'");
  const card = page.getByRole("region", { name: "Commit out/site/ferry.md?" });
  const patch = card.getByRole("region", { name: "Changes: out/site/ferry.md" });
  await expect(patch).toContainText("ferry.md · new");
  await expect(patch).toContainText("Leaves at nine.");
  await expect(card.getByRole("button", { name: "Always for out/site/ferry.md", exact: true })).toBeVisible();

  await writeFile(join(site, "ferry.md"), "# Ferry\n\nLeaves at five.\n");
  await card.getByRole("button", { name: "Allow once" }).click();
  await expect(card.getByRole("note")).toContainText("out/site/ferry.md changed");
  await expect(card.getByRole("region", { name: "Changes since you allowed it" })).toContainText("five");
  await expect(patch).toContainText("Leaves at five.");
  await lookAt(page, "section[aria-labelledby]:has([role=note])", "approval-asked-again");
  await card.getByRole("button", { name: "Allow once" }).click();
  await answered(page);
  expect(await git("show", "HEAD:ferry.md")).toContain("Leaves at five.");
});

test("two approvals with changes are accessible beside each other", async ({ page, owner }) => {
  for (const name of ["reed", "rush"]) {
    await carryOut(owner, `create a file called notes/${name}.md with the text "green"`);
    await carryOut(owner, `delete notes/${name}.md`);
  }
  await page.goto("/approvals");
  await alive(page);
  await expect(page.getByRole("region", { name: "Changes: out/notes/reed.md" })).toBeVisible();
  await expectAccessible(page, "two approvals", "all");
});

test("waiting approvals are counted in the rail and can be decided on their own page", async ({
  page,
  owner,
}) => {
  await carryOut(owner, 'create a file called queue.md with the text "x"');
  await carryOut(owner, "delete queue.md");
  await page.goto("/approvals");
  await alive(page);
  await expect(page.getByRole("link", { name: /Approvals/ })).toContainText(/\d+ waiting/);
  const card = page.getByRole("region", { name: "Delete out/queue.md?" });
  await card.getByRole("button", { name: "Allow once" }).click();
  await expect(card).toBeHidden();
  // A past decision is no longer a question.
  const decided = page.getByRole("link", { name: "Delete out/queue.md", exact: true });
  await expect(page.getByRole("listitem").filter({ has: decided })).toContainText("allowed once");
});

test("a waiting function appears when it is registered, and can be decided with the keyboard alone", async ({
  page,
  owner,
}) => {
  await page.goto("/approvals");
  await alive(page);
  const register = async (functionName: string) => {
    const { status, body } = await owner.post("/api/functions/curate", {
      userRequest: "double a number",
      functionName,
      draft: {
        description: "Doubles a number.",
        code: "export function main({ n }: { n: number }): number {\n  return n * 2;\n}\n",
        tests: "assert.equal(main({ n: 2 }), 4);",
        parameters: [{ name: "n", type: "number", description: "The number", required: true }],
        examplePrompts: [],
      },
    });
    expect(status, JSON.stringify(body)).toBe(200);
  };
  await register("double-it");
  const card = page.getByRole("region", { name: "Approve the function “Double it”?" });
  await expect(card).toContainText("Doubles a number.");
  await expect(card).toContainText("nothing; it only computes");
  await lookAt(page, "#main", "approvals-function");

  await card.getByRole("link", { name: "Show the function" }).focus();
  await page.keyboard.press("Tab");
  await expect(card.getByRole("button", { name: "Approve" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(card).toBeHidden();
  await expect(page.getByRole("heading", { name: "Waiting for you" })).toBeFocused();

  await register("double-again");
  const other = page.getByRole("region", { name: "Approve the function “Double again”?" });
  await other.getByRole("button", { name: "Reject…" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("there is one");
  await page.keyboard.press("Enter");
  await expect(other).toBeHidden();
  const { body } = await owner.get("/api/functions?query=double&sort=title");
  expect(FunctionPage.parse(body).items.map(({ status, trust }) => [status, trust])).toEqual([
    ["rejected", "draft"],
    ["active", "verified"],
  ]);
});

test("after “Allow once” no action of the answer lies under the pointer, and no tooltip over Undo", async ({
  page,
  owner,
}) => {
  for (const name of ["oak", "elm"])
    await carryOut(owner, `create a file called trees/${name}.md with the text "tall"`);
  await openChat(page);
  for (const name of ["oak", "elm"]) {
    await ask(page, `delete trees/${name}.md`);
    const allow = page.getByRole("button", { name: "Allow once" });
    await allow.hover();
    const pressed = await allow.boundingBox();
    await page.mouse.down();
    await page.mouse.up();
    await answered(page);
    await expect(lastEntry(page).getByRole("button", { name: /^Undo/ })).toBeVisible();
    await page.mouse.move(
      (pressed?.x ?? 0) + (pressed?.width ?? 0) / 2 + 1,
      (pressed?.y ?? 0) + (pressed?.height ?? 0) / 2,
    );
    await expect(page.locator("article footer button:hover")).toHaveCount(0);
  }
  // The actions of an earlier answer lie between its end and the next request.
  const [first, second] = [page.getByRole("article").first(), page.getByRole("article").last()];
  await first.hover();
  const actions = await first.getByRole("contentinfo").or(first.locator("footer")).boundingBox();
  const undo = await first.getByRole("button", { name: /^Undo/ }).boundingBox();
  const request = await second.getByRole("heading", { level: 2 }).boundingBox();
  expect(actions?.y).toBeGreaterThanOrEqual((undo?.y ?? 0) + (undo?.height ?? 0));
  expect((actions?.y ?? 0) + (actions?.height ?? 0)).toBeLessThanOrEqual(request?.y ?? 0);
});

test("a skill is found by a word of what it does", async ({ page }) => {
  await page.goto("/settings#trust");
  await alive(page);
  const deleting = page.getByLabel("fs_delete: when may it be used");
  await expect(page.getByLabel("task_create: when may it be used")).toBeAttached();
  const search = page.getByLabel("Search skills");
  await search.fill("delete file");
  await expect(deleting).toBeVisible();
  await expect(page.getByLabel("task_create: when may it be used")).toHaveCount(0);
  await search.fill("zeppelin");
  await expect(page.getByText("No skill has these words.")).toBeVisible();
});

test("in emulation, an approval cannot be decided, and says so", async ({ page, owner }) => {
  await carryOut(owner, 'create a file called emulated.md with the text "x"');
  await carryOut(owner, "delete emulated.md");
  await page.goto("/approvals");
  await alive(page);
  await page.getByRole("button", { name: /^Mode and trust/ }).click();
  await page.getByRole("radio", { name: /^Chat only/ }).check();
  const card = page.getByRole("region", { name: "Delete out/emulated.md?" });
  await expect(card).toContainText("In the mode “Chat only”, nothing can be decided.");
  await expect(card.getByRole("button")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Back to everything" }).click();
  await card.getByRole("button", { name: "Allow once" }).click();
  await expect(card).toBeHidden();
});
