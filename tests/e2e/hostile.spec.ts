import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page, Route } from "@playwright/test";
import { z } from "zod";
import { act, chatModel, finish, play, type ModelHarness } from "../support/model-harness.ts";
import { ALL, CORPUS, FILE, LINE, MODEL, WATCH } from "./hostile-words.ts";
import {
  alive,
  answered,
  ask,
  carryOut,
  expect,
  lastEntry,
  openChat,
  test as base,
  chooseAction,
} from "./support.ts";

/** The page of a server whose model and profile contain nothing but such texts. */
const test = base.extend<{ requested: string[] }>({
  place: async ({ hostileHarness }, use) => use(hostileHarness),
  requested: async ({ page }, use) => {
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).hostname));
    await page.addInitScript(WATCH);
    await use(requested);
    expect(requested.filter((host) => host !== "127.0.0.1")).toEqual([]);
  },
});

// Sequential, because they share the hostile data.
test.describe.configure({ mode: "default" });
// A link to an impossible target is refused, which the browser logs.
test.use({ expectedComplaints: /Failed to load resource/ });

const MemoryAnswer = z.object({ memory: z.object({ id: z.string() }) });
const Created = z.object({ function: z.object({ id: z.string() }) });

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate<unknown>("[window.hit, window.foreign]")).toEqual([undefined, []]);
}

/** Opens a page, and asserts that it shows the hostile texts. */
async function visit(page: Page, path: string, shows: string = FILE): Promise<void> {
  await page.goto(path);
  await alive(page);
  await expect(page.getByRole("main")).toContainText(shows);
  await expectHarmless(page);
}

test("hostile text stays text in a request, a streamed answer, its steps, its prompts and its approval", async ({
  page,
  hostileHarness: harness,
  requested: _watched,
}) => {
  const plan = [
    { json: { thought: ALL, action: { tool: "fs_write", args: { path: "a.md", content: ALL } } } },
    act("fs_read", { path: `${LINE.replaceAll("/", "")}.md` }),
    act("fs_read", { path: "a.md" }),
    act("fs_delete", { path: "a.md" }),
    finish,
  ];
  const answers = play(plan);
  await harness.set({
    models: [chatModel(MODEL)],
    answer: async (request, index) => {
      const reply = await answers(request, index);
      return "say" in reply ? { say: `${ALL} [1]`, pieces: 400 } : reply;
    },
  });
  await openChat(page);
  await ask(page, ALL);
  const card = lastEntry(page).getByRole("region", { name: "Delete out/a.md?", exact: true });
  await expect(card).toContainText("onerror");
  await card.getByText("Exact call").click();
  await card.getByRole("button", { name: "Allow once" }).click();
  await answered(page);
  const entry = lastEntry(page);
  await expect(entry.locator("table").last()).toBeVisible();
  await entry.locator("summary").first().click();
  for (const mode of ["Structured", "Verbatim", "Narrative"]) {
    await entry.getByText(mode, { exact: true }).click();
    await expect(entry.getByRole("listitem").first()).toContainText("<script>window.hit=1</script>");
  }
  await chooseAction(entry, "Show as plain text");
  await expect(entry.getByLabel("Answer, verbatim")).toContainText("onerror=window.hit=1");
  await chooseAction(entry, "Inspect the run");
  const details = page.getByRole("region", { name: "Details" });
  await details.getByText("Step 1: Plans").click();
  await details.getByText("user", { exact: true }).first().click();
  await expect(details).toContainText("onerror");
  await page.getByRole("button", { name: /^Model: / }).click();
  await expectHarmless(page);
});

