import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { Page, TestInfo } from "@playwright/test";
import { lookAt } from "./looking.ts";
import { alive, expect, ownersFile, test } from "./support.ts";

// A taken name and an upload that got no response.
test.use({ expectedComplaints: /status of 409|ERR_FAILED/ });

const uploads = (page: Page) => page.getByRole("region", { name: "Uploads" });
const picker = (page: Page) => page.locator("main input[type=file]");
const notice = (page: Page, text: string | RegExp) =>
  page.getByRole("status", { name: "News" }).getByText(text);
const text = (name: string, content: string) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(content),
});

/** Writes files to upload to disk, because a large buffer takes seconds to reach the browser; returns their paths. */
async function onDisk(info: TestInfo, files: Readonly<Record<string, string>>): Promise<string[]> {
  await mkdir(info.outputDir, { recursive: true });
  return Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      await writeFile(info.outputPath(name), content);
      return info.outputPath(name);
    }),
  );
}

async function openFolder(page: Page, folder: string): Promise<void> {
  await page.goto(`/files?folder=${folder}`);
  await alive(page);
}

/** Drops files onto the page, as a file manager does. */
async function drop(page: Page, files: readonly { name: string; content: string }[]): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, content } of ${JSON.stringify(files)}) transfer.items.add(new File([content], name));
    return transfer;
  })()`);
  const zone = page.getByRole("region", { name: "Files and folders" });
  await zone.dispatchEvent("dragenter", { dataTransfer: transfer });
  await expect(page.getByText(/^Drop to upload to/)).toBeVisible();
  await zone.dispatchEvent("drop", { dataTransfer: transfer });
}

test("files are uploaded to the open folder, byte for byte, and the upload can be undone", async ({
  page,
  server,
}) => {
  await mkdir(ownersFile(server, "out/uploads"), { recursive: true });
  await openFolder(page, "out/uploads");
  const chosen = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload", exact: true }).press("Enter");
  const logo = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
  await (
    await chosen
  ).setFiles([text("prices.csv", "a,b\n1,2\n"), { name: "logo.bin", mimeType: "", buffer: logo }]);
  await expect(notice(page, "Uploaded 2 files to out/uploads/.")).toBeVisible();
  await expect(page.getByRole("link", { name: /^prices\.csv/ })).toBeVisible();
  expect(await readFile(ownersFile(server, "out/uploads/logo.bin"))).toEqual(logo);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(notice(page, "Undid the upload of 2 files.")).toBeVisible();
  await expect(page.getByRole("link", { name: /^prices\.csv/ })).toBeHidden();
});

test("files that are dropped on the list of all folders arrive in the inbox", async ({ page, server }) => {
  await openFolder(page, "");
  await drop(page, [{ name: "tides.md", content: "High at noon" }]);
  await expect(notice(page, "Uploaded tides.md to inbox/.")).toBeVisible();
  expect(await readFile(ownersFile(server, "inbox/tides.md"), "utf8")).toBe("High at noon");
});

test("an upload asks what happens to a file of the same name", async ({ page, server }) => {
  await mkdir(ownersFile(server, "out/taken"), { recursive: true });
  for (const name of ["a.txt", "b.txt", "c.txt"])
    await writeFile(ownersFile(server, `out/taken/${name}`), `old ${name}`);
  await openFolder(page, "out/taken");
  await expect(page.getByRole("link", { name: /^c\.txt/ })).toBeVisible();
  await picker(page).setInputFiles(["a.txt", "b.txt", "c.txt"].map((name) => text(name, `new ${name}`)));
  await expect(uploads(page).getByText("3 names already exist in out/taken/.")).toBeVisible();
  await lookAt(page, "[aria-label=Uploads]", "files-upload-taken");
  const row = (name: string) => uploads(page).getByRole("listitem").filter({ hasText: name });
  await row("a.txt").getByRole("button", { name: "Skip" }).click();
  await row("b.txt").getByRole("button", { name: "Keep both" }).click();
  await expect(page.getByRole("link", { name: /^b-2\.txt/ })).toBeVisible();
  await row("c.txt").getByRole("button", { name: "Replace" }).click();
  await expect(notice(page, "Uploaded c.txt to out/taken/.")).toBeVisible();
  await expect(uploads(page)).toBeHidden();
  const on = (name: string) => readFile(ownersFile(server, `out/taken/${name}`), "utf8");
  expect(await Promise.all(["a.txt", "b.txt", "b-2.txt", "c.txt"].map(on))).toEqual([
    "old a.txt",
    "old b.txt",
    "new b.txt",
    "new c.txt",
  ]);
  const replaced = page.getByRole("status", { name: "News" }).locator(".toast", { hasText: "c.txt" });
  await replaced.getByRole("button", { name: "Undo" }).click();
  // The new file goes to the archive before the old one returns.
  await expect.poll(() => on("c.txt").catch(() => "nothing")).toBe("old c.txt");
});

test("a name that somebody took meanwhile is asked about as well", async ({ page, server }) => {
  await mkdir(ownersFile(server, "out/raced"), { recursive: true });
  await openFolder(page, "out/raced");
  await writeFile(ownersFile(server, "out/raced/late.txt"), "theirs");
  await picker(page).setInputFiles(text("late.txt", "mine"));
  await expect(uploads(page).getByText("late.txt already exists in out/raced/.")).toBeVisible();
  await uploads(page).getByRole("button", { name: "Keep both" }).press("Enter");
  await expect(page.getByRole("link", { name: /^late-2\.txt/ })).toBeVisible();
});

test("an upload shows its progress and can be cancelled", async ({ page, server }, info) => {
  await mkdir(ownersFile(server, "out/slow"), { recursive: true });
  await openFolder(page, "out/slow");
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 200_000,
  });
  try {
    await picker(page).setInputFiles(
      await onDisk(info, { "large.txt": "x".repeat(20_000_000), "next.txt": "next" }),
    );
    const bar = uploads(page).getByRole("progressbar", { name: "Uploading large.txt" });
    await expect.poll(async () => Number(await bar.getAttribute("value"))).toBeGreaterThan(0);
    await expect(uploads(page).getByText("Waiting")).toBeVisible();
    await lookAt(page, "[aria-label=Uploads]", "files-upload-progress");
    await uploads(page).getByRole("button", { name: "Cancel" }).first().click();
    await expect(notice(page, "Uploaded next.txt to out/slow/.")).toBeVisible();
    await expect(page.getByRole("link", { name: /^large\.txt/ })).toBeHidden();
  } finally {
    await session.detach();
  }
});

test("an upload that fails says why and can be tried again", async ({ page, server }, info) => {
  await mkdir(ownersFile(server, "out/failing"), { recursive: true });
  await openFolder(page, "out/failing");
  await page.route("**/api/files/content?*", (route) => route.abort());
  await picker(page).setInputFiles(
    await onDisk(info, { "note.txt": "kept", "huge.txt": "x".repeat(25_000_001) }),
  );
  await expect(uploads(page).getByText(/^huge\.txt Larger than 25 MB/)).toBeVisible();
  await expect(uploads(page).getByText(/^note\.txt The server cannot be reached/)).toBeVisible();
  await lookAt(page, "[aria-label=Uploads]", "files-upload-failed");
  await page.unrouteAll();
  const note = uploads(page).getByRole("listitem").filter({ hasText: "note.txt" });
  await note.getByRole("button", { name: "Try again" }).click();
  await expect(notice(page, "Uploaded note.txt to out/failing/.")).toBeVisible();
  await uploads(page).getByRole("button", { name: "Dismiss" }).click();
  await expect(uploads(page)).toBeHidden();
});
