import type { Page } from "@playwright/test";
import { startServerHere } from "../support/server.ts";
import { createContent } from "./create-content.ts";
import { look } from "./looking.ts";
import { alive, answered, ask, expect, openChat, signIn, test } from "./support.ts";

// Every page and dialog, in both themes: axe finds nothing, and a picture is kept for a person to look at.
const PHONE = { width: 390, height: 844 };
const WIDTHS = [
  { viewport: { width: 1280, height: 800 }, touch: false },
  { viewport: PHONE, touch: true },
];

const DIALOG = "dialog[open]";
const POPOVER = ":popover-open";

test.setTimeout(360_000);

test("the sign-in pages are accessible in both themes and widths", async ({ browser }) => {
  const server = await startServerHere();
  try {
    const context = await browser.newContext({ baseURL: server.url });
    const page = await context.newPage();
    const lookAtWidths = async (screen: string) => {
      for (const { viewport } of WIDTHS) {
        await page.setViewportSize(viewport);
        await look(page, screen);
      }
    };
    await page.goto("/");
    await expect(page.getByRole("button", { name: "Create the owner account" })).toBeEnabled();
    await lookAtWidths("setup");
    await page.getByLabel("Username").fill("Ada!");
    await page.getByRole("button", { name: "Create the owner account" }).click();
    await expect(page.getByLabel("Username")).toHaveAttribute("aria-invalid", "true");
    await lookAtWidths("setup-refused");
    const owner = await server.owner();
    await page.goto("/login");
    await expect(page.getByRole("button", { name: "Sign in" })).toBeEnabled();
    await lookAtWidths("login");
    await owner.send("PATCH", "/api/settings", { publicProfile: true });
    await page.goto("/login");
    await expect(page.getByRole("button", { name: "Continue as guest of ada" })).toBeEnabled();
    await lookAtWidths("login-public");
    await page.getByRole("button", { name: "Continue as guest of ada" }).click();
    await expect(page.getByRole("button", { name: "Send", exact: true })).toBeEnabled();
    await lookAtWidths("guest");
    await page.getByLabel("Message").fill("What do you like about the sea, and what about the mountains?");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(page.getByRole("listitem")).toHaveCount(2);
    await lookAtWidths("guest-answered");
    const phone = await browser.newContext({
      baseURL: server.url,
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    });
    const touched = await phone.newPage();
    await touched.goto("/login");
    await expectTouchable(touched);
    await touched.getByRole("button", { name: "Continue as guest of ada" }).tap();
    await expect(touched.getByRole("button", { name: "Send", exact: true })).toBeEnabled();
    await expectTouchable(touched);
    await phone.close();
    await owner.send("PATCH", "/api/settings", { publicProfile: false });
    await page.getByLabel("Message").fill("Are you still there?");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(page.getByRole("alert")).toContainText("Your visit as a guest has ended.");
    await lookAtWidths("guest-ended");
    await page.getByRole("link", { name: "Go to sign-in" }).click();
    await expect(page.getByRole("button", { name: "Sign in" })).toBeEnabled();
    await page.goto("/nowhere-at-all");
    await lookAtWidths("not-found");
    await context.close();
  } finally {
    await server.dispose();
  }
});

for (const { viewport, touch } of WIDTHS) {
  test(`the pages are accessible in both themes at ${viewport.width} pixels`, async ({ browser }) => {
    const server = await startServerHere();
    try {
      await createContent(server);
      const context = await browser.newContext({
        viewport,
        hasTouch: touch,
        isMobile: touch,
        baseURL: server.url,
        reducedMotion: "reduce",
      });
      await signIn(context, await server.owner());
      await visitPages(await context.newPage(), touch);
      await context.close();
    } finally {
      await server.dispose();
    }
  });
}

/** The measured properties of an element in the page. */
interface Control {
  outerHTML: string;
  getBoundingClientRect(): { height: number };
}

/** What a finger touches: of a box to tick, its label. */
const TOUCHED = [
  "button, summary, select, textarea, [role=tab]",
  "input:not(.visually-hidden, [type=checkbox], [type=radio], label input)",
  "label:has(input:not(.visually-hidden))",
  ":is([type=checkbox], [type=radio]):enabled:not(.visually-hidden, label input)",
];

