import { describe, expect, it } from "vitest";
import { pageAsTsx } from "./page-as-tsx.ts";

describe("a page as TypeScript understands it", () => {
  it("holds what the page computes and what it draws", () => {
    const page =
      '---\nimport Page from "./Page.svelte";\nconst { url } = Astro;\n---\n<Page {url} client:load />\n';
    const code = pageAsTsx("src/pages/index.astro", page);
    expect(code).toContain("const { url } = Astro;");
    expect(code).toContain("<Page url={url} client:load />");
  });

  it("is refused where the page cannot be read", () => {
    expect(() => pageAsTsx("src/pages/broken.astro", "---\nconst = ;\n---\n<p>")).toThrow("broken.astro: ");
  });

  it("is refused where a script would be passed over", () => {
    const page = "<p>Hello</p>\n<script>\nconst n: number = '';\n</script>\n";
    expect(() => pageAsTsx("src/pages/greeting.astro", page)).toThrow("in a module of its own");
  });
});
