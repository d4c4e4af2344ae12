import { z } from "zod";
import { lookAt } from "./looking.ts";
import { CONTACT_RECIPE } from "../support/sample-recipes.ts";
import { alive, expect, lastEntry, test } from "./support.ts";

const Made = z.object({ function: z.looseObject({ id: z.string() }) });
const MEMBER = {
  ...CONTACT_RECIPE,
  title: "Add a member",
  summary: "Adds a person and their mail address to the members.",
  steps: ["Append a line to the members"],
  examples: [
    {
      prompt: "add a member: Lena Fischer, lena@fischer.example",
      parameters: { name: "Lena Fischer", email: "lena@fischer.example" },
    },
  ],
  recipe: {
    promptTemplates: ["add a member: {name}, {email}"],
    actions: [{ skill: "fs_append", args: { path: "members.md", text: "- ${name} <${email}>" }, expect: [] }],
  },
};

const SHIFT = {
  ...CONTACT_RECIPE,
  title: "Note a shift",
  summary: "Adds a line to a file of shifts.",
  steps: ["Append a line to the shifts"],
  parameters: [
    { name: "file", type: "path", description: "The shifts", required: true },
    { name: "person", type: "string", description: "Who works", required: true },
    { name: "day", type: "date", description: "When", required: true },
  ],
  examples: [
    {
      prompt: "note in shifts/bakery.md that Jonas covers the bakery shift on 2026-12-03",
      parameters: { file: "shifts/bakery.md", person: "Jonas", day: "2026-12-03" },
    },
  ],
  recipe: {
    promptTemplates: ["note in {file} that {person} covers the bakery shift on {day}"],
    actions: [{ skill: "fs_append", args: { path: "${file}", text: "- ${day}: ${person}" }, expect: [] }],
  },
};

