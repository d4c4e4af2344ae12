import type { Locator, Page } from "@playwright/test";
import { ArchivedAnswer, TaskAnswer } from "@metahuman/core/contract/answers";
import { lookAt } from "./looking.ts";
import { alive, carryOut, expect, openChat, test } from "./support.ts";

async function visitTasks(page: Page): Promise<void> {
  await page.goto("/memory?tab=tasks");
  await alive(page);
}

test("tasks are finished and deleted, and both can be undone", async ({ page, owner }) => {
  // Only the rows near the top are in the page, and other tests add tasks, too.
  await carryOut(owner, "add an urgent task to oil the garden gate tomorrow");
  await visitTasks(page);
  const task = page.getByRole("listitem").filter({ hasText: "oil the garden gate" });
  await expect(task).toContainText("due tomorrow");
  await task.getByRole("checkbox").check();
  await expect(task).toContainText("done");
  await task.getByRole("checkbox").uncheck();
  await expect(task).not.toContainText("done");
  await task.getByRole("button", { name: /^Delete/ }).click();
  await expect(task).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(task).toBeVisible();

  // A request in another window is visible without a reload.
  await carryOut(owner, "add an urgent task to paint the garden gate");
  await expect(page.getByRole("listitem").filter({ hasText: "paint the garden gate" })).toBeVisible();
});

test("a task is added, opened and changed on the page", async ({ page, owner }) => {
  await visitTasks(page);
  await page.getByLabel("Add a task").fill("Mend the roof");
  await page.keyboard.press("Enter");
  // Its row may be below the visible tasks of other tests.
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const form = page.getByRole("form", { name: "Task" });
  await expect(page).toHaveURL(/tab=tasks&task=task-/);
  await form.getByLabel("Due on").fill("2027-05-03");
  await form.getByLabel("At", { exact: true }).fill("17:00");
  await form.getByLabel("Priority").selectOption("High");
  await form.getByLabel("Status").selectOption("In progress");
  await lookAt(page, "form[aria-label=Task]", "memory-task");
  await form.getByLabel("Title").fill("Mend the shed roof");
  await form.getByLabel("Title").press("Control+s");
  const row = page.getByRole("listitem").filter({ hasText: "Mend the shed roof" });
  await expect(row).toContainText("high priority");
  await expect(row).toContainText("in progress");
  await expect(row).toContainText("due 3 May 2027, 17:00");
  await page.reload();
  await expect(form.getByLabel("Title")).toHaveValue("Mend the shed roof");
  await expect(form.getByLabel("At", { exact: true })).toHaveValue("17:00");
  await page.goBack();
  await expect(form).toBeHidden();
  const { body } = await owner.get("/api/tasks?query=shed");
  expect(JSON.stringify(body)).toContain('"priority":"P1"');
});

test("Escape closes a task that was opened with a click", async ({ page, owner }) => {
  await owner.post("/api/tasks", { title: "scrape the keel", priority: "P0" });
  await page.goto("/memory?tab=tasks");
  await alive(page);
  await page.getByRole("link", { name: /^scrape the keel/ }).click();
  await expect(page.getByRole("form", { name: "Task" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("form", { name: "Task" })).toBeHidden();
  await expect(page).toHaveURL(/tab=tasks$/);
});

test("Escape closes a task, and asks first if changes would be lost", async ({ page, owner }) => {
  await carryOut(owner, "add an urgent task to grease the winch");
  await visitTasks(page);
  const row = page.getByRole("link", { name: "grease the winch" });
  await row.press("Enter");
  const form = page.getByRole("form", { name: "Task" });
  await form.getByLabel("Description").press("Escape");
  await expect(form).toBeHidden();
  await expect(row).toBeFocused();

  await row.press("Enter");
  await form.getByLabel("Title").fill("Grease both winches");
  await form.getByLabel("Title").press("Escape");
  await expect(form.getByRole("alert")).toContainText("unsaved changes");
  await page.keyboard.press("Escape");
  await expect(form.getByLabel("Title")).toHaveValue("Grease both winches");
  await form.getByRole("button", { name: "Discard" }).press("Enter");
  await expect(form).toBeHidden();
  await expect(row).toBeFocused();
});

test.describe("a task that another window saved meanwhile", () => {
  test.use({ expectedComplaints: /409/ });

  test("is saved with the changes of both, and says which of them were to the same field", async ({
    page,
    owner,
  }) => {
    const { task } = TaskAnswer.parse((await owner.post("/api/tasks", { title: "tar the hull" })).body);
    await page.goto(`/memory?tab=tasks&task=${task.id}`);
    await alive(page);
    const form = page.getByRole("form", { name: "Task" });
    await form.getByLabel("Title").fill("tar the whole hull");
    await form.getByLabel("Tags").fill("boat");
    await owner.send("PATCH", `/api/tasks/${task.id}`, { title: "tar the new hull", priority: "P0" });
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form.getByRole("alert")).toContainText("saved elsewhere in the meantime");
    await expect(form.getByRole("alert")).toContainText("Both of you changed the title");
    await expect(form.getByLabel("Priority")).toHaveValue("P0");
    await form.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved “tar the whole hull”.")).toBeVisible();
    const saved = TaskAnswer.parse((await owner.get(`/api/tasks/${task.id}`)).body).task;
    expect(saved).toMatchObject({ title: "tar the whole hull", tags: ["boat"], priority: "P0" });
  });
});

test.describe("a task that another window deleted meanwhile", () => {
  test.use({ expectedComplaints: /404/ });

  test("keeps what was typed, and is saved once it is restored", async ({ page, owner }) => {
    const { task } = TaskAnswer.parse((await owner.post("/api/tasks", { title: "splice the line" })).body);
    await page.goto(`/memory?tab=tasks&task=${task.id}`);
    await alive(page);
    const form = page.getByRole("form", { name: "Task" });
    await form.getByLabel("Title").fill("splice both lines");
    const { archived } = ArchivedAnswer.parse((await owner.send("DELETE", `/api/tasks/${task.id}`)).body);
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form.getByRole("alert")).toContainText("This was deleted in the meantime. Restore it");
    expect((await owner.post(`/api/archive/${archived.id}/restore`)).status).toBe(200);
    await form.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved “splice both lines”.")).toBeVisible();
  });
});

