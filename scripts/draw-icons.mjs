/// <reference lib="dom" />
// Draws the icons of the installed page from apps/site/public/mark.svg: node scripts/draw-icons.mjs
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { browserFlags, findBrowser } from "./browser/find.mjs";

const PUBLIC = join(import.meta.dirname, "..", "apps", "site", "public");
/** The side of the mark in its icon; a maskable icon may lose everything outside a circle of 80 %. */
const ICONS = [
  { file: "icon-192.png", side: 192, mark: 0.84 },
  { file: "icon-512.png", side: 512, mark: 0.84 },
  { file: "icon-maskable-512.png", side: 512, mark: 0.56 },
  { file: "apple-touch-icon.png", side: 180, mark: 0.68 },
];

const mark = `data:image/svg+xml,${encodeURIComponent(await readFile(join(PUBLIC, "mark.svg"), "utf8"))}`;
const executablePath = findBrowser();
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserFlags() });
const page = await browser.newPage({ colorScheme: "light" });
for (const { file, side, mark: share } of ICONS) {
  await page.setViewportSize({ width: side, height: side });
  await page.setContent(
    `<body style="margin:0;display:grid;place-content:center;height:100vh;background:#fbfaf7">
      <img src="${mark}" style="width:${side * share}px;height:${side * share}px"></body>`,
  );
  await page.locator("img").evaluate(async (image) => {
    if (!(image instanceof HTMLImageElement)) throw new TypeError("The mark is not an image element.");
    await image.decode();
  });
  await page.screenshot({ path: join(PUBLIC, file) });
}
await browser.close();