test("an offer is changed and accepted by keyboard at the width of a phone", async ({ page, owner }) => {
  const { id } = Made.parse((await owner.post("/api/functions", CONTACT_RECIPE)).body).function;
  expect((await owner.post("/api/functions/promote", { id, reason: "Looked through." })).status).toBe(200);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await alive(page);
  const ask = async (request: string): Promise<void> => {
    await page.getByLabel("Your request").fill(request);
    await page.keyboard.press("Enter");
  };
  await ask("Tom Ash should be in my contacts, his e-mail is tom@ash.example");
  const offer = page.getByRole("region", { name: "Add a contact" });
  await expect(offer.getByRole("button", { name: "Do it" })).toBeVisible();
  await lookAt(page, "article section", "chat-offer");
  await offer.getByRole("button", { name: "Change values" }).press("Enter");
  const form = page.getByRole("form", { name: "Change the values" });
  await expect(form.getByLabel("email")).toHaveValue("tom@ash.example");
  await expect(form.getByLabel("name")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
  await expect(offer.getByRole("button", { name: "Change values" })).toBeFocused();
  await offer.getByRole("button", { name: "Change values" }).press("Enter");
  await form.getByLabel("name").fill("Thomas Ash");
  await form.getByLabel("name").press("Enter");
  await expect(page.getByText(/contacts\.md/).last()).toBeVisible();
  await expect(offer).toHaveCount(0);
  await page.goto("/runs");
  const row = page.getByRole("link", { name: /^Tom Ash should be in my contacts/ });
  await expect(row.getByText("answered")).toHaveCount(1);
  await expect(row.getByText("offered")).toHaveCount(1);
  await page.goBack();
  await alive(page);
  const request = page.getByRole("article").last().getByRole("heading").first();
  await expect(request.locator("del")).toHaveText("Tom");
  await expect(request.locator("ins")).toHaveText("Thomas");
});

test.describe("a value that cannot be used", () => {
  test.use({ expectedComplaints: /422 \(Unprocessable/ });

  test("the form of an offer refuses a file that cannot be used, with the reason", async ({
    page,
    owner,
  }) => {
    const { id } = Made.parse((await owner.post("/api/functions", SHIFT)).body).function;
    expect((await owner.post("/api/functions/promote", { id, reason: "Looked through." })).status).toBe(200);
    await page.goto("/");
    await alive(page);
    await page.getByLabel("Your request").fill("bakery shift in shifts/bakery.md friday: Ines");
    await page.keyboard.press("Enter");
    const offer = page.getByRole("region", { name: "Note a shift" });
    await offer.getByRole("button", { name: "Change values" }).press("Enter");
    const file = page.getByRole("form", { name: "Change the values" }).getByLabel("File");
    await file.fill("../../etc/passwd");
    await file.press("Enter");
    await expect(
      page.getByText('The path "../../etc/passwd" cannot be used: it points to another folder.'),
    ).toBeVisible();
    await expect(file).toBeFocused();
    await expect(file).toHaveValue("../../etc/passwd");
    await expect(page.getByRole("article")).toHaveCount(1);
    await lookAt(page, "article form", "chat-offer-refused");
    await file.fill("shifts/north.md");
    await file.press("Enter");
    await expect(lastEntry(page)).toContainText("Created out/shifts/north.md.");
    await expect(offer).toHaveCount(0);
  });

  test("is refused in the form of a schedule, too", async ({ page, owner }) => {
    const made = await owner.post("/api/functions", {
      ...CONTACT_RECIPE,
      title: "Note a sowing in a file",
      parameters: [{ name: "file", type: "path", description: "The notes", required: true }],
      examples: [{ prompt: "note a sowing in beds/north.md", parameters: { file: "beds/north.md" } }],
      recipe: {
        promptTemplates: ["note a sowing in {file}"],
        actions: [{ skill: "fs_append", args: { path: "${file}", text: "- sown" }, expect: [] }],
      },
    });
    const { id } = Made.parse(made.body).function;
    await owner.post("/api/functions/promote", { id, reason: "Looked through." });
    await page.goto(`/functions?function=${id}`);
    await alive(page);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = page.getByRole("dialog", { name: "New automation" });
    await dialog.getByLabel("When").fill("every day at 8");
    await dialog.getByLabel("File").fill("../../etc/passwd");
    await dialog.getByLabel("File").press("Enter");
    await expect(dialog.getByLabel("File")).toHaveAccessibleDescription(/it points to another folder\./);
    await dialog.getByLabel("File").fill("beds/south.md");
    await dialog.getByLabel("File").press("Enter");
    await expect(page.getByText("Scheduled. See it under Automations.")).toBeVisible();
  });
});

test("an offer that is refused is not made again for the same words", async ({ page, owner }) => {
  const { id } = Made.parse((await owner.post("/api/functions", MEMBER)).body).function;
  expect((await owner.post("/api/functions/promote", { id, reason: "Looked through." })).status).toBe(200);
  await page.goto("/");
  await alive(page);
  await page
    .getByLabel("Your request")
    .fill("Ida Holm should be among my members, her e-mail is ida@holm.example");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "No", exact: true }).click();
  await expect(page.getByText("Noted. It will not be offered for this wording again.")).toBeVisible();
  await expect(page.getByText("You said no, and nothing was done.")).toBeVisible();

  await page.setViewportSize({ width: 390, height: 500 });
  await page.goto(`/functions?function=${id}`);
  await alive(page);
  // On a narrow page, only the detail scrolls, also with the report of a verification in it.
  await expect(page.getByText(/^Passed, /)).toBeAttached();
  const hidden = await page
    .locator("main")
    .evaluate(
      (main: { scrollHeight: number; clientHeight: number }) => main.scrollHeight - main.clientHeight,
    );
  expect(hidden).toBe(0);
  const entry = page
    .getByRole("listitem")
    .filter({ hasText: "Not wanted for “{name} should be among my members" });
  await entry.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(page.getByText("Undone. This wording counts neither for nor against it.")).toBeVisible();
  await expect(entry).toHaveCount(0);
});
