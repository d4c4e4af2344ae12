import type { Page } from "@playwright/test";
import { alive, answered, expect, lastEntry, test } from "./support.ts";

/** Opens a page whose scripts arrive only after the test has acted on it, as on a slow phone. */
async function beforeItsScripts(page: Page, path: string, act: () => Promise<void>): Promise<void> {
  const scripts = Promise.withResolvers<void>();
  await page.route("**/*.js", async (route) => {
    await scripts.promise;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  const announcement = page.getByTestId("announcement");
  // A key that is pressed before the document has arrived reaches no page.
  await expect(announcement).toHaveAttribute("data-alive", "false");
  await act();
  await expect(announcement).toHaveAttribute("data-alive", "false");
  scripts.resolve();
  await alive(page);
}

test("a button that is pressed before the page answers does its work once the page does", async ({
  page,
}) => {
  const filters = page.getByRole("button", { name: "Filters" });
  await beforeItsScripts(page, "/memory", () => filters.click());
  await expect(page.locator(":popover-open").getByLabel("Tag")).toBeVisible();

  const model = page.getByRole("button", { name: /^Model/ });
  await beforeItsScripts(page, "/runs", () => model.click());
  await expect(page.locator(":popover-open > *").first()).toBeVisible();

  const tasks = page.getByRole("tab", { name: "Tasks" });
  await beforeItsScripts(page, "/memory", () => tasks.click());
  await expect(tasks).toHaveAttribute("aria-selected", "true");
});

test("input before hydration is sent once", async ({ page }) => {
  const composer = page.getByLabel("Your request");
  await beforeItsScripts(page, "/", async () => {
    await composer.click();
    await page.keyboard.type("add a task to caulk the boat");
    await page.keyboard.press("Enter");
  });
  await answered(page);
  await expect(lastEntry(page)).toContainText("caulk the boat");
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(composer).toHaveValue("");

  await beforeItsScripts(page, "/memory?tab=tasks", async () => {
    await page.getByLabel("Add a task").click();
    await page.keyboard.type("Paint the caulked boat");
    await page.keyboard.press("Enter");
  });
  await expect(page.getByRole("link", { name: "Paint the caulked boat" })).toBeVisible();
});

test("what is typed before hydration without a click goes into the composer, behind a draft", async ({
  page,
}) => {
  const composer = page.getByLabel("Your request");
  await beforeItsScripts(page, "/", () => page.keyboard.type("buy a new lamp and glue"));
  await expect(composer).toHaveValue("buy a new lamp and glue");
  await expect(page).toHaveURL(/\/$/);

  await beforeItsScripts(page, "/", () => page.keyboard.type(" and oil"));
  await expect(composer).toHaveValue("buy a new lamp and glue and oil");
});

/** Types a request when the page with this query is hydrated, before its conversation is open. */
const TYPE_AT_HYDRATION = `document.addEventListener("astro:hydrate", () => {
  if (location.search !== "?typed-early") return;
  const field = document.querySelector("form.composer textarea");
  field.value = "add a task to tar the boat";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}, { capture: true });`;

test("what is typed between hydration and the opening of the conversation is sent", async ({ page }) => {
  await page.addInitScript(TYPE_AT_HYDRATION);
  await page.goto("/?typed-early");
  await expect(page.getByLabel("Your request")).toHaveValue("add a task to tar the boat");
  await alive(page);
  await expect(page.getByLabel("Your request")).toHaveValue("add a task to tar the boat");
  await page.getByLabel("Your request").press("Enter");
  await answered(page);
  await expect(lastEntry(page)).toContainText("tar the boat");
});

test("a search that is typed before the page answers is made", async ({ page, owner }) => {
  await owner.post("/api/memories", { type: "curated", content: "The early bird is in the oak" });
  await beforeItsScripts(page, "/memory", async () => {
    await page.getByLabel("Search all memory").click();
    await page.keyboard.type("early bird oak");
  });
  await expect(page.getByRole("link", { name: /^The early bird/ })).toBeVisible();
});

test("keys before hydration open the palette with what is typed after them, and other shortcuts", async ({
  page,
}) => {
  await beforeItsScripts(page, "/runs", async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("approvls");
    await page.keyboard.press("Backspace");
  });
  const palette = page.getByRole("dialog", { name: "Find anything" }).getByRole("combobox");
  await expect(palette).toHaveValue("approvl");

  await beforeItsScripts(page, "/?ask=x", async () => {
    await page.getByLabel("Your request").click();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("Functions");
    await page.keyboard.press("Enter");
  });
  await expect(page).toHaveURL(/\/functions$/);

  await beforeItsScripts(page, "/memory", () => page.keyboard.type("?"));
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
});

test("a page that is reloaded again and again while somebody types reports no error", async ({ page }) => {
  for (let time = 0; time < 4; time += 1) {
    await page.goto("/", { waitUntil: "commit" });
    await page.keyboard.type("ab");
    await page.reload({ waitUntil: "commit" });
  }
  await alive(page);
});
