import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { codeBlock, escapeInline, argumentFacts, structureOf, table } from "./markdown.ts";

describe("table", () => {
  it("escapes markup, and keeps every cell on one line", () => {
    expect(
      table(
        ["a", "b"],
        [
          ["x|y\nz", "*bold* `code` <b> [link](x) back\\slash"],
          [undefined, ["p", "q"]],
        ],
      ),
    ).toBe(
      "| a | b |\n| --- | --- |\n| x\\|y z | \\*bold\\* \\`code\\` \\<b\\> \\[link\\](x) back\\\\slash |\n|  | p, q |",
    );
  });

  it("keeps its shape whatever the cells contain: a Markdown reader finds the same rows and columns", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 1, maxLength: 5 }), (rows) => {
        const [token, ...rest] = marked.lexer(table(["a", "b"], rows));
        expect(rest).toEqual([]);
        expect(token).toMatchObject({ type: "table" });
        if (token?.type === "table") expect(token["rows"]).toHaveLength(rows.length);
      }),
    );
  });
});

describe("inline", () => {
  it("keeps an underscore within a word, and escapes one that would be markup", () => {
    expect(escapeInline("IMG_2026_1.jpg _so_ a_ _b")).toBe("IMG_2026_1.jpg \\_so\\_ a\\_ \\_b");
  });

  it("shows a Markdown reader exactly the text", () => {
    const texts = fc.array(fc.constantFrom("_", "a", "1", " ", ".", "ä", "*")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        const [token] = marked.lexer(`x ${escapeInline(text)} x`);
        const shown = token?.type === "paragraph" ? (token.tokens ?? []) : [];
        const plain = shown.map((one) => ("text" in one ? String(one.text) : "")).join("");
        expect(plain).toBe(`x ${text.replaceAll(/\s+/gu, " ").trim()} x`);
        expect(shown.every(({ type }) => type === "text" || type === "escape")).toBe(true);
      }),
    );
  });
});

describe("fenced", () => {
  it("contains any text, unchanged, in one block", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("`", "```", "~", "a", "\n", " ", "# ", "|")).map((parts) => parts.join("")),
        (text) => {
          const [token, ...rest] = marked.lexer(codeBlock(text));
          expect(rest).toEqual([]);
          const code = token?.type === "code" ? String(token["text"]) : undefined;
          // A line end at the very end belongs to the fence.
          expect(code?.replace(/\n$/u, "")).toBe(text.replace(/\n$/u, ""));
        },
      ),
    );
  });
});

describe("structureOf", () => {
  it("renders values as bullets and records as tables, without missing values", () => {
    expect(
      structureOf({
        id: "x",
        gone: undefined,
        none: null,
        list: [1, 2],
        empty: [],
        deep: { a: 1 },
        rows: [{ a: 1 }, { b: "2" }],
      }),
    ).toBe(
      '- id: x\n- none: \n- list: 1, 2\n- empty: \n- deep: {"a":1}\n\nrows:\n\n| a | b |\n| --- | --- |\n| 1 |  |\n|  | 2 |',
    );
  });
});

describe("inline", () => {
  it("joins lines", () => {
    expect(escapeInline("  a\n\tb\u2028c ")).toBe("a b c");
  });
});

describe("listing", () => {
  it("lists the arguments of a call, long ones clipped with their length", () => {
    expect(argumentFacts({ path: "out/x", content: "y".repeat(300), none: undefined, list: ["a"] })).toEqual([
      { label: "path", value: "out/x" },
      { label: "content", value: `${"y".repeat(199)}… (300 characters)` },
      { label: "list", value: '["a"]' },
    ]);
  });
});
