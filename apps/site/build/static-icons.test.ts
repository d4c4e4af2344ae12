import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "svelte/compiler";
import { expect, it } from "vitest";
import { iconMarkup } from "./static-icons.mjs";

const icons = join(import.meta.dirname, "../node_modules/@lucide/svelte/dist/icons");
/** The icons that the page imports. */
const used = [
  ...new Set(
    globSync("apps/site/src/**/*.svelte").flatMap((file) =>
      Array.from(
        readFileSync(file, "utf8").matchAll(/"@lucide\/svelte\/icons\/([\w-]+)"/gu),
        ([, name = ""]) => name,
      ),
    ),
  ),
];

it("finds the icons of the page", () => {
  expect(used.length).toBeGreaterThan(20);
});

it.each(used)("renders %s as markup without expressions", (name) => {
  const source = readFileSync(join(icons, `${name}.svelte`), "utf8");
  const markup = iconMarkup(source) ?? "";
  expect(markup).toMatch(/^<svg [^>]*aria-hidden="true"[^>]*>(?:<\w+(?: [\w-]+="[^"]*")+ \/>)+<\/svg>$/u);
  const shapes = (text: string) =>
    Array.from(text.matchAll(/ d="([^"]+)"|"d": "([^"]+)"/gu), (m) => m[1] ?? m[2]);
  expect(shapes(markup)).toEqual(shapes(source));
  expect(compile(markup, { generate: "client" }).js.code).not.toContain("$.template_effect");
});

it("refuses a source that is not an icon", () => {
  expect(iconMarkup("<script>let props = $props();</script>")).toBeUndefined();
});