/** Touch targets are at least 44 pixels high, and nothing is wider than the page. */
async function expectTouchable(page: Page): Promise<void> {
  const controls = page.locator(TOUCHED.join()).filter({ visible: true });
  // A pixel of tolerance: scaled pages round.
  const small = await controls.evaluateAll((controls: Control[]) =>
    controls
      .map((control) => ({ height: control.getBoundingClientRect().height, is: control.outerHTML }))
      .filter(({ height }) => height < 43),
  );
  expect(small, page.url()).toEqual([]);
  await expectToFit(page, { width: 360, height: 740 });
}

/** On a phone a page can be used by touch, on a desk it fits a window that is twice as wide. */
async function expectToSuit(page: Page, touch: boolean): Promise<void> {
  await (touch ? expectTouchable(page) : expectToFit(page, { width: 2_560, height: 1_300 }));
}

/** Nothing is wider than a window of this size, nor than the page in it. */
async function expectToFit(page: Page, size: { width: number; height: number }): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize(size);
  const wider = await page.evaluate<unknown>(
    `["html", "main"].map((name) => document.querySelector(name)).map((box) => box.scrollWidth - box.clientWidth)`,
  );
  expect(wider, `${page.url()} at ${String(size.width)}`).toEqual([0, 0]);
  if (before) await page.setViewportSize(before);
}