test("hostile text stays text on every page", async ({
  page,
  owner,
  hostileHarness: harness,
  requested: _watched,
}) => {
  const path = `${FILE}.md`;
  const plan = [act("fs_write", { path, content: LINE }), act("fs_delete", { path }), finish];
  await harness.set({ models: [chatModel(MODEL)], answer: play(plan, ALL) });
  await fill(owner, harness);
  const made = await owner.post("/api/functions", {
    title: LINE,
    summary: ALL,
    steps: CORPUS,
    skillsUsed: [],
    tags: [FILE],
    examples: [{ prompt: ALL }],
    parameters: [{ name: "what", type: "string", description: ALL, required: false, default: LINE }],
    kind: "code",
    code: {
      language: "typescript",
      source: `// ${LINE}\nexport async function main() {\n  throw new Error(${JSON.stringify(ALL)});\n}\n`,
      entry: "main",
      tests: "",
      grants: [],
    },
  });
  const { id } = Created.parse(made.body).function;
  await owner.send("PUT", `/api/functions/${id}`, { summary: `${ALL} again`, version: 1 });
  await owner.post(`/api/functions/${id}/verify`);

  await visit(page, `/functions?function=${id}`);
  await page.getByRole("button", { name: "Run…" }).click();
  await page.getByRole("form", { name: "Run the function" }).getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("form", { name: "Run the function" })).toContainText("onerror");
  await owner.post(`/api/functions/${id}/disable`, { reason: ALL });
  await visit(page, `/functions?function=${id}`, "Because: <script>");
  await page.evaluate<unknown>(
    `for (const one of document.querySelectorAll("main details")) one.open = true`,
  );
  await page.getByRole("button", { name: "Edit" }).click();
  await expect(page.getByRole("dialog").getByRole("textbox", { name: "Code" })).toContainText("onerror");
  await expectHarmless(page);

  await visit(page, "/memory?tab=curated");
  await page
    .getByRole("link", { name: /window\.hit/ })
    .first()
    .click();
  const record = page.getByRole("region", { name: "Selected record" });
  await record.getByText("The file, verbatim").click();
  await record.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Search all memory").fill("onerror window.hit");
  await expect(page.locator("mark").first()).toBeVisible();
  await expectHarmless(page);
  await visit(page, "/memory?tab=tasks");
  await visit(page, "/memory?tab=archive");
  for (const gone of [`/memory?record=${encodeURIComponent(ALL)}`, `/?ask=${encodeURIComponent(ALL)}`])
    await visit(page, gone, "");

  await visit(page, "/runs");
  await page
    .getByRole("link", { name: /onerror/ })
    .first()
    .click();
  await expect(page.getByRole("region", { name: "Selected run" })).toContainText("onerror");
  await visit(page, "/runs?view=figures", "Runs per day");
  await visit(page, "/approvals");
  await page.getByRole("button", { name: "Deny…" }).click();
  await page.getByLabel(/^Why not\?/).fill(LINE);
  await page.keyboard.press("Enter");
  await visit(page, "/approvals", `“${LINE}”`);

  await visit(page, "/settings#index");
  await expect(page.locator("#index")).toContainText(FILE);
  await page.goto("/automations#agents");
  const agents = page.locator("#agents");
  await expect(agents.getByText(`${FILE}.bin:`)).toBeVisible();
  for (const log of await agents.getByText("Log", { exact: true }).all()) await log.click();
  await expect(agents.locator("ol").filter({ hasText: "onerror" })).toBeVisible();
  await page.goto("/settings#audit");
  await page.locator("#audit details").first().locator("summary").click();
  await page.goto("/settings#persona");
  await expect(page.locator("#persona").getByLabel("Voice")).toHaveValue(ALL);
  await page.getByRole("button", { name: /^Profile: / }).click();
  await expect(page.getByRole("heading", { name: LINE })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("onerror");
  await expect(page.getByRole("listbox").getByRole("option").first()).toContainText("onerror");
  await expectHarmless(page);
  await page.goto("/welcome");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(LINE);
  await expectHarmless(page);
});

test("hostile text stays text in an archive that is listed and restored", async ({
  page,
  owner,
  requested: _watched,
}) => {
  await owner.send("PATCH", "/api/settings", { displayName: LINE });
  const hostile = { type: "curated", content: `Restored: ${ALL}`, tags: [FILE] };
  const { memory } = MemoryAnswer.parse((await owner.post("/api/memories", hostile)).body);
  const backup = Buffer.from(await (await owner.raw("GET", "/api/export")).arrayBuffer());
  await owner.send("PUT", `/api/memories/${memory.id}`, { content: "Harmless." });
  await page.goto("/settings#data");
  await alive(page);
  const data = page.getByRole("region", { name: "Data" });
  await data
    .getByLabel("Restore from a backup")
    .setInputFiles({ name: `${FILE.replaceAll("/", "")}.zip`, mimeType: "application/zip", buffer: backup });
  await expect(data.getByText(/^A backup of .*onerror/)).toBeVisible();
  await expectHarmless(page);
  await data.getByRole("checkbox", { name: /^Replace items that differ/ }).check();
  await data.getByRole("button", { name: "Restore", exact: true }).press("Enter");
  const restored = async () => JSON.stringify((await owner.get(`/api/memories/${memory.id}`)).body);
  await expect.poll(restored).toContain("Restored: ");
  await visit(page, `/memory?open=${memory.id}`);
});

test("hostile text stays text in answers to a guest", async ({ hostileHarness: harness, browser, owner }) => {
  await owner.send("PATCH", "/api/settings", { publicProfile: true });
  await harness.set({ models: [chatModel(MODEL)], answer: () => ({ say: ALL, pieces: 400 }) });
  const page = await browser.newPage({ baseURL: harness.server.url });
  await page.addInitScript(WATCH);
  await page.goto("/login?to=/.//evil.example");
  await page.getByRole("button", { name: "Continue as guest of ada" }).click();
  await expect(page).toHaveURL(`${harness.server.url}/guest`);
  // The server-rendered content is already in the page.
  await page.evaluate("window.foreign.length = 0");
  await page.getByLabel("Message").fill(ALL.replaceAll("\n", " "));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("main").locator("table")).toBeVisible();
  await expect(page.getByRole("main")).toContainText(FILE);
  await expectHarmless(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(`${harness.server.url}/login`);
  await page.close();
});

