import { describe, expect, it } from "vitest";
import { importStatically, keepSourcePaths, withoutNonAscii } from "./rewrite-imports.mjs";

describe("a source in the bundle", () => {
  const rewritten = (code: string) =>
    keepSourcePaths(code, "/repository/packages/core/scan.ts", "/repository/dist/programs");

  it("finds the files next to itself", () => {
    expect(rewritten('readFileSync(new URL("./scan.wasm", import.meta.url))').text).toBe(
      'readFileSync(new URL("./scan.wasm", new URL("../../packages/core/scan.ts", import.meta.url).href))',
    );
    expect(rewritten('join(import.meta.dirname, "prelude.js")').text).toBe(
      'join((import.meta.dirname + "/../../packages/core"), "prelude.js")',
    );
  });

  it("starts a thread from the bundle and names the source of the thread", () => {
    const { text, threads } = rewritten('new Worker(new URL("./threads/scan.worker.ts", import.meta.url))');
    expect(text).toBe('new Worker(new URL("./scan.worker.mjs", import.meta.url))');
    expect([...threads]).toEqual([["scan.worker.mjs", "/repository/packages/core/threads/scan.worker.ts"]]);
  });

  it("may do both", () => {
    const { text } = rewritten('[new URL("./a.worker.ts", import.meta.url), import.meta.url]');
    expect(text).toBe(
      '[new URL("./a.worker.mjs", import.meta.url), new URL("../../packages/core/scan.ts", import.meta.url).href]',
    );
  });
});

describe("a page", () => {
  it("is imported at the start when the built site would have imported it on demand", () => {
    expect(importStatically('const page = () => import("./chunks/page.mjs").then((n) => n.t);\n')).toBe(
      'import * as $page0 from "./chunks/page.mjs";\nconst page = () => Promise.resolve($page0).then((n) => n.t);\n',
    );
  });

  it("keeps dynamic imports of other modules", () => {
    const code = 'const crypto = () => import("node:crypto");\n';
    expect(importStatically(code)).toBe(code);
  });
});

describe("the text of a program", () => {
  it("is ASCII and has the same meaning", async () => {
    const code =
      'export default ["Größe …", `😀${1}é`, /^[’–]+$/u.test("–’"), new RegExp(String.raw`^\\s€$`, "u").test(" €")];';
    const ascii = withoutNonAscii(code);
    expect(ascii).toMatch(/^[\0-\x7f]*$/);
    const { default: values } = await import(`data:text/javascript,${encodeURIComponent(ascii)}`);
    expect(values).toEqual(["Größe …", "😀1é", true, true]);
  });
});