async function visitPages(page: Page, touch: boolean): Promise<void> {
  await page.goto("/welcome");
  await look(page, "welcome");

  await page.goto("/");
  await expect(page.getByRole("heading", { name: "What would you like to do?" })).toBeVisible();
  await look(page, "chat-empty");
  await ask(page, "make sandwich file");
  await answered(page);
  await page.locator("article summary").first().click();
  await ask(page, "list my tasks");
  await expect(page.getByRole("heading", { level: 2, name: "list my tasks" })).toBeVisible();
  await answered(page);
  await look(page, "chat");
  await ask(page, "delete notes/today.md");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  await look(page, "chat-approval", "article");
  await expectToSuit(page, touch);
  await page.getByRole("button", { name: "Deny…" }).click();
  await look(page, "chat-denying", "article");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Inspect step 1" }).first().click();
  await expect(page.getByRole("button", { name: "Close the inspector" })).toBeVisible();
  await look(page, "chat-inspector", touch ? DIALOG : "aside[aria-label=Inspector]");
  await page.getByRole("button", { name: "Close the inspector" }).click();
  if (touch) {
    await page.getByRole("button", { name: "Conversations" }).click();
    await expect(page.locator(DIALOG).getByRole("link", { name: "list my tasks" })).toBeVisible();
    await look(page, "chat-conversations", DIALOG);
    await page.keyboard.press("Escape");
  }

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox")).toBeFocused();
  await look(page, "palette", DIALOG);
  await page.keyboard.type("keyboard");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await look(page, "shortcuts", DIALOG);
  await page.keyboard.press("Escape");
  for (const [button, screen] of [
    [/^Tasks and reminders/, "open-tasks"],
    ...(touch ? [] : ([[/^Model/, "model"]] as const)),
    [/^Mode /, "rules"],
    [/^Profile/, "profile"],
  ] as const) {
    await page.getByRole("button", { name: button }).click();
    // It opens empty and is filled afterwards.
    await expect(page.locator(`${POPOVER} > *`).first()).toBeVisible();
    await look(page, screen, POPOVER);
    await page.keyboard.press("Escape");
  }

  await page.goto("/runs");
  await expect(page.getByRole("link", { name: /make sandwich file/ })).toBeVisible();
  await look(page, "runs");
  await page.getByRole("link", { name: /make sandwich file/ }).click();
  await expect(page.getByText("fs_write", { exact: true })).toBeVisible();
  await look(page, "run");
  await expectToSuit(page, touch);
  if (touch) await page.getByRole("button", { name: "Back to the list" }).click();
  await page.getByRole("button", { name: "Figures" }).click();
  await expect(page.getByRole("img").first()).toBeVisible();
  await page.getByText("As a table").first().click();
  await look(page, "runs-figures");
  if (touch) await expectTouchable(page);

  await page.goto("/approvals");
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  await look(page, "approvals");
  await expectToSuit(page, touch);

  await page.goto("/automations");
  await expect(page.getByRole("link", { name: "Open the run" })).toBeVisible();
  await look(page, "automations-run");
  await expectToSuit(page, touch);

  await page.goto("/files?file=out/notes/today.md");
  await expect(page.getByRole("heading", { name: "today.md" })).toBeVisible();
  await look(page, "files");
  await expectToSuit(page, touch);

  await page.goto("/memory");
  await alive(page);
  for (const tab of ["Tasks", "Archive"]) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(page.getByRole("tabpanel", { name: tab }).getByRole("listitem").first()).toBeVisible();
    await look(page, `memory-${tab.toLowerCase()}`);
    await expectToSuit(page, touch);
  }
  await page.getByRole("tab", { name: /^Audio/ }).click();
  await expect(page.getByText(/does not record audio/)).toBeVisible();
  await page.getByRole("tab", { name: /^Dreams/ }).click();
  await page.getByRole("button", { name: "Filters" }).click();
  await look(page, "memory-filters", POPOVER);
  if (touch) await expectTouchable(page);
  await page.keyboard.press("Escape");
  await page.getByText(/^Index:/).click();
  await look(page, "memory-empty");
  await page.getByText(/^Index:/).click();
  await page.getByLabel("Search all memory").fill("milk garage");
  await expect(page.locator("mark").first()).toBeVisible();
  await look(page, "memory-found");
  await page
    .getByRole("link", { name: /^the garage code/ })
    .first()
    .click();
  await expect(page.getByText("The file, verbatim")).toBeVisible();
  await look(page, "memory");
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record.getByRole("button", { name: "Useful", exact: true })).toBeVisible();
  await record.getByRole("button", { name: "Edit" }).click();
  await look(page, "memory-edit", "[aria-label='Selected record']");

  await page.goto("/functions");
  await alive(page);
  await page.getByRole("button", { name: "Filters" }).click();
  const popover = page.locator(POPOVER);
  await expect(popover.getByLabel("State")).toBeVisible();
  expect((await popover.boundingBox())?.x).toBeGreaterThanOrEqual(0);
  await look(page, "function-filters", POPOVER);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("button", { name: "Generate…" }).click();
  await expect(page.getByText(/^Generating needs a language model/)).toBeVisible();
  await look(page, "function-curate", DIALOG);
  if (touch) await expectTouchable(page);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: /Keep the garden notes/ }).click();
  await expect(page.getByRole("heading", { name: "Keep the garden notes" })).toBeVisible();
  await look(page, "function");
  await page.getByText("Changed the summary.", { exact: true }).click();
  await expect(page.getByRole("region", { name: "Changes in version 2" })).toBeVisible();
  await look(page, "function-history", "[aria-label='Changes in version 2']");
  await expectToSuit(page, touch);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("button", { name: "Let it use fs_append" }).scrollIntoViewIfNeeded();
  await look(page, "function-editor", DIALOG);
  if (touch) await expectTouchable(page);

  const groups = ["profile", "persona", "functions", "models", "notices", "people", "data", "audit", "trust"];
  for (const group of groups) {
    await page.goto(`/settings#${group}`);
    await alive(page);
    await expect(page.locator(`#${group}`)).toBeVisible();
    await look(page, `settings-${group}`, group === "profile" ? "html" : ".sections");
    await expectToSuit(page, touch);
  }
  await expect(page.getByLabel("fs_read: when may it be used")).toBeVisible();
  await page.getByRole("radio", { name: /^Chat only/ }).check();
  const banner = page.getByText(/^Chat only \(emulation\): nothing/);
  await expect(banner).toBeVisible();
  await openChat(page);
  await expect(banner).toBeVisible();
  await look(page, "emulation");
  await page.context().clearCookies();
  await ask(page, "list my tasks");
  await expect(page.getByRole("dialog", { name: "Sign in again" })).toBeVisible();
  await look(page, "sign-in-again", DIALOG);
}
