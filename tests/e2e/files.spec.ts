import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { FileContent } from "@metahuman/core/contract/files";
import { lookAt } from "./looking.ts";
import { alive, answered, ask, expect, lastEntry, openChat, ownersFile, test } from "./support.ts";

/** A picture of four pixels. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFUlEQVR4nGP8z8DAwMDAxAADCBYAGCIBBW2+fPsAAAAASUVORK5CYII=",
  "base64",
);

test.beforeEach(async ({ server }) => {
  await mkdir(ownersFile(server, "out/garden"), { recursive: true });
  const put = (path: string, content: string | Buffer) =>
    writeFile(ownersFile(server, `out/garden/${path}`), content);
  await put("plan.md", "# Garden\n\n- **rake** the leaves\n- <img src=x onerror=alert(1)>\n");
  await put("seeds.csv", 'name,price\n"Beans, dwarf",2.50\nKale,1.80\n');
  await put("beds.json", '{"beds":[{"name":"north","metres":4}]}');
  await put("sketch.png", PNG);
  await put("notes.txt", "one\ntwo\nthree\n");
  await put("archive.bin", Buffer.from([0, 1, 2, 255]));
});

// The server refuses a picture as text, a stale version and a taken path.
test.use({ expectedComplaints: /status of (404|409|422)/ });

test("files are listed, found and previewed by type", async ({ page }) => {
  await page.goto("/files");
  await alive(page);
  await lookAt(page, "html", "files-roots");
  await page.getByRole("link", { name: "out/", exact: false }).click();
  await page.getByRole("link", { name: /^garden\// }).click();
  await expect(page).toHaveURL(/folder=out%2Fgarden/);
  const detail = page.getByRole("region", { name: "Selected file" });

  await page.getByRole("link", { name: /^plan\.md/ }).click();
  await expect(detail.getByRole("heading", { name: "Garden" })).toBeVisible();
  await expect(detail.getByText("<img src=x onerror=alert(1)>")).toBeVisible();
  await lookAt(page, "[aria-label='Selected file']", "files-markdown");
  await detail.getByText("Source", { exact: true }).click();
  await expect(detail.getByText("- **rake** the leaves")).toBeVisible();
  await detail.getByText("Preview", { exact: true }).click();

  await page.getByRole("link", { name: /^seeds\.csv/ }).click();
  await expect(detail.getByRole("columnheader", { name: "price" })).toBeVisible();
  await expect(detail.getByRole("cell", { name: "Beans, dwarf" })).toBeVisible();
  await lookAt(page, "[aria-label='Selected file']", "files-table");
  await page.getByRole("link", { name: /^beds\.json/ }).click();
  await expect(detail.getByRole("group", { name: "Text of beds.json" })).toContainText(
    '      "name": "north",',
  );
  await page.getByRole("link", { name: /^sketch\.png/ }).click();
  const picture = detail.getByRole("img", { name: "sketch.png" });
  await expect.poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(2);
  await page.getByRole("link", { name: /^archive\.bin/ }).click();
  await expect(detail.getByText("This file is not text")).toBeVisible();

  await page.goBack();
  await expect(picture).toBeVisible();
  await page.getByRole("link", { name: "All files" }).click();
  await page.getByLabel("Search names in all files").fill("kale seeds");
  await expect(page.getByText("No matches. Try fewer or other words.")).toBeVisible();
  await page.getByLabel("Search names in all files").fill("seeds");
  await page.getByRole("link", { name: /^out\/garden\/seeds\.csv/ }).click();
  await expect(detail.getByRole("table")).toBeVisible();
  await page.reload();
  await expect(detail.getByRole("table")).toBeVisible();
});

test("a text is edited by keyboard, saved and undone", async ({ page, server }) => {
  await page.goto("/files?file=out/garden/notes.txt");
  await alive(page);
  await page.getByRole("button", { name: "Edit" }).press("Enter");
  const field = page.getByLabel("Text of the file");
  await expect(field).toBeFocused();
  await field.fill("one\ntwo\nfour\n");
  await lookAt(page, "[aria-label='Selected file']", "files-editor");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("alert")).toContainText("unsaved changes");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await field.press("Control+s");
  await expect(page.getByText("Saved notes.txt.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Edit" })).toBeFocused();
  expect(await readFile(ownersFile(server, "out/garden/notes.txt"), "utf8")).toBe("one\ntwo\nfour\n");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("group", { name: "Text of notes.txt" })).toContainText("three");
});

test("unsaved changes are asked about before another file, a folder, a dialog or Back takes their place", async ({
  page,
  server,
}) => {
  await page.goto("/files?folder=out/garden");
  await alive(page);
  await page.getByRole("link", { name: /^notes\.txt/ }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  const field = page.getByLabel("Text of the file");
  await field.fill("one\nmine\n");
  const isKept = async (): Promise<void> => {
    await expect(page.getByRole("alert")).toContainText("unsaved changes");
    await page.getByRole("button", { name: "Keep editing" }).click();
    await expect(field).toHaveValue("one\nmine\n");
    await expect(field).toBeFocused();
    await expect(page).toHaveURL(/notes\.txt/);
  };
  const other = page.getByRole("link", { name: /^plan\.md/ });
  await other.click();
  await lookAt(page, "[aria-label='Selected file']", "files-unsaved");
  await isKept();
  await page.getByRole("link", { name: "All files" }).click();
  await isKept();
  await page.getByRole("button", { name: "New file" }).click();
  await isKept();
  await page.goBack();
  await isKept();
  await other.click();
  await page.getByRole("alert").locator("..").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Garden" })).toBeVisible();
  expect(await readFile(ownersFile(server, "out/garden/notes.txt"), "utf8")).toBe("one\nmine\n");
});

test("a text that somebody else saved meanwhile is not overwritten", async ({ page, server }) => {
  const path = ownersFile(server, "out/garden/notes.txt");
  await page.goto("/files?file=out/garden/notes.txt");
  await alive(page);
  await page.getByRole("button", { name: "Edit" }).click();
  const field = page.getByLabel("Text of the file");
  await field.fill("one\ntwo\nthree\nmine\n");
  await writeFile(path, "theirs\ntwo\nthree\n");
  await field.press("Control+s");
  await expect(page.getByText("This file was saved elsewhere in the meantime")).toBeVisible();
  expect(await readFile(path, "utf8")).toBe("theirs\ntwo\nthree\n");
  await lookAt(page, "[aria-label='Selected file']", "files-conflict");
  await page.getByRole("button", { name: "Merge my changes into theirs" }).click();
  await expect(page.getByText("Saved notes.txt.")).toBeVisible();
  expect(await readFile(path, "utf8")).toBe("theirs\ntwo\nthree\nmine\n");
});

test("what another window saves or deletes shows at once, and a save that it replaced is no longer undone", async ({
  page,
  owner,
}) => {
  await owner.send("PUT", "/api/files/content", { path: "out/mooring.txt", content: "rope" });
  await page.goto("/files?folder=out&file=out/mooring.txt");
  await alive(page);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Text of the file").fill("chain");
  await page.getByRole("button", { name: "Save" }).click();
  const saved = page.getByText("Saved mooring.txt.");
  await expect(saved).toBeVisible();
  const { version } = FileContent.parse((await owner.get("/api/files/content?path=out/mooring.txt")).body);
  await owner.send("PUT", "/api/files/content", { path: "out/mooring.txt", content: "anchor", version });
  await expect(page.getByRole("group", { name: "Text of mooring.txt" })).toContainText("anchor");
  await expect(saved).toBeHidden();
  await owner.send("DELETE", "/api/files?path=out/mooring.txt");
  await expect(page.getByRole("link", { name: /^mooring\.txt/ })).toHaveCount(0);
});

test("after Undo by keyboard the focus is where it was before, not lost", async ({ page, owner }) => {
  await owner.send("PUT", "/api/files/content", { path: "out/buoy.txt", content: "red" });
  await page.goto("/files?folder=out&file=out/buoy.txt");
  await alive(page);
  await page.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(page.getByRole("link", { name: /^buoy\.txt/ })).toBeVisible();
  await expect(page.locator("main")).toBeFocused();
});

test("a file is created, renamed, downloaded, deleted and restored", async ({ page, server }) => {
  await page.goto("/files?folder=out/garden");
  await alive(page);
  await page.getByRole("button", { name: "New file" }).click();
  const path = page.getByLabel("Path");
  await path.fill("out/garden/plan.md");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("out/garden/plan.md already exists.")).toBeVisible();
  await lookAt(page, "dialog[open]", "files-new");
  await path.fill("out/garden/tools.txt");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByLabel("Text of the file").fill("a spade");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await path.fill("out/shed/tools.txt");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText("Moved tools.txt to out/shed/.")).toBeVisible();
  expect(await readFile(ownersFile(server, "out/shed/tools.txt"), "utf8")).toBe("a spade");
  await expect(page).toHaveURL(/folder=out%2Fshed/);

  // A path that ends with a slash is a folder, which takes the file; a new file needs a name.
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await path.fill("out/garden/");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText("Moved tools.txt to out/garden/.")).toBeVisible();
  expect(await readFile(ownersFile(server, "out/garden/tools.txt"), "utf8")).toBe("a spade");
  await page.getByRole("button", { name: "Undo" }).last().click();
  // The notice of the first move may still be there.
  await expect(page.getByText("Moved tools.txt to out/shed/.").last()).toBeVisible();
  await expect(async () =>
    expect(await readFile(ownersFile(server, "out/shed/tools.txt"), "utf8")).toBe("a spade"),
  ).toPass();
  await expect(page).toHaveURL(/file=out%2Fshed%2Ftools\.txt/);
  await page.getByRole("button", { name: "New file" }).click();
  await path.fill("out/shed/rakes/");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("Add the name of the file after the folder.")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();

  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("tools.txt");

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByText("Deleted tools.txt.")).toBeVisible();
  await expect(page.getByText("This folder is empty.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByRole("link", { name: /^tools\.txt/ })).toBeVisible();

  await page.getByRole("button", { name: /^More about / }).click();
  await page.getByRole("button", { name: "Delete folder" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Deleted shed.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByRole("link", { name: /^shed\// })).toBeVisible();
});

test("undoing a move into a new folder removes the folder, unless it has another file", async ({
  page,
  owner,
  server,
}) => {
  const shed = (path: string) => existsSync(ownersFile(server, `out/attic/${path}`));
  for (const isKept of [false, true]) {
    await owner.send("PUT", "/api/files/content", { path: `out/attic/lamp-${isKept}.md`, content: "bright" });
    await page.goto(`/files?file=out/attic/lamp-${isKept}.md`);
    await alive(page);
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByLabel("Path").fill(`out/attic/boxes/old/lamp-${isKept}.md`);
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await expect(page.getByText(`Moved lamp-${isKept}.md to out/attic/boxes/old/.`)).toBeVisible();
    if (isKept)
      await owner.send("PUT", "/api/files/content", { path: "out/attic/boxes/new.md", content: "stays" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect(page.getByText(`Moved lamp-${isKept}.md to out/attic/.`)).toBeVisible();
    await expect.poll(() => shed("boxes")).toBe(isKept);
    expect(shed(`lamp-${isKept}.md`)).toBe(true);
  }
  expect(shed("boxes/new.md")).toBe(true);
  // A folder that was there before stays, although it is empty.
  await owner.send("DELETE", "/api/files?path=out/attic/boxes/new.md");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByLabel("Path").fill("out/attic/boxes/lamp-true.md");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText("Moved lamp-true.md to out/attic/boxes/.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByText("Moved lamp-true.md to out/attic/.").last()).toBeVisible();
  await expect(page.getByRole("link", { name: /^boxes\// })).toBeVisible();
});

test("a saved text is undone after its file was renamed, and a missing file leads to the archive", async ({
  page,
  server,
  owner,
}) => {
  await owner.send("PUT", "/api/files/content", { path: "out/fete.md", content: "balloons" });
  await page.goto("/files?file=out/fete.md");
  await alive(page);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Text of the file").fill("candles");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByLabel("Path").pressSequentially("party");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText("Renamed fete.md to party.md.")).toBeVisible();
  await page
    .getByRole("status", { name: "News" })
    .locator("div", { hasText: "Saved fete.md." })
    .getByRole("button", { name: "Undo" })
    .first()
    .click();
  await expect.poll(async () => await readFile(ownersFile(server, "out/party.md"), "utf8")).toBe("balloons");

  await page.goto("/files?file=out/fete.md");
  await expect(page.getByText(/^There is nothing at out\/fete\.md\. Similar names: /)).toBeVisible();
  await page.getByRole("link", { name: "Search the archive for it" }).click();
  await expect(page).toHaveURL(/\/memory\?tab=archive/);
});

test("a file that an answer names opens from there", async ({ page }) => {
  await openChat(page);
  await ask(page, 'create a file called list.md with the text "- milk"');
  await answered(page);
  await lastEntry(page).getByRole("link", { name: "out/list.md" }).click();
  await expect(page).toHaveURL(/\/files\?file=out%2Flist\.md/);
  const detail = page.getByRole("region", { name: "Selected file" });
  await expect(detail.getByRole("listitem").filter({ hasText: "milk" })).toBeVisible();
});

test("commands find a file by its name and open it in its folder", async ({ page }) => {
  await openChat(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("seeds");
  const found = page.getByRole("option", { name: "out/garden/seeds.csv" });
  await expect(found).toBeVisible();
  await found.click();
  await page.waitForURL(/\/files\?folder=out%2Fgarden&file=out%2Fgarden%2Fseeds\.csv#detail$/);
  await expect(
    page.getByRole("region", { name: "Selected file" }).getByRole("columnheader", { name: "price" }),
  ).toBeVisible();
});

test("formulas of a Markdown file are rendered, and prices stay text", async ({ page, server }) => {
  const text = String.raw`# Area

The area is $\pi r^2$, and 2 tickets cost $5 and $6.

$$
\int_0^1 x^2\,dx = \frac{1}{3}
$$

Broken: $\frac{1}$ and $\href{javascript:alert(1)}{x}$ and $\label{main} y$.
`;
  await writeFile(ownersFile(server, "out/garden/area.md"), text);
  await page.goto("/files?folder=out%2Fgarden&file=out%2Fgarden%2Farea.md");
  await alive(page);
  const detail = page.getByRole("region", { name: "Selected file" });
  await expect(detail.locator("math").first()).toContainText("π");
  await expect(detail.locator("math[display=block] mfrac")).toBeVisible();
  await expect(detail.getByText("2 tickets cost $5 and $6.")).toBeVisible();
  // Unreadable Markdown and unsafe links stay as written.
  await expect(detail.getByText(String.raw`$\frac{1}$`)).toBeVisible();
  await expect(detail.locator("math [href], math [id], math a")).toHaveCount(0);
  await lookAt(page, "[aria-label='Selected file']", "files-formulas");
});

test("Escape asks before a typed path is lost, and the file is created from there", async ({ page }) => {
  await page.goto("/files?folder=out/garden");
  await alive(page);
  await page.getByRole("button", { name: "New file" }).click();
  const dialog = page.getByRole("dialog", { name: "New file" });
  const path = dialog.getByLabel("Path");
  await path.fill("out/garden/hedge.txt");
  await page.keyboard.press("Escape");
  await expect(dialog.getByText("You have unsaved changes.")).toBeVisible();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await expect(path).toBeFocused();
  await expect(path).toHaveValue("out/garden/hedge.txt");
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByLabel("Text of the file")).toBeFocused();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("a file is edited, deleted and taken back with the keyboard alone", async ({ page, server }) => {
  const text = async () => await readFile(ownersFile(server, "out/garden/notes.txt"), "utf8");
  await page.goto("/files?folder=out/garden");
  await alive(page);
  await page.getByRole("link", { name: /^notes\.txt/ }).press("Enter");
  await page.getByRole("button", { name: "Edit" }).press("Enter");
  await page.getByLabel("Text of the file").fill("four");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("Saved notes.txt.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Edit" })).toBeFocused();
  await page.keyboard.press("u");
  await expect.poll(text).toBe("one\ntwo\nthree\n");
  await page.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  await expect(page.getByText("Deleted notes.txt.")).toBeVisible();
  await expect(page.locator("#main")).toBeFocused();
  await page.keyboard.press("u");
  await expect(page.getByRole("link", { name: /^notes\.txt/ })).toBeVisible();
  expect(await text()).toBe("one\ntwo\nthree\n");
});
