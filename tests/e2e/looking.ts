import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, type Page } from "@playwright/test";
import axe from "axe-core";
import { z } from "zod";

const SCREENS = resolve(import.meta.dirname, "../../artifacts/screens");

const RULES = {
  all: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  colours: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

const Violations = z.array(z.object({ id: z.string(), help: z.string(), at: z.array(z.string()) }));

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 844 };

/** Looks at the page as it stands, in both themes: axe finds nothing, and a picture of each is kept for a person. */
export async function look(page: Page, screen: string): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  await useTheme(page, "dark");
  await keepScreen(page, `${screen}-dark-${width}`);
  await expectAccessible(page, `${screen}, dark, ${width}`, "colours");
  await useTheme(page, "light");
  await keepScreen(page, `${screen}-light-${width}`);
  await expectAccessible(page, `${screen}, light, ${width}`, "all");
}

/** Looks at one part of the page, in both themes and at both widths; the page is as before afterwards. */
export async function lookAt(page: Page, part: string, screen: string): Promise<void> {
  const before = page.viewportSize();
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size);
    await page.locator(part).scrollIntoViewIfNeeded();
    for (const theme of ["dark", "light"] as const) {
      await useTheme(page, theme);
      const where = `${screen}-${theme}-${size.width}`;
      // Two of the four show both.
      if ((theme === "dark") === (size === NARROW)) await keepScreen(page, where);
      // What is not a colour is the same in both themes, and but for its place at both widths.
      await expectAccessible(page, where, theme === "light" && size === WIDE ? "all" : "colours", part);
    }
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** Shows the page in a theme, with no colour still on its way from the one before. */
async function useTheme(page: Page, colorScheme: "dark" | "light"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.evaluate(`for (const motion of document.getAnimations())
    if (Number.isFinite(motion.effect.getComputedTiming().endTime)) motion.finish()`);
}

/**
 * Fails with every accessibility problem axe finds on the page as it stands, or in one part of it (WCAG 2.2 AA and good
 * practice); with `colours`, with those that depend on the theme alone.
 */
export async function expectAccessible(
  page: Page,
  where: string,
  rules: "all" | "colours",
  part = "html",
): Promise<void> {
  // It stays with the document: bringing it costs as much as a look.
  if ((await page.evaluate<unknown>("typeof axe")) === "undefined") await page.evaluate(axe.source);
  const options = { runOnly: RULES[rules], resultTypes: ["violations"], selectors: false };
  const found = await page.evaluate<unknown>(
    `axe.run(${JSON.stringify({ include: [[part]] })}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) })))`,
  );
  expect(Violations.parse(found), where).toEqual([]);
}

/** Keeps a picture of the page for a person to look at. */
export async function keepScreen(page: Page, name: string): Promise<void> {
  await mkdir(SCREENS, { recursive: true });
  await page.screenshot({ path: join(SCREENS, `${name}.png`), animations: "disabled", caret: "hide" });
}
