import { mkdir, writeFile } from "node:fs/promises";
import { answered, ask, carryOut, expect, lastEntry, openChat, ownersFile, test } from "./support.ts";

/** Each would leave a mark in `window` if anything of it ran. */
const CORPUS = [
  "<script>window.hit=1</script>",
  "<img src=x onerror=window.hit=1>",
  "<svg/onload=window.hit=1>",
  "[a](javascript:window.hit=1)",
  "[a](&#106;avascript:window.hit=1)",
  "![a](javascript:window.hit=1)",
  "<a href='javascript:window.hit=1'>a</a>",
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  "<style>*{display:none}</style>",
  "</pre></code><script>window.hit=1</script>",
  "{@html '<b>x</b>'}{{constructor.constructor('window.hit=1')()}}",
  "```\n</code></pre><img src=x onerror=window.hit=1>\n```",
  "![pixel](https://tracker.invalid/p.png)",
];

async function expectHarmless(page: import("@playwright/test").Page): Promise<void> {
  expect(await page.evaluate<unknown>("window.hit")).toBeUndefined();
  await expect(page.locator("main").locator("script, iframe, style, img, [onerror], [onload]")).toHaveCount(
    0,
  );
  await expect(page.locator('main a[href^="javascript" i]')).toHaveCount(0);
}

test("hostile words stay words: as a request, in a file, in its answer and its trace", async ({
  page,
  server,
}) => {
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).hostname));
  await mkdir(ownersFile(server, "out"), { recursive: true });
  await writeFile(ownersFile(server, "out/hostile.md"), CORPUS.join("\n\n"));
  await openChat(page);
  await ask(page, CORPUS.join(" "));
  await answered(page);
  await expectHarmless(page);
  await ask(page, "read hostile.md");
  await expect(page.getByRole("article")).toHaveCount(2);
  await answered(page);
  await expect(lastEntry(page)).toContainText("<script>window.hit=1</script>");
  await lastEntry(page).locator("summary").first().click();
  for (const mode of ["Structured", "Verbatim", "Narrative"]) {
    await lastEntry(page).getByText(mode, { exact: true }).click();
    await expectHarmless(page);
  }
  await lastEntry(page).getByRole("button", { name: "Show the answer as text" }).click();
  await expect(lastEntry(page).getByLabel("Answer, word for word")).toContainText("onerror=window.hit=1");
  await expectHarmless(page);
  expect(requested.filter((host) => host !== "127.0.0.1")).toEqual([]);
});

test("hostile words stay words in memories, tasks, approvals and titles", async ({ page, owner }) => {
  const words = "<img src=x onerror=window.hit=1>";
  await owner.post("/api/memories", { type: "curated", content: CORPUS.join("\n") });
  await owner.post("/api/tasks", { title: `hostile ${words}`, description: words, tags: [words] });
  await carryOut(owner, `create a file called careful.md with the text "${words}"`);
  await carryOut(owner, "delete careful.md");
  await page.goto("/memory?tab=curated");
  await page
    .getByRole("link", { name: /window\.hit/ })
    .first()
    .click();
  await expect(page.getByRole("region", { name: "The record that is picked" })).toContainText("onerror");
  await expectHarmless(page);
  await page.goto("/memory?tab=tasks");
  await expect(page.getByLabel(`hostile ${words}`, { exact: true })).toBeVisible();
  await expectHarmless(page);
  await page.goto("/approvals");
  await expect(page.getByRole("region", { name: "Delete out/careful.md?" })).toContainText(words);
  await expectHarmless(page);
  await page
    .getByRole("region", { name: "Delete out/careful.md?" })
    .getByRole("button", { name: "Allow once" })
    .click();
});

test("right-to-left words run their own way", async ({ page }) => {
  await openChat(page);
  await ask(page, "مرحبا بالعالم");
  await answered(page);
  const heading = page.getByRole("heading", { level: 2, name: "مرحبا بالعالم" });
  await expect(heading).toHaveCSS("direction", "rtl");
});
