import type { Page } from "@playwright/test";
import { z } from "zod";
import { MemoryAnswer } from "@metahuman/core/contract/answers";
import { lookAt } from "./looking.ts";
import { alive, carryOut, expect, test } from "./support.ts";

/** Opens a page and waits until it answers: what is typed before would be lost. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await alive(page);
}

test("a search for two words shows records with each before weak matches without any", async ({
  page,
  owner,
}) => {
  const records = Array.from({ length: 30 }, (_, index) => [
    { type: "curated", content: `The sluice was paid by Petra on ${index + 1} June.` },
    { type: "curated", content: `The taxes are discussed with Ines on ${index + 1} June.` },
    { type: "curated", content: `The kiln was fired by Olli on ${index + 1} May.` },
  ]);
  await owner.post("/api/memories", records.flat());
  await owner.post("/api/tasks", { title: "inspect the kiln" });
  await visit(page, "/memory?query=kiln%20sluice");
  const rows = page.getByRole("region", { name: "Memories" }).getByRole("listitem");
  await expect(rows.filter({ hasText: "inspect the kiln" })).toHaveCount(1);
  const texts = (await rows.allInnerTexts()).slice(1, 30);
  expect(texts.filter((text) => !/kiln|sluice/.test(text))).toEqual([]);
  expect(texts.some((text) => text.includes("kiln"))).toBe(true);
  expect(texts.some((text) => text.includes("sluice"))).toBe(true);
});

test("the keyboard moves from a row to its detail and back, and from the palette to the detail", async ({
  page,
  owner,
}) => {
  await owner.post("/api/memories", { type: "curated", content: "The bilge pump hangs in the stern." });
  await visit(page, "/memory?query=bilge%20pump");
  const detail = page.getByRole("region", { name: "Selected record" });
  const row = page.getByRole("link", { name: /^The bilge pump hangs/ });
  await row.press("Enter");
  await expect(detail).toBeFocused();
  await expect(detail.getByRole("button", { name: "Pin" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(row).toBeFocused();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("bilge pump");
  await expect(page.getByRole("option").first()).toContainText("The bilge pump hangs");
  await page.keyboard.press("Enter");
  await page.waitForURL(/record=.*#detail/);
  await expect(detail.getByText("The bilge pump hangs in the stern.", { exact: true })).toBeVisible();
  await expect(detail).toBeFocused();
});

test("a forgotten fact stands alone in the archive, and brings its exchanges back", async ({
  page,
  owner,
}) => {
  await carryOut(owner, "remember that the astrolabe hangs behind the pantry door");
  await carryOut(owner, "where does the astrolabe hang?");
  await visit(page, "/memory?query=astrolabe");
  await page
    .getByRole("link", { name: /^the astrolabe hangs/ })
    .first()
    .click();
  const record = page.getByRole("region", { name: "Selected record" });
  await expect(record.getByText(/^where does the astrolabe hang\? → /)).toBeVisible();
  await record.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Moved the memory to the archive.")).toBeVisible();
  await page.getByRole("tab", { name: /Archive/ }).click();
  const entries = page
    .getByRole("tabpanel", { name: "Archive" })
    .getByRole("listitem")
    .filter({ hasText: "astrolabe" });
  await expect(entries).toHaveCount(1);
  await entries.getByRole("button", { name: /^Restore the astrolabe hangs/ }).click();
  await expect(page.getByText(/^Restored “the astrolabe hangs/)).toBeVisible();
  // An undone action is no longer offered.
  await expect(page.getByText("Moved the memory to the archive.")).toBeHidden();
  await page.goto("/memory?query=astrolabe");
  await expect(page.getByRole("link", { name: /^where does the astrolabe hang\?/ })).toBeVisible();
});

test("the archive is searched on its tab, and a search elsewhere says that it leaves it out", async ({
  page,
  owner,
}) => {
  for (const content of ["The sextant is at Vera's.", "The sundial is at Vera's."]) {
    const { body } = await owner.post("/api/memories", { type: "curated", content });
    const { memory } = z.object({ memory: z.object({ id: z.string() }) }).parse(body);
    await owner.send("DELETE", `/api/memories/${memory.id}`);
  }
  await visit(page, "/memory?query=sextant");
  await expect(page.getByText(/What was deleted is found on the Archive tab/)).toBeVisible();
  await page.getByRole("tab", { name: /^Archive/ }).click();
  await page.getByLabel("Search the archive").fill("vera sextant");
  const rows = page.getByRole("tabpanel", { name: "Archive" }).getByRole("listitem");
  await expect(rows).toHaveText([/The sextant is at Vera's/]);
  await page.reload();
  await alive(page);
  await expect(rows).toHaveText([/The sextant is at Vera's/]);
});

test("archived memories that begin alike are told apart, and each is read before it is restored", async ({
  page,
  owner,
}) => {
  const start = "Our boat Selma lies at pier 14 in Kotka, my sister Riitta is allergic to cashews, and the";
  for (const end of ["sauna key hangs behind the woodshed", "spare key is in the blue tin"]) {
    const added = await owner.post("/api/memories", { type: "curated", content: `${start} ${end}.` });
    const { memory } = MemoryAnswer.parse(added.body);
    await owner.send("DELETE", `/api/memories/${memory.id}`);
  }
  await owner.post("/api/tasks", { title: "Caulk the hull", description: "Oakum is in the shed." });
  await visit(page, "/memory?tab=archive");
  await page.getByRole("link", { name: /^Our boat Selma lies at pier … sauna key hangs/ }).click();
  const detail = page.getByRole("region", { name: "Selected record" });
  await expect(detail).toContainText(`${start} sauna key hangs behind the woodshed.`);
  await lookAt(page, "main", "archive-memory");
  await page.getByRole("link", { name: /^Our boat Selma lies at pier … spare key is/ }).click();
  await expect(detail).toContainText(`${start} spare key is in the blue tin.`);
  await page.goBack();
  await expect(detail).toContainText("behind the woodshed.");
  await detail.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByText(/^Restored “Our boat Selma/)).toBeVisible();
  await expect(page).toHaveURL(/tab=archive$/);
});

test("a record that a search found says why", async ({ page, owner }) => {
  await owner.post("/api/memories", { type: "curated", content: "The anemometer is on the mast." });
  await visit(page, "/memory?query=anemometer");
  await page.getByRole("link", { name: /^The anemometer is/ }).click();
  const record = page.getByRole("region", { name: "Selected record" });
  await record.getByText("Why it was found").click();
  await expect(record.getByText("Has “anemometer”.")).toBeVisible();
  await lookAt(page, "[aria-label='Selected record']", "memory-why-found");
});

test.describe("a link to a deleted record", () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test("shows this instead of nothing, and leads to the archive", async ({ page, owner }) => {
    const { body } = await owner.post("/api/memories", { type: "curated", content: "The gantry is gone." });
    const { id } = MemoryAnswer.parse(body).memory;
    await owner.send("DELETE", `/api/memories/${id}`);
    await visit(page, `/memory?record=${id}`);
    await expect(page.getByText("This memory was deleted, or a newer one replaced it.")).toBeVisible();
    await page.getByRole("link", { name: "Search the archive for it" }).click();
    const rows = page.getByRole("tabpanel", { name: "Archive" }).getByRole("listitem");
    await expect(rows).toHaveText([/The gantry is gone/]);
    await visit(page, `/runs?run=run-${"0".repeat(26)}`);
    await expect(page.getByText(/There is no such run/)).toBeVisible();
  });
});
