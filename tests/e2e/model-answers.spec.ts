import type { ChatScript } from "../support/model-server/script.ts";
import { act, finish, type ModelHarness, play, purposeOf } from "../support/model-harness.ts";
import { expectAccessible, keepScreen, lookAt } from "./looking.ts";
import { answered, ask, expect, lastEntry, openChat, harnessTest as test, chooseAction } from "./support.ts";

test("a run is rated with a thumb, and inspected down to its prompts", async ({ page, harness }) => {
  await harness.set({
    answer: play(
      [
        { ...act("fs_write", { path: "camping.md", content: "tent" }), thinking: "Tents first, I suppose." },
        finish,
      ],
      "Noted [1].",
    ),
  });
  await openChat(page);
  await ask(page, "get my camping notes into shape somehow");
  await answered(page);
  const entry = lastEntry(page);
  // In the trace, the thinking of the model is collapsed beside its step.
  await entry.getByText(/2 steps ·/).click();
  const first = entry.getByRole("listitem").filter({ hasText: "Step 1, thought" });
  await expect(first.getByText("Tents first, I suppose.")).toBeHidden();
  await first.getByText("Reasoning", { exact: true }).click();
  await expect(first.getByText("Tents first, I suppose.")).toBeVisible();
  await lookAt(page, "article ol", "chat-reasoning");
  const useful = entry.getByRole("button", { name: "This was useful", exact: true });
  await useful.click();
  await expect(useful).toHaveAttribute("aria-pressed", "true");
  await page.reload();
  await expect(useful).toHaveAttribute("aria-pressed", "true");
  const other = entry.getByRole("button", { name: "This was not useful", exact: true });
  await other.click();
  await expect(other).toHaveAttribute("aria-pressed", "true");
  await expect(useful).toHaveAttribute("aria-pressed", "false");

  await chooseAction(entry, "Inspect the run");
  const details = page.getByRole("region", { name: "Details" });
  const calls = details.getByText("ollama/plans:4b");
  await expect(calls).toHaveCount(4);
  await details.getByText("Step 1: Plans").click();
  const sections = details.getByLabel("Tokens by section").first();
  await expect(sections).toContainText(/rules\s*\d+/);
  await expect(sections).toContainText(/catalog\s*\d+/);
  const reasoning = details.getByText("Tents first, I suppose.");
  await expect(reasoning).toBeHidden();
  await details.getByText("Reasoning", { exact: true }).click();
  await expect(reasoning).toBeVisible();
  await details.getByText("system", { exact: true }).first().click();
  await expect(details.getByText("You plan for MetaHuman OS").first()).toBeVisible();
  await expectAccessible(page, "inspector with prompts", "all");
  await keepScreen(page, "inspector-prompts");

  await page.goto("/runs");
  await page.getByRole("link", { name: /get my camping notes/ }).click();
  await page.getByRole("button", { name: "Learn a function from this" }).click();
  await page.getByText("Saved as a draft").waitFor();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("region", { name: "Selected run" }).locator("a:focus")).toHaveAttribute(
    "href",
    /^\/functions\?function=/,
  );
});

test("prompts that are open while a run waits stay open when it continues, and the new ones follow", async ({
  page,
  harness,
}) => {
  await harness.set({
    answer: play(
      [
        act("fs_write", { path: "old-tent.md", content: "x" }),
        act("fs_delete", { path: "out/old-tent.md" }),
        finish,
      ],
      "It is gone [2].",
    ),
  });
  await openChat(page);
  await ask(page, "tidy my camping notes up somehow");
  const entry = lastEntry(page);
  const allow = entry.getByRole("button", { name: "Allow once" });
  await expect(allow).toBeVisible();
  await entry
    .getByRole("button", { name: "Inspect step 1" })
    .or(entry.locator("summary").first())
    .first()
    .click();
  await entry.getByRole("button", { name: "Inspect step 1" }).click();
  const details = page.getByRole("region", { name: "Details" });
  await page.getByRole("complementary", { name: "Inspector" }).getByText("Run", { exact: true }).click();
  const calls = details.locator("summary", { hasText: "ollama/plans:4b" });
  await expect(calls).toHaveCount(2);
  await calls.first().click();
  await expect(details.getByText("system", { exact: true }).first()).toBeVisible();
  await allow.click();
  await answered(page);
  await expect.poll(() => calls.count()).toBeGreaterThan(2);
  await expect(details.locator("details.call").first()).toHaveAttribute("open", "");
});

