import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type CDPSession, type Page } from "@playwright/test";
import { z } from "zod";

const SCREENS = resolve(import.meta.dirname, "../../artifacts/screens");

/**
 * `METAHUMAN_EVERY_PICTURE=1` keeps pictures of both widths in both themes. Otherwise, one of each width is kept, in another
 * theme than the other: taking a picture costs as much as a check.
 */
const EVERY_PICTURE = process.env["METAHUMAN_EVERY_PICTURE"] !== undefined;

/** The smaller of its two files: it is read anew in each document. Without copies of the source of each element, a check is faster. */
const AXE = `${readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")}
  axe.configure({ noHtml: true });`;

const RULES = {
  all: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  colors: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

const Violations = z.array(z.object({ id: z.string(), help: z.string(), at: z.array(z.string()) }));

const WIDE = { width: 1280, height: 720 };
const NARROW = { width: 390, height: 844 };

const Theme = z.enum(["light", "dark"]);
type Theme = z.infer<typeof Theme>;
const other = (theme: Theme): Theme => (theme === "light" ? "dark" : "light");

/**
 * Checks the current page in both themes: axe finds nothing. A picture is kept for a person. Where the page was looked at
 * before and only a part of it is new, axe looks at that part.
 */
export async function look(page: Page, screen: string, part = "html"): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  const there = await standStill(page);
  for (const theme of [there, other(there)]) {
    if (theme !== there) await page.emulateMedia({ colorScheme: theme });
    const where = `${screen}-${theme}-${width}`;
    if (isKept(theme, width)) await takePicture(page, where);
    // Everything except colors is the same in both themes.
    await expectAccessible(page, where, theme === there ? "all" : "colors", part);
  }
}

/** Checks one part of the page, in both themes and at both widths, and restores both. */
export async function lookAt(page: Page, part: string, screen: string): Promise<void> {
  const before = page.viewportSize();
  const there = await standStill(page);
  for (const [size, theme] of [
    [WIDE, there],
    [WIDE, other(there)],
    [NARROW, other(there)],
    [NARROW, there],
  ] as const) {
    if (size !== page.viewportSize()) await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(part).scrollIntoViewIfNeeded();
    const where = `${screen}-${theme}-${size.width}`;
    if (isKept(theme, size.width)) await keepScreen(page, where);
    // Everything except colors is the same in both themes, and everything except positions at both widths.
    await expectAccessible(page, where, theme === there && size === WIDE ? "all" : "colors", part);
  }
  if (before) await page.setViewportSize(before);
}

/** Whether a picture is kept: usually of wide pages in the light theme and of narrow pages in the dark one. */
const isKept = (theme: Theme, width: number): boolean =>
  EVERY_PICTURE || (theme === "dark") === (width === NARROW.width);

/** Stops all animations and transitions of a document, because waiting for them takes longer than the check. */
const STILL = `*, ::before, ::after, ::placeholder, ::backdrop {
  transition: none !important; animation-duration: 0s !important; animation-delay: 0s !important;
  scroll-behavior: auto !important; caret-color: transparent !important; }`;

/** Stops the animations of the page; returns its theme. */
async function standStill(page: Page): Promise<Theme> {
  const theme = await page.evaluate<unknown>(`(() => {
    if (!globalThis.still) {
      globalThis.still = new CSSStyleSheet();
      still.replaceSync(${JSON.stringify(STILL)});
      document.adoptedStyleSheets.push(still);
    }
    for (const motion of document.getAnimations())
      if (Number.isFinite(motion.effect.getComputedTiming().endTime)) motion.finish();
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  })()`);
  return Theme.parse(theme);
}

/**
 * Fails with every accessibility problem that axe finds on the current page, or in one part of it (WCAG 2.2 AA and good
 * practice); with `colors`, with those that depend on the theme alone.
 */
export async function expectAccessible(
  page: Page,
  where: string,
  rules: "all" | "colors",
  part = "html",
): Promise<void> {
  const options = {
    runOnly: RULES[rules],
    resultTypes: ["violations"],
    selectors: false,
    elementRef: true,
    // Style sheets and media are loaded for rules that report no violations, or are not among these.
    preload: false,
  };
  const find = `globalThis.axe?.run(${JSON.stringify({ include: [[part]] })}, ${JSON.stringify(options)}).then(
    ({ violations }) => violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ element }) => element.outerHTML.slice(0, 300)) })))`;
  let found = await page.evaluate<unknown>(find);
  if (found === undefined) {
    // Loaded once per document, because loading takes as long as a check; Playwright's own way takes twice as long.
    const session = await sessionOf(page);
    await session.send("Runtime.evaluate", { expression: AXE });
    found = await page.evaluate<unknown>(find);
  }
  expect(Violations.parse(found), where).toEqual([]);
}

/** Stores a picture of the page without animations, for a person to look at. */
export async function keepScreen(page: Page, name: string): Promise<void> {
  await standStill(page);
  await takePicture(page, name);
}

/** The DevTools session of each page. */
const sessions = new WeakMap<Page, CDPSession>();

async function sessionOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  return session;
}

async function takePicture(page: Page, name: string): Promise<void> {
  const session = await sessionOf(page);
  // The browser compresses a picture quickly only on request.
  const { data } = await session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
  await mkdir(SCREENS, { recursive: true });
  await writeFile(join(SCREENS, `${name}.png`), data, "base64");
}
