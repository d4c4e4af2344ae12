import { describe, expect, it } from "vitest";
import { pageAsTsx } from "./page-as-tsx.ts";

describe("a page as TSX", () => {
  it("contains the script and the template of the page", () => {
    const page =
      '---\nimport Page from "./Page.svelte";\nconst { url } = Astro;\n---\n<Page {url} client:load />\n';
    const code = pageAsTsx("src/pages/index.astro", page);
    expect(code).toContain("const { url } = Astro;");
    expect(code).toContain("<Page url={url} client:load />");
  });

  it("is rejected if the page cannot be parsed", () => {
    expect(() => pageAsTsx("src/pages/broken.astro", "---\nconst = ;\n---\n<p>")).toThrow("broken.astro: ");
  });

  it("is rejected if a script would be omitted", () => {
    const page = "<p>Hello</p>\n<script>\nconst n: number = '';\n</script>\n";
    expect(() => pageAsTsx("src/pages/greeting.astro", page)).toThrow("in a module of its own");
  });
});
