import type { Browser, Page } from "@playwright/test";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { Client } from "../support/client.ts";
import { act, finish, play } from "../support/model-harness.ts";
import { alive, carryOut, expect, signIn, harnessTest, test } from "./support.ts";

/** The maximum JavaScript that a page loads before any action, in bytes after gzip. */
const BUDGET = 120_000;

test("every page loads within its budget of JavaScript", async ({ page, owner }) => {
  // Opens all pages.
  test.slow();
  const { runId, conversationId } = await carryOut(owner, "list my tasks");
  const functionId = await createFunction(owner, "Keep the notes of the shed");
  let scripts = new Set<string>();
  page.on("request", (request) => {
    if (request.url().endsWith(".js")) scripts.add(request.url());
  });
  // A page would reuse what another page has loaded.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  for (const path of [
    "/",
    `/?c=${conversationId}`,
    "/memory",
    "/files",
    "/functions",
    `/functions?function=${functionId}`,
    "/runs",
    `/runs?run=${runId}`,
    "/approvals",
    "/automations",
    "/settings",
  ]) {
    scripts = new Set();
    // The schemas that parse responses load last.
    const schemas = page.waitForResponse(/\/schemas\.[\w-]+\.js$/);
    await page.goto(path);
    await alive(page);
    await schemas;
    await expect(page.getByText("Loading…")).toHaveCount(0);
    // The code that renders an answer is loaded when the answer has arrived.
    if (/[?](?:c|run)=/.test(path)) await expect(page.locator(".answer").first()).toBeVisible();
    const sizes = await Promise.all([...scripts].map((script) => gzippedSize(page, script)));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes, path).toBeGreaterThan(20_000);
    expect(bytes, path).toBeLessThan(BUDGET);
  }
  await devtools.detach();
});

test("what a search in the address finds is in the HTML of the page", async ({ owner }) => {
  await owner.post("/api/memories", {
    type: "curated",
    content: "The gazebo key hangs behind the barometer.",
  });
  await owner.post("/api/tasks", { title: "oil the hinges of the gazebo" });
  const html = String((await owner.get("/memory?query=gazebo")).body);
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*key hangs behind the barometer/s);
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*oil the hinges/s);
});

test("the function that an address names is in the HTML of the page", async ({ owner }) => {
  const id = await createFunction(owner, "Air the pantry");
  const html = String((await owner.get(`/functions?function=${id}`)).body);
  expect(html).toMatch(/<article[^>]*>(?:(?!<\/article>).)*Open both windows\./s);
});

test("the run that an address names is in the HTML of the page", async ({ owner }) => {
  const { runId } = await carryOut(owner, "add a task to sand the gate");
  const html = String((await owner.get(`/runs?run=${runId}`)).body);
  expect(html).toMatch(/<ol[^>]*>(?:(?!<\/ol>).)*task_create/s);
  expect(html).toMatch(/class="answer[^>]*>(?:(?!<\/div>).)*sand the gate/s);
});

test("a conversation that an address names, its title and the list of conversations are in the HTML of the page", async ({
  owner,
}) => {
  const { conversationId } = await carryOut(owner, "add a task to varnish the tiller");
  await owner.send("PATCH", `/api/conversations/${conversationId}`, { title: "The tiller" });
  await carryOut(owner, "list my tasks");
  const html = String((await owner.get(`/?c=${conversationId}`)).body);
  expect(html).toMatch(/<h1[^>]*>(?:<!--[^>]*-->)*The tiller/);
  expect(html).toMatch(
    /<article[^>]*>(?:(?!<\/article>).)*varnish the tiller(?:(?!<\/article>).)*varnish the tiller/s,
  );
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*aria-current="page"(?:(?!<\/li>).)*The tiller/s);
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*List my tasks/is);
});

test("schedules and their words are in the HTML of the automations", async ({ owner }) => {
  await carryOut(owner, "remind me to oil the gate every monday at 9");
  const html = String((await owner.get("/automations")).body);
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*oil the gate.*every Monday at 09:00/s);
  expect(html).toMatch(/title="Monday \d+ \w+ \d{4} at 09:00"/);
});

test("what waits and what was decided is in the HTML of the approvals", async ({ owner }) => {
  for (const name of ["moss", "fern"]) {
    await carryOut(owner, `create a file called notes/${name}.md with the text "green"`);
    await carryOut(owner, `delete notes/${name}.md`);
  }
  const { items } = Approvals.parse((await owner.get("/api/approvals")).body);
  const decided = items.find(({ preview }) => preview.title.includes("moss"));
  await owner.post(`/api/approvals/${decided?.id ?? ""}`, { decision: "deny" });
  const html = String((await owner.get("/approvals")).body);
  expect(html).toMatch(/<h3[^>]*>(?:<!--[^>]*-->)*Delete out\/notes\/fern\.md\?/s);
  expect(html).toMatch(/<li[^>]*>(?:(?!<\/li>).)*Delete out\/notes\/moss\.md/s);
});

