import type { Locator, Page } from "@playwright/test";
import { z } from "zod";
import type { Client } from "../support/client.ts";
import { startOwnedServer } from "../support/server.ts";
import { alive, carryOut, expect, openChat, signIn, test, visitorTest } from "./support.ts";

const Made = z.object({ function: z.object({ id: z.string() }) });

/** Expects an element other than the body to have the focus, once the effect of the press is visible. */
async function expectFocus(page: Page, after: string): Promise<void> {
  const focused = () => page.evaluate<string>("document.activeElement?.tagName ?? 'none'");
  await expect.poll(focused, { message: `the focus after ${after}` }).not.toMatch(/^(?:BODY|none)$/);
}

/** Presses a button by keyboard, waits until it is removed, and checks the focus. */
async function press(page: Page, button: Locator): Promise<void> {
  const name = (await button.textContent()) ?? "";
  await button.evaluate((element) => Reflect.set(globalThis, "pressed", element));
  await button.press("Enter");
  await expect.poll(() => page.evaluate<boolean>("pressed.isConnected")).toBe(false);
  await expectFocus(page, name.trim());
}

test("the focus stays on the page after a decision about a call", async ({ page, owner }) => {
  for (const [name, button] of [
    ["allowed", "Allow once"],
    ["denied", "Deny…"],
  ] as const) {
    await carryOut(owner, `create a file called focus/${name}.md with the text "x"`);
    const { runId } = await carryOut(owner, `delete focus/${name}.md`);
    await page.goto(`/runs?run=${runId}`);
    await alive(page);
    const detail = page.getByRole("region", { name: "Selected run" });
    await press(page, detail.getByRole("button", { name: button }));
    if (button === "Deny…") await press(page, detail.getByRole("button", { name: "Deny", exact: true }));
  }
});

test("the focus stays on the page after a decision about a proposal", async ({ page, owner }) => {
  for (const decision of ["Accept", "Reject"]) {
    const { body } = await owner.post("/api/functions", {
      title: `Focus on ${decision}`,
      summary: "",
      steps: Array.from({ length: 12 }, (_, at) => `Step ${at}.`),
      skillsUsed: [],
    });
    const { id } = Made.parse(body).function;
    await owner.post("/api/functions/promote", { id, reason: "Looked through." });
    await owner.send("PUT", `/api/functions/${id}`, { version: 1, steps: ["Only this."] });
    await page.goto(`/functions?function=${id}`);
    await alive(page);
    const unchanged = page.getByRole("button", { name: /^Show \d+ unchanged/ }).first();
    if (await unchanged.isVisible()) await press(page, unchanged);
    await press(page, page.getByRole("button", { name: decision, exact: true }));
  }
});

