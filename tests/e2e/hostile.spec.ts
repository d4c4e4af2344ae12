import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { z } from "zod";
import { act, chatting, finish, openModelStage, play, type ModelStage } from "../support/model-stage.ts";
import { alive, answered, ask, carryOut, expect, lastEntry, openChat, test as base } from "./support.ts";

/** Each would leave a mark in `window`, or an element that is not ours, if anything of it were taken for more than words. */
const CORPUS = [
  "<script>window.hit=1</script>",
  "<img src=x onerror=window.hit=1>",
  "<svg/onload=window.hit=1>",
  "<x-foreign onpointerenter=window.hit=1>",
  "[a](javascript:window.hit=1)",
  "[a](&#106;avascript:window.hit=1)",
  "[a](data:text/html,<script>window.hit=1</script>)",
  "![a](javascript:window.hit=1)",
  "<a href='javascript:window.hit=1'>a</a>",
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  "<style>*{display:none}</style>",
  "<base href='https://tracker.invalid/'>",
  "<form action='javascript:window.hit=1'><button formaction='javascript:window.hit=1'>",
  "</pre></code></textarea></title></script><script>window.hit=1</script>",
  "{@html '<b>x</b>'}{{constructor.constructor('window.hit=1')()}}${window.hit=1}",
  "```\n</code></pre><img src=x onerror=window.hit=1>\n```",
  "| <img src=x onerror=window.hit=1> | [a](javascript:window.hit=1) |\n|---|---|\n| <svg/onload=window.hit=1> | `<x-foreign>` |",
  "![pixel](https://tracker.invalid/p.png)",
];
const ALL = CORPUS.join("\n\n");
/** For what takes a line alone. */
const LINE = "<img src=x onerror=window.hit=1><x-foreign>&lt;b&gt;</title>";
const FILE = "<img src=x onerror=window.hit=1>";
const MODEL = "plans<img/src=x/onerror=window.hit=1><x-foreign>:4b";

/**
 * Looks at every element and attribute from the moment it is put into a page, thus also between two pieces of a streamed
 * answer: what runs, loads, or is not ours is noted.
 */
const WATCH = `(() => {
  window.foreign = [];
  const LINKS = /^(href|src|action|formaction|xlink:href)$/;
  const look = (element) => {
    const name = element.localName;
    if (["img", "iframe", "object", "embed", "base", "x-foreign", "marquee"].includes(name)) foreign.push(name);
    if (["script", "style"].includes(name) && element.closest("main, dialog, aside, header")) foreign.push(name);
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith("on") || attribute === "srcdoc") foreign.push(name + " " + attribute);
      if (LINKS.test(attribute) && !/^(\\/|\\?|#|https?:|mailto:)/.test(value)) foreign.push(name + " " + value);
    }
  };
  const lookInto = (node) => {
    if (node.nodeType !== 1) return;
    look(node);
    for (const inner of node.querySelectorAll("*")) look(inner);
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "attributes") look(target);
      else for (const node of addedNodes) lookInto(node);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
})()`;

/** The page of a server with a model that says nothing else, for a profile that holds nothing else. */
const test = base.extend<{ requested: string[] }, { stage: ModelStage }>({
  stage: [
    async ({ browserName: _none }, use) => {
      const stage = await openModelStage({ models: [chatting(MODEL)] });
      await use(stage);
      await stage.close();
    },
    { scope: "worker" },
  ],
  server: [async ({ stage }, use) => use(stage.server), { scope: "worker" }],
  requested: async ({ page }, use) => {
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).hostname));
    await page.addInitScript(WATCH);
    await use(requested);
    expect(requested.filter((host) => host !== "127.0.0.1")).toEqual([]);
  },
});

// A link to what cannot be is refused, which the browser notes.
test.use({ expectedComplaints: /Failed to load resource/ });

const Created = z.object({ function: z.object({ id: z.string() }) });

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate<unknown>("[window.hit, window.foreign]")).toEqual([undefined, []]);
}