/** Records the layout shift of a page (https://web.dev/articles/cls). */
const OBSERVE_SHIFTS = `globalThis.shift = 0;
globalThis.moved = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    globalThis.shift += value;
    for (const { node, previousRect, currentRect } of sources)
      globalThis.moved.push((node?.outerHTML ?? node?.textContent ?? "gone").slice(0, 100) + " from " + previousRect.y + " to " + currentRect.y);
  }
}).observe({ type: "layout-shift", buffered: true });`;

/** Opens each address in a new context and fails for one whose page moves what it has shown. */
async function expectNoShifts(
  browser: Browser,
  owner: Client,
  viewport: { width: number; height: number },
  paths: readonly string[],
): Promise<void> {
  const context = await browser.newContext({ baseURL: owner.url, viewport });
  try {
    await signIn(context, owner);
    await context.addInitScript(OBSERVE_SHIFTS);
    const page = await context.newPage();
    for (const path of paths) {
      // The first updates come after everything that the page shows at first.
      const updated = page.waitForResponse(/\/api\/events/);
      await page.goto(path);
      await alive(page);
      await expect(page.getByText("Loading…")).toHaveCount(0);
      if (path === "/automations") await expect(page.getByRole("list", { name: "Days" })).toBeVisible();
      await updated;
      await page.evaluate(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
      );
      const moved = await page.evaluate<string[]>("moved");
      const where = [`${path} at ${viewport.width}`, ...moved].join("\n");
      expect(await page.evaluate<number>("shift"), where).toBeLessThan(0.05);
    }
  } finally {
    await context.close();
  }
}

for (const viewport of [
  { width: 412, height: 823 },
  { width: 1280, height: 720 },
])
  test(`no page moves its content when it hydrates, ${viewport.width} pixels wide`, async ({
    browser,
    owner,
  }) => {
    test.slow();
    const listed = await carryOut(owner, "list my tasks");
    for (let count = 0; count < 8; count += 1) await carryOut(owner, "list my tasks");
    await carryOut(owner, 'create a file called notes/tide.md with the text "low"');
    const waiting = await carryOut(owner, "delete notes/tide.md");
    const functionId = await createProposal(owner);
    await expectNoShifts(browser, owner, viewport, [
      "/",
      `/?c=${listed.conversationId}`,
      `/?c=${waiting.conversationId}`,
      "/runs",
      `/runs?run=${listed.runId}`,
      `/runs?run=${waiting.runId}`,
      "/memory",
      "/functions",
      `/functions?function=${functionId}`,
      "/files",
      "/automations",
      "/approvals",
      "/settings",
    ]);
  });

harnessTest(
  "an answer with a table, code and formulas does not move when the page loads",
  async ({ browser, owner, harness }) => {
    test.slow();
    await harness.set({ answer: play([act("fs_list", { path: "out" }), finish], RICH_ANSWER) });
    const { runId, conversationId } = await carryOut(owner, "get my sums into shape somehow");
    const html = String((await owner.get(`/?c=${conversationId}`)).body);
    expect(html).toMatch(/<math[^>]*display="block"/);
    expect(html).toMatch(/<figcaption/);
    for (const viewport of [
      { width: 412, height: 823 },
      { width: 1280, height: 720 },
    ])
      await expectNoShifts(browser, owner, viewport, [`/?c=${conversationId}`, `/runs?run=${runId}`]);
  },
);

const RICH_ANSWER = [
  "The sum is $a^2 + b^2$ [1].",
  "$$\\frac{1}{2} + \\sum_{i=1}^{n} i = \\int_0^1 x\\,dx$$",
  "```ts\nconst sum = (a: number, b: number) => a + b;\n```",
  "| part | cost |\n| --- | ---: |\n| rope | 5 |\n| tar | 9 |",
  "That is all of it, below the table.",
].join("\n\n");

const Approvals = z.object({
  items: z.array(z.object({ id: z.string(), preview: z.object({ title: z.string() }) })),
});

/** Creates a verified function with a proposal that waits; returns its id. */
async function createProposal(owner: Client): Promise<string> {
  const id = await createFunction(owner, "Keep the log of the shed");
  await owner.post("/api/functions/promote", { id, reason: "Looked through." });
  await owner.send("PUT", `/api/functions/${id}`, {
    version: 1,
    steps: ["Open both windows.", "Close them after an hour."],
  });
  return id;
}

async function createFunction(owner: Client, title: string): Promise<string> {
  const steps = ["Open both windows.", "Close them after ten minutes."];
  const { body } = await owner.post("/api/functions", { title, summary: "", steps, skillsUsed: ["fs_read"] });
  return z.object({ function: z.object({ id: z.string() }) }).parse(body).function.id;
}

async function gzippedSize(page: Page, address: string): Promise<number> {
  const response = await page.request.get(address);
  return gzipSync(await response.body(), { level: 9 }).length;
}