test("an edit of a verified function leads to its proposal, whose buttons nothing covers on a phone", async ({
  page,
  owner,
}) => {
  const made = await owner.post("/api/functions", {
    title: "Grease the hinge",
    summary: "",
    steps: ["Grease it."],
    skillsUsed: [],
  });
  const { id } = Made.parse(made.body).function;
  await owner.post("/api/functions/promote", { id, reason: "Looked through." });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/functions?function=${id}`);
  await alive(page);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Step 1", { exact: true }).fill("Grease it twice.");
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("heading", { name: /^Proposed: / })).toBeFocused();
  for (const name of ["Accept", "Reject"]) {
    const button = page.getByRole("button", { name });
    // A trial click fails while something lies over the button.
    await button.click({ trial: true });
    await expect(button).toBeInViewport();
  }
  await expect(page.getByRole("status", { name: "News" })).toBeEmpty();
});

test("the focus moves to the next row when a row is deleted", async ({ page, owner }) => {
  await openChat(page);
  for (const request of ["list my tasks", "what is 2 + 2", "list the files"]) await carryOut(owner, request);
  await page.goto("/");
  await alive(page);
  const rows = page.getByRole("complementary", { name: "Conversations" }).getByRole("listitem");
  const next = rows.nth(2).getByRole("link");
  const title = await next.textContent();
  await rows.nth(1).getByRole("link").focus();
  await rows
    .nth(1)
    .getByRole("button", { name: /^More about/ })
    .press("Enter");
  await page.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  await expect(page.getByText(/^Deleted “/)).toBeVisible();
  await expect(page.locator("a:focus")).toHaveText(title ?? "");
});

test("Escape in the reason for denying returns the focus to the button that asked for it", async ({
  page,
  owner,
}) => {
  await carryOut(owner, 'create a file called focus/reason.md with the text "x"');
  const { runId } = await carryOut(owner, "delete focus/reason.md");
  await page.goto(`/runs?run=${runId}`);
  await alive(page);
  await page.getByRole("button", { name: "Deny…" }).click();
  await expect(page.getByLabel(/^Why not/)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Deny…" })).toBeFocused();
});

test("Escape closes an opened function and returns the focus to its row", async ({ page, owner }) => {
  const id = await createFunction(owner);
  await page.goto("/functions");
  await alive(page);
  const row = page.locator(`a[href="/functions?function=${id}"]`);
  await row.click();
  const detail = page.getByRole("region", { name: "Selected function" });
  await detail.getByRole("button", { name: "Verify" }).focus();
  await page.keyboard.press("Escape");
  await expect(detail.getByRole("button", { name: "Verify" })).toHaveCount(0);
  await expect(row).toBeFocused();
});

test("Escape in the editor of a file returns the focus to Edit, and then to the row of the file", async ({
  page,
  owner,
}) => {
  await owner.send("PUT", "/api/files/content", { path: "out/focus-edit.md", content: "here" });
  await page.goto("/files?folder=out&file=out%2Ffocus-edit.md");
  await alive(page);
  await page.getByRole("button", { name: "Edit", exact: true }).press("Enter");
  await expect(page.locator("textarea")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Edit", exact: true })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/files\?folder=out$/);
  await expect(page.getByRole("link", { name: /^focus-edit\.md/ })).toBeFocused();
});

const PAGES: readonly (readonly [string, (owner: Client) => Promise<string>])[] = [
  ["a conversation", async (owner) => `/?c=${(await createConversation(owner)).conversationId}`],
  ["a run", async (owner) => `/runs?run=${(await createConversation(owner)).runId}`],
  ["a function", async (owner) => `/functions?function=${await createFunction(owner)}`],
  ["the approvals", async (owner) => (await createConversation(owner), "/approvals")],
];

/** On a server of its own: the lists that other tests fill have the same buttons again in each row. */
const walkTest = visitorTest.extend({
  place: async ({ browserName: _none }, use) => {
    const place = await startOwnedServer();
    await use(place);
    await place.server.dispose();
  },
  context: async ({ context, owner }, use) => {
    await signIn(context, owner);
    await use(context);
  },
});

for (const [where, pathFor] of PAGES)
  walkTest(`the focus is never lost by a button of ${where}`, async ({ page, owner }) => {
    // Opens the page for each of its buttons.
    walkTest.slow();
    const path = await pathFor(owner);
    const buttons = page.locator("main button:visible:enabled, main summary:visible");
    const open = async (): Promise<void> => {
      await page.goto(path);
      await alive(page);
    };
    await open();
    const count = await buttons.count();
    const lost: string[] = [];
    for (let at = 0; at < count; at += 1) {
      if (at > 0) await open();
      const button = buttons.nth(at);
      if (!(await button.isVisible())) continue;
      const name = (await button.getAttribute("aria-label")) ?? (await button.textContent()) ?? "";
      await button.press("Enter");
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
      const isLost = await page.evaluate<boolean>(
        "document.activeElement === document.body && document.readyState === 'complete'",
      );
      if (isLost) lost.push(name.trim());
    }
    expect(lost).toEqual([]);
  });

async function createFunction(owner: Client): Promise<string> {
  const body = { title: "Walked over", summary: "", steps: ["Walk."], skillsUsed: [] };
  return Made.parse((await owner.post("/api/functions", body)).body).function.id;
}

async function createConversation(owner: Client): Promise<{ conversationId: string; runId: string }> {
  await carryOut(owner, 'create a file called focus/walk.md with the text "x"');
  await carryOut(owner, "delete focus/walk.md");
  return await carryOut(owner, "remember that the gate is green");
}

/** Focuses every visible control in turn and returns those whose focus ring an ancestor or the window cuts. */
const CUT_RINGS = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].flatMap((control) => {
  if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || control.disabled) return [];
  control.scrollIntoView({ block: "center", inline: "nearest" });
  control.focus({ focusVisible: true, preventScroll: true });
  const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(control);
  if (document.activeElement !== control || outlineStyle === "none") return [];
  const reach = parseFloat(outlineOffset) + parseFloat(outlineWidth);
  const ring = control.getBoundingClientRect();
  if (ring.width < 2 || ring.height < 2) return [];
  const cut = (by) => {
    const box = by.getBoundingClientRect();
    const left = box.left + by.clientLeft, top = box.top + by.clientTop;
    const sides = [left - (ring.left - reach), top - (ring.top - reach),
      ring.right + reach - (left + by.clientWidth), ring.bottom + reach - (top + by.clientHeight)];
    return Math.max(...sides) > 0.6;
  };
  for (let by = control.parentElement; by && by !== document.body; by = by.parentElement) {
    const { overflowX, overflowY, position } = getComputedStyle(by);
    if ((overflowX !== "visible" || overflowY !== "visible") && by.clientWidth > 0 && cut(by))
      return [(control.getAttribute("aria-label") ?? control.textContent).trim().slice(0, 60) + " in " + by.tagName + "." + by.className];
    if (position === "fixed") break;
  }
  return [];
})`;

for (const width of [1280, 390])
  test(`no pane cuts the focus ring of a control, ${width} pixels wide`, async ({ page, owner }) => {
    test.slow();
    const { runId, conversationId } = await carryOut(
      owner,
      'create a file called rings/a.md with the text "x"',
    );
    await carryOut(owner, "delete rings/a.md");
    await owner.post("/api/memories", { type: "curated", content: "The ring is in the drawer." });
    await owner.post("/api/tasks", { title: "polish the ring" });
    const { body } = await owner.post("/api/functions", {
      title: "Polish the ring",
      summary: "",
      steps: ["Polish."],
      skillsUsed: [],
    });
    await page.setViewportSize({ width, height: 844 });
    for (const path of [
      "/",
      `/?c=${conversationId}`,
      "/memory?tab=curated",
      "/memory?tab=tasks",
      "/memory?tab=archive",
      "/files?folder=out/rings",
      "/functions",
      `/functions?function=${Made.parse(body).function.id}`,
      "/runs",
      `/runs?run=${runId}`,
      "/approvals",
      "/automations",
      "/settings",
    ]) {
      await page.goto(path);
      await alive(page);
      await expect(page.getByText("Loading…")).toHaveCount(0);
      expect.soft(await page.evaluate<string[]>(CUT_RINGS), `${path} at ${width}`).toEqual([]);
    }
  });

test("in forced colors, what is chosen differs from what is not", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/settings#trust");
  await alive(page);
  // Their own drawing is made of backgrounds, which are not drawn then.
  for (const box of await page.getByRole("radio").all()) await expect(box).toHaveCSS("appearance", "auto");
  await expect(page.locator("nav a[aria-current=true]")).toHaveCSS("outline-style", "solid");
  await page.goto("/settings");
  await alive(page);
  const theme = page.locator("#appearance label");
  await expect(theme.filter({ has: page.getByRole("radio", { checked: true }) }).locator("span")).toHaveCSS(
    "outline-style",
    "solid",
  );
  await page.emulateMedia({ forcedColors: null });
});