/** Opens a room, and makes sure that it shows what should be harmless. */
async function visit(page: Page, path: string, shows: string = FILE): Promise<void> {
  await page.goto(path);
  await alive(page);
  await expect(page.getByRole("main")).toContainText(shows);
  await expectHarmless(page);
}

test("hostile words stay words in a request, a streamed answer, its steps, its prompts and its approval", async ({
  page,
  stage,
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
  await stage.set({
    models: [chatting(MODEL)],
    answer: async (request, index) => {
      const reply = await answers(request, index);
      return "say" in reply ? { say: `${ALL} [1]`, pieces: 400 } : reply;
    },
  });
  await openChat(page);
  await ask(page, ALL);
  const card = lastEntry(page).getByRole("region", { name: "Delete out/a.md?" });
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
  await entry.getByRole("button", { name: "Show the answer as text" }).click();
  await expect(entry.getByLabel("Answer, word for word")).toContainText("onerror=window.hit=1");
  await entry.getByRole("button", { name: "Inspect the run" }).click();
  const details = page.getByRole("region", { name: "Details" });
  await details.getByText("Step 1: Plans").click();
  await details.getByText("user", { exact: true }).first().click();
  await expect(details).toContainText("onerror");
  await page.getByRole("button", { name: /^Model: / }).click();
  await expectHarmless(page);
});

test("hostile words stay words in every room", async ({ page, owner, stage, requested: _watched }) => {
  const path = `${FILE}.md`;
  const plan = [act("fs_write", { path, content: LINE }), act("fs_delete", { path }), finish];
  await stage.set({ models: [chatting(MODEL)], answer: play(plan, ALL) });
  await fill(owner, stage);
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
  await page.getByRole("form", { name: "Run it" }).getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("form", { name: "Run it" })).toContainText("onerror");
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
  const record = page.getByRole("region", { name: "The record that is picked" });
  await record.getByText("The file, word for word").click();
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
  await expect(page.getByRole("region", { name: "The run that is picked" })).toContainText("onerror");
  await visit(page, "/runs?view=figures", "Runs a day");
  await visit(page, "/approvals");
  await page.getByRole("button", { name: "Deny…" }).click();
  await page.getByLabel(/^Why not\?/).fill(LINE);
  await page.keyboard.press("Enter");
  await visit(page, "/approvals", `“${LINE}”`);

  await visit(page, "/settings");
  await expect(page.locator("#index")).toContainText(FILE);
  await page.locator("#audit details").first().locator("summary").click();
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

/** Everything a person, a file or a model can put words into, but functions. */
async function fill(owner: ModelStage["owner"], { profile }: ModelStage): Promise<void> {
  await owner.send("PUT", "/api/settings", { displayName: LINE });
  const persona = { name: LINE, role: ALL.slice(0, 500), values: [LINE], voice: ALL, goals: [LINE] };
  expect((await owner.send("PUT", "/api/persona", persona)).status).toBe(200);
  await owner.post("/api/memories", { type: "curated", content: ALL, tags: [FILE], entities: [LINE] });
  await owner.post("/api/memories", { type: "curated", content: `Another ${LINE}`, entities: [LINE] });
  await owner.post("/api/tasks", { title: LINE, description: ALL, tags: [FILE] });
  const doomed = await owner.post("/api/tasks", { title: `Doomed ${LINE}` });
  const { task } = z.object({ task: z.object({ id: z.string() }) }).parse(doomed.body);
  await owner.send("DELETE", `/api/tasks/${task.id}`);
  await mkdir(join(profile, "memory/curated"), { recursive: true });
  await writeFile(join(profile, "memory/curated", `${FILE}.json`), "{");
  await owner.post("/api/index", {});
  const { conversationId } = await carryOut(owner, `get rid of ${LINE} somehow`);
  await owner.send("PATCH", `/api/conversations/${conversationId}`, { title: LINE });
}

test("right-to-left words run their own way", async ({ page }) => {
  await openChat(page);
  await ask(page, "مرحبا بالعالم");
  await answered(page);
  const heading = page.getByRole("heading", { level: 2, name: "مرحبا بالعالم" });
  await expect(heading).toHaveCSS("direction", "rtl");
});
