import { lookAt } from "./looking.ts";
import { alive, expect, openChat, test } from "./support.ts";

test.describe("people", () => {
  // The browser notes every refusal, also the one that is shown beside its field.
  test.use({ expectedComplaints: /status of 422/ });

  test("an owner adds a person, gives them a new password, and removes them", async ({ page }) => {
    await page.goto("/settings#people");
    await alive(page);
    const people = page.getByRole("region", { name: "People" });
    await people.getByRole("button", { name: "Add" }).click();
    await expect(people.getByLabel("Username")).toBeFocused();
    await expect(people.getByLabel("Username")).toHaveAttribute("aria-invalid", "true");
    await people.getByLabel("Username").fill("bob");
    await people.getByLabel("First password").fill("short");
    await people.getByRole("button", { name: "Add" }).click();
    await expect(people.getByText("Use at least 8 characters.")).toBeVisible();
    await expect(people.getByLabel("Username")).toHaveValue("bob");
    await people.getByLabel("First password").fill("a battery of horses");
    await people.getByRole("button", { name: "Add" }).click();
    await expect(people.getByLabel("bob: role")).toHaveValue("member");

    await people.getByRole("button", { name: "New password…" }).click();
    const dialog = page.getByRole("dialog", { name: "New password for bob" });
    await lookAt(page, "dialog[open]", "people-password");
    await dialog.getByLabel("New password").fill("another battery of horses");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Changed the password of bob.")).toBeVisible();

    await lookAt(page, "#people", "people");
    await people.getByRole("button", { name: "Remove…" }).click();
    await lookAt(page, "dialog[open]", "people-remove");
    await page.getByRole("dialog", { name: "Remove bob?" }).getByRole("button", { name: "Remove" }).click();
    await expect(people.getByLabel("bob: role")).toBeHidden();
  });
});

test("the persona is edited in plain fields, and the switches apply at once", async ({ page }) => {
  await page.goto("/settings#persona");
  await alive(page);
  const persona = page.getByRole("region", { name: "Persona" });
  await expect(persona.getByRole("button", { name: "Save" })).toBeDisabled();
  await persona.getByLabel("Name").fill("Hypatia");
  await persona.getByLabel("Values").fill("clarity\n\n  care ");
  await persona.getByRole("button", { name: "Save" }).click();
  await expect(persona.getByLabel("Values")).toHaveValue("clarity\ncare");

  await page.goto("/settings#flags");
  const functions = page
    .getByRole("region", { name: "Request handling" })
    .getByRole("checkbox", { name: /^Functions/ });
  await functions.uncheck();
  await openChat(page);
  await page.goto("/settings#flags");
  await alive(page);
  await expect(functions).not.toBeChecked();
  await page.goto("/settings#persona");
  await expect(persona.getByLabel("Name")).toHaveValue("Hypatia");
  await page.goto("/settings#flags");
  await functions.check();
});
