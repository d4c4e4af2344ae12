// Draws the icons of the installed page from public/mark.svg: node apps/site/build/draw-icons.mjs
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { browserFlags, findBrowser } from "../../../scripts/browser/find.mjs";

const PUBLIC = join(import.meta.dirname, "..", "public");
/** The side of the mark in its icon; a maskable icon may lose everything outside a circle of 80 %. */
const ICONS = [
  { file: "icon-192.png", side: 192, mark: 0.84 },
  { file: "icon-512.png", side: 512, mark: 0.84 },
  { file: "icon-maskable-512.png", side: 512, mark: 0.56 },
  { file: "apple-touch-icon.png", side: 180, mark: 0.68 },
];

const mark = `data:image/svg+xml,${encodeURIComponent(await readFile(join(PUBLIC, "mark.svg"), "utf8"))}`;
const browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags() });
const page = await browser.newPage({ colorScheme: "light" });
for (const { file, side, mark: share } of ICONS) {
  await page.setViewportSize({ width: side, height: side });
  await page.setContent(
    `<body style="margin:0;display:grid;place-content:center;height:100vh;background:#fbfaf7">
      <img src="${mark}" style="width:${side * share}px;height:${side * share}px"></body>`,
  );
  await page.locator("img").evaluate((image) => image.decode());
  await page.screenshot({ path: join(PUBLIC, file) });
}
await browser.close();