test("a task that is added outside of the visible list is reported, and opens from there", async ({
  page,
  owner,
}) => {
  const urgent: string[] = [];
  for (let count = 0; count < 24; count += 1) {
    const { body } = await owner.post("/api/tasks", { title: `Matter ${String(count)}`, priority: "P0" });
    urgent.push(TaskAnswer.parse(body).task.id);
  }
  await visitTasks(page);
  await page.getByLabel("Add a task").fill("Splice the mooring line");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Added “Splice the mooring line”.")).toBeVisible();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.getByRole("form", { name: "Task" }).getByLabel("Title")).toHaveValue(
    "Splice the mooring line",
  );
  await expect(page).toHaveURL(/task=task-/);
  for (const id of urgent) await owner.send("DELETE", `/api/tasks/${id}`);
});

test("on a phone, notices cover neither the end of a form nor the question about unsaved changes", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 700 });
  await page.goto("/memory?tab=tasks");
  await alive(page);
  const field = page.getByLabel("Add a task");
  // Due today, they are the first rows, however many tasks there are: only visible rows are rendered.
  for (const title of ["sand the hull", "tar the deck", "mend the sail"]) {
    await field.fill(`${title} today`);
    await field.press("Enter");
    await expect(page.getByText(`Added “${title}”.`)).toBeVisible();
  }
  await page.getByRole("link", { name: /^mend the sail/ }).click();
  await page.getByLabel("Title").fill("mend the mainsail");
  await page.keyboard.press("Escape");
  const detail = page.getByRole("region", { name: "Selected record" });
  const notices = page.getByRole("status", { name: "News" }).locator("p:visible");
  await expect(notices).toHaveCount(1);
  const top = (await notices.locator("..").boundingBox())?.y ?? 0;
  for (const name of ["Save", "Keep editing", "Discard"]) {
    const { y = 0, height = 0 } =
      (await detail.getByRole("button", { name, exact: true }).boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(top);
  }
  await detail.getByRole("button", { name: "Discard" }).click();
});

test("an open task whose date has passed is marked as overdue", async ({ page, owner }) => {
  await owner.post("/api/tasks", { title: "varnish the oars", due: "2020-05-04" });
  await visitTasks(page);
  const task = page.getByRole("listitem").filter({ hasText: "varnish the oars" });
  await expect(task).toContainText("overdue: 4 May 2020");
  await task.getByRole("checkbox").check();
  await expect(task).toContainText("done");
  await expect(task).not.toContainText("overdue");
});

test.describe("a title that is too long", () => {
  test.use({ expectedComplaints: /422 \(Unprocessable/ });

  test("stays in its field, with the reason in words", async ({ page }) => {
    await visitTasks(page);
    const field = page.getByLabel("Add a task");
    await field.fill("oar ".repeat(200));
    await field.press("Enter");
    await expect(page.getByText("Title must have at most 500 characters.")).toBeVisible();
    await expect(field).toHaveValue("oar ".repeat(200));
  });
});

test("open tasks and the next reminders are one tap away from the chat", async ({ page, owner }) => {
  // Before those of other tests.
  await owner.post("/api/tasks", { title: "salt the pier steps", priority: "P0", due: "2020-01-01" });
  await carryOut(owner, "remind me to oil the pier winch in 30 minutes");
  await openChat(page);
  await page.getByRole("button", { name: "Tasks and reminders" }).press("Enter");
  const panel = page.getByRole("dialog", { name: "Tasks and reminders" });
  await expect(panel).toContainText("salt the pier steps");
  await expect(panel).toContainText(/oil the pier winch/i);
  const box = panel.getByRole("checkbox", { name: "Done: salt the pier steps" });
  await box.check();
  await expect(box).toBeChecked();
  await expect
    .poll(async () => JSON.stringify((await owner.get("/api/tasks")).body))
    .not.toContain("salt the pier steps");
  await panel.getByRole("link", { name: /^All .*tasks$/ }).click();
  await expect(page).toHaveURL(/tab=tasks/);
});

test("on a phone, an answer shows the whole table of tasks with their dates", async ({ page, owner }) => {
  await owner.post("/api/tasks", {
    title: "call the glazier about the leaking kitchen window",
    priority: "P0",
    status: "in_progress",
    due: "2027-05-07T12:00:00.000Z",
    tags: [],
  });
  const { conversationId } = await carryOut(owner, "list my tasks");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/?c=${conversationId}`);
  const table = page.getByRole("region", { name: "Table" });
  const due = table.getByRole("cell", { name: /2027-05-07 ..:00/ });
  await expect(due).toBeVisible();
  const rightOf = async (part: Locator) => {
    const { x = 0, width = 0 } = (await part.boundingBox()) ?? {};
    return x + width;
  };
  expect(await rightOf(due)).toBeLessThanOrEqual(await rightOf(table));
});