test("hostile text stays text in proposals", async ({ page, owner, requested: _watched }) => {
  const guide = { title: `Guide ${LINE}`, summary: ALL, steps: [LINE], skillsUsed: ["fs_write"] };
  const { id } = Created.parse((await owner.post("/api/functions", guide)).body).function;
  expect((await owner.post("/api/functions/promote", { id, reason: ALL })).status).toBe(200);
  await owner.send("PUT", `/api/functions/${id}`, { steps: CORPUS, summary: `${ALL} again`, version: 1 });
  await visit(page, `/functions?function=${id}`, LINE);
  const proposed = page.getByRole("region", { name: "Changes in the proposal" });
  await expect(proposed).toContainText("<img src=x onerror=window.hit=1>");
  await page.getByLabel("Reason for the decision").fill(ALL);
  await page.getByRole("button", { name: "Reject" }).click();
  await expect(proposed).toBeHidden();
  await expectHarmless(page);
});

test("hostile text stays text in error messages of the server", async ({ page, requested: _watched }) => {
  const error = { code: "INVALID_ARGS", message: ALL, suggestions: CORPUS };
  const issues = [{ path: "role", message: ALL }];
  const refuse = (route: Route) => route.fulfill({ status: 422, json: { error } });
  const refuseChange = (route: Route, details?: object) =>
    route.request().method() === "GET"
      ? route.continue()
      : route.fulfill({ status: 422, json: { error: { ...error, details } } });
  await page.route("**/api/memories?*", refuse);
  await page.route("**/api/memories", refuse);
  await page.route("**/api/persona", (route) => refuseChange(route, { issues }));
  await page.route("**/api/auth/password", (route) => refuseChange(route));
  await visit(page, "/memory");
  await page.getByLabel("Write down a fact to remember").fill("a fact");
  await page.getByRole("button", { name: "Keep" }).click();
  await expect(page.getByRole("status", { name: "News" })).toContainText("onerror");
  await expectHarmless(page);
  await page.goto("/settings#persona");
  await alive(page);
  const persona = page.locator("#persona");
  await persona.getByLabel("Role").fill("a helper");
  await persona.getByRole("button", { name: "Save" }).click();
  await expect(persona.getByLabel("Role")).toHaveAccessibleDescription(/onerror/);
  await page.goto("/settings#password");
  await page.getByLabel("Current password").fill("whatever it is");
  await page.locator("#password").getByLabel("New password").fill("another good password");
  await page.getByRole("button", { name: "Change the password" }).click();
  await expect(page.locator("#password").getByRole("alert")).toContainText("onerror");
  await expectHarmless(page);
});

/** Every field with text from a person, a file or a model, except functions. */
async function fill(owner: ModelHarness["owner"], { profile }: ModelHarness): Promise<void> {
  await owner.send("PUT", "/api/settings", { displayName: LINE });
  const persona = { name: LINE, role: ALL.slice(0, 500), values: [LINE], voice: ALL, goals: [LINE] };
  expect((await owner.send("PUT", "/api/persona", persona)).status).toBe(200);
  await owner.post("/api/memories", { type: "curated", content: ALL, tags: [FILE], entities: [LINE] });
  await owner.post("/api/memories", { type: "curated", content: `Another ${LINE}`, entities: [LINE] });
  await owner.post("/api/tasks", { title: LINE, description: ALL, tags: [FILE] });
  const deletable = await owner.post("/api/tasks", { title: `Doomed ${LINE}` });
  const { task } = z.object({ task: z.object({ id: z.string() }) }).parse(deletable.body);
  await owner.send("DELETE", `/api/tasks/${task.id}`);
  await mkdir(join(profile, "memory/curated"), { recursive: true });
  await writeFile(join(profile, "memory/curated", `${FILE}.json`), "{");
  await mkdir(join(profile, "inbox"), { recursive: true });
  await writeFile(join(profile, "inbox", `${FILE}.bin`), Buffer.from([0x89, 0x50, 0, 0xff]));
  await writeFile(join(profile, "inbox", `${FILE}.md`), ALL);
  expect((await owner.post("/api/agents/ingestor/run", { wait: true })).status).toBe(200);
  await owner.post("/api/index", {});
  const { conversationId } = await carryOut(owner, `get rid of ${LINE} somehow`);
  await owner.send("PATCH", `/api/conversations/${conversationId}`, { title: LINE });
}

test("right-to-left text keeps its direction", async ({ page }) => {
  await openChat(page);
  await ask(page, "مرحبا بالعالم");
  await answered(page);
  const heading = page.getByRole("heading", { level: 2, name: "مرحبا بالعالم" });
  await expect(heading).toHaveCSS("direction", "rtl");
});