test("a run whose model became unavailable is continued with one click when it is back", async ({
  page,
  harness,
}) => {
  let chats = 0;
  await harness.set({
    answer: () => ((chats += 1) === 1 ? act("task_create", { title: "pack the tent" }) : { fault: "reset" }),
  });
  await openChat(page);
  await ask(page, "get my camping trip prepared somehow");
  const entry = lastEntry(page);
  await expect(entry.getByText("Done until then:")).toBeVisible();
  await expect(entry.getByText(/Not done:/)).toBeVisible();
  // The answer says what went wrong; the suggestions are below it.
  await expect(entry.getByText("You can continue it from the steps so far.")).toBeVisible();
  const reason = /Not done:\s*(.{20})/u.exec(await entry.innerText())?.[1] ?? "";
  expect((await entry.innerText()).split(reason)).toHaveLength(2);
  await expectAccessible(page, "a run that failed", "all");
  await keepScreen(page, "continue");
  await harness.set({
    answer: play(
      [act("task_create", { title: "pack the stove" }), finish],
      "Tent and stove are on the list [1] [2].",
    ),
  });
  await entry.getByRole("button", { name: "Continue", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(lastEntry(page).locator("p", { hasText: "Tent and stove are on the list" })).toBeVisible();
});

test("on a phone, an e-mail address in a table of an answer stays in one line, and only the table is scrolled", async ({
  page,
  harness,
}) => {
  const address = "katarina.lindqvist@garden-club.example";
  const table = [
    "| name | e-mail | what they offered to bring |",
    "| --- | --- | --- |",
    `| Katarina Lindqvist | ${address} | two long benches from the shed, and the tarpaulin |`,
  ].join("\n");
  await harness.set({ answer: play([act("fs_list", { path: "out" }), finish], table) });
  await page.setViewportSize({ width: 390, height: 844 });
  await openChat(page);
  await ask(page, "get the summer party lists into shape somehow");
  await answered(page);
  await expect(page.getByRole("cell", { name: address })).toBeVisible();
  const lines = await page.evaluate<number>(`(() => {
    const text = document.createRange();
    text.selectNodeContents(document.querySelector(".answer td:nth-child(2)"));
    return new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size;
  })()`);
  expect(lines).toBe(1);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
  await keepScreen(page, "table-on-a-phone");
});

test("the inspector shows which part of the conversation the model saw", async ({ page, harness }) => {
  const talk = (text: string): ChatScript => ({ json: { thought: "Known.", respond: true, answer: text } });
  await harness.set({
    answer: () => talk("Noted."),
    etc: { operator: { budgets: { conversation: 120 } } },
  });
  await openChat(page);
  await ask(page, "my rope measures 40 metres, and I climb in the Lofoten next week");
  await answered(page);
  await ask(page, "and how long was the rope again?");
  await answered(page);
  await chooseAction(lastEntry(page), "Inspect the run");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByText("Context", { exact: true }).click();
  await expect(inspector.getByRole("heading", { name: "Conversation shown to the planner" })).toBeVisible();
  await expect(inspector.getByText("2 turns word for word.")).toBeVisible();

  for (const subject of ["tents", "stoves", "axes", "harnesses"]) {
    await ask(page, `tell me what matters about ${subject} for somebody who has never been up there before`);
    await answered(page);
  }
  await chooseAction(lastEntry(page), "Inspect the run");
  await inspector.getByText("Context", { exact: true }).click();
  await expect(inspector.getByText(/word for word, \d+ older turns summarized/)).toBeVisible();
  await expect(inspector.getByText(/^conversation \(left out: /)).toBeVisible();
  await expectAccessible(page, "inspector with a conversation", "all");
  await keepScreen(page, "inspector-conversation");
});

/** Runs have two steps, in which a model creates a task each; it answers with `words` that it is not finished. */
async function setTwoSteps(harness: ModelHarness, noun: string, words: string): Promise<void> {
  let step = 0;
  const out: ChatScript = { json: { thought: "Out of steps.", respond: true, done: false } };
  await harness.set({
    answer: (request) => {
      if (purposeOf(request) !== "plan") return { say: words };
      return (step += 1) > 2 ? out : act("task_create", { title: `${noun} ${String(step)}` });
    },
    etc: { operator: { scratchpad: { maxSteps: 2 } } },
  });
}

test("a run that reached its step limit reports it and is continued with one click", async ({
  page,
  harness,
}) => {
  await setTwoSteps(harness, "room", "Two of three tasks are there [1] [2].");
  await openChat(page);
  await ask(page, "set up three tasks for the move, one for each room");
  const entry = lastEntry(page);
  await expect(entry.getByText(/not finished/)).toBeVisible();
  await expectAccessible(page, "a run that was stopped", "all");
  await keepScreen(page, "continue-stopped");
  await harness.set({
    answer: play([act("task_create", { title: "room 3" }), finish], "All rooms have their task [1] [2] [3]."),
  });
  await entry.getByRole("button", { name: "Continue", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(lastEntry(page).locator("p", { hasText: "All rooms have their task" })).toBeVisible();
  await expect(lastEntry(page).getByRole("button", { name: "Continue", exact: true })).toHaveCount(0);
});

test("all that is to note about a run is in one notice, not in several below each other", async ({
  page,
  harness,
}) => {
  await setTwoSteps(harness, "shelf", "No task was created [1], as ever [7].");
  await harness.owner.send("PUT", "/api/trust", { trustLevel: "observe" });
  try {
    await openChat(page);
    await ask(page, "set up two tasks for the shelves in the shed");
    const entry = lastEntry(page);
    await expect(entry.getByText(/never made/)).toBeVisible();
    await expect(entry.getByText("To allow changes, choose another trust level")).toBeVisible();
    await expect(entry.getByRole("link", { name: "Change the trust level" })).toBeVisible();
    await expect(entry.getByRole("button", { name: "Continue", exact: true })).toBeVisible();
    await expect(entry.locator("[data-part=outcome] > *")).toHaveCount(1);
    await lookAt(page, "article", "chat-notices");
  } finally {
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
  }
});

test("the code, formulas and tables of an answer are shown as such, and copied as they are", async ({
  page,
  harness,
}) => {
  const code = "const tents: number = 2;";
  const say = [
    `\`\`\`ts\n${code}\n\`\`\``,
    "The area is $a^2$.",
    "| Tent | Price |\n| --- | ---: |\n| Fjell, light | 99,5 |\n| Dale | 80 |",
  ].join("\n\n");
  await harness.set({ answer: (request) => (purposeOf(request) === "plan" ? finish : { say }) });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await openChat(page);
  await ask(page, "tell me something about tents in general");
  await answered(page);
  const entry = lastEntry(page);
  await expect(entry.locator("pre .keyword")).toHaveText("const");
  await expect(entry.locator("math")).toContainText("2");
  await expect(entry.getByRole("columnheader", { name: "Price" })).toHaveCSS("text-align", "end");
  const copied = () => page.evaluate("navigator.clipboard.readText()");
  await entry.getByRole("button", { name: "Copy the code" }).press("Enter");
  await expect.poll(copied).toBe(code);
  await entry.getByRole("button", { name: "Copy as CSV" }).press("Enter");
  await expect.poll(copied).toMatch(/^Tent,Price\r?\n"Fjell, light","99,5"\r?\nDale,80\s*$/);
  await page.context().clearPermissions();
});

test("a running request tells what it is doing, and for how long", async ({ page, harness }) => {
  const gate = Promise.withResolvers<void>();
  await harness.set({
    answer: async (request) => {
      await gate.promise;
      return purposeOf(request) === "plan" ? finish : { say: "There are two." };
    },
  });
  await openChat(page);
  await ask(page, "tell me roughly how many tents there are");
  const summary = lastEntry(page).locator("summary").first();
  await expect(summary).toContainText(/\b[1-9]\d* s$/);
  await expect(summary).toContainText(/\p{L}{3}/u);
  gate.resolve();
  await answered(page);
  await expect(lastEntry(page)).toContainText("There are two.");
});

test("an answer of ten thousand lines, huge JSON and right-to-left text is streamed and stays in its column", async ({
  page,
  harness,
}) => {
  const records = Array.from({ length: 2_000 }, (_, number) => ({ number, text: "x".repeat(60) }));
  const lines = Array.from({ length: 10_000 }, (_, line) => `line ${String(line)}`).join("\n");
  const say = [
    `\`\`\`json\n${JSON.stringify(records)}\n\`\`\``,
    "مرحبا بالعالم، هذه إجابة",
    "w".repeat(5_000),
    `\`\`\`\n${lines}\n\`\`\``,
    "That is all [1].",
  ].join("\n\n");
  const answers = play([act("fs_write", { path: "long.md", content: "x" }), finish]);
  await harness.set({
    answer: async (request, index) => {
      const reply = await answers(request, index);
      return "say" in reply ? { say, pieces: 200 } : reply;
    },
  });
  await openChat(page);
  await ask(page, "write everything there is into long.md, and tell me");
  await answered(page);
  const entry = lastEntry(page);
  await expect(entry).toContainText("line 9999");
  await expect(entry).toContainText("That is all");
  await expect(entry.getByText("مرحبا بالعالم، هذه إجابة")).toHaveCSS("direction", "rtl");
  expect(
    await page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    ),
  ).toBe(0);
  await page.getByLabel("Your request").fill("still typing");
  await expect(page.getByLabel("Your request")).toHaveValue("still typing");
});
