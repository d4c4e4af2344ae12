import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  followable,
  readData,
  GrowingMarkdown,
  MAX_MARKDOWN,
  parseMarkdown,
  type Block,
  type Inline,
} from "./markdown.ts";

const ATTACKS = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[click](javascript:alert(1))",
  "[click](JaVaScRiPt:alert(1))",
  "[click](java\tscript:alert(1))",
  "[click](&#106;avascript:alert(1))",
  "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[click](vbscript:msgbox(1))",
  "[click](blob:https://a/b)",
  "![x](javascript:alert(1))",
  "![track](https://evil.example/pixel.png)",
  "<a href='javascript:alert(1)'>x</a>",
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  "**<svg/onload=alert(1)>**",
];

function addresses(blocks: readonly Block[]): string[] {
  const inInlines = (inlines: readonly Inline[]): string[] =>
    inlines.flatMap((inline) => [
      ...(inline.kind === "link" ? [inline.href] : []),
      ...("children" in inline ? inInlines(inline.children) : []),
    ]);
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case "paragraph":
      case "heading":
        return inInlines(block.children);
      case "quote":
        return addresses(block.blocks);
      case "list":
        return block.items.flatMap((item) => addresses(item.blocks));
      case "table":
        return [...block.header, ...block.rows.flat()].flatMap(inInlines);
      case "code":
      case "rule":
        return [];
      default:
        return block satisfies never;
    }
  });
}

/** Every formula of a text, in order, with `display` if it is a block of its own. */
function formulas(text: string): string[] {
  const inInlines = (inlines: readonly Inline[]): string[] =>
    inlines.flatMap((inline) => {
      if (inline.kind === "math") return [inline.display ? `display ${inline.tex}` : inline.tex];
      return "children" in inline ? inInlines(inline.children) : [];
    });
  return parseMarkdown(text).flatMap((block) =>
    block.kind === "paragraph"
      ? inInlines(block.children)
      : block.kind === "table"
        ? block.rows.flat().flatMap(inInlines)
        : [],
  );
}

describe("formulas", () => {
  it.each([
    ["The area is $\\pi r^2$, and $a_1 + b_1$ follows.", ["\\pi r^2", "a_1 + b_1"]],
    ["$$\n\\int_0^1 x^2\\,dx = \\frac{1}{3}\n$$", ["display \\int_0^1 x^2\\,dx = \\frac{1}{3}"]],
    ["So $$E = mc^2$$ holds.", ["display E = mc^2"]],
    ["\\[ x = \\frac{-b}{2a} \\]\n\nwith \\(a \\ne 0\\).", ["display x = \\frac{-b}{2a}", "a \\ne 0"]],
    ["**$x$** and (*$y$*)", ["x", "y"]],
    ["| n | sum |\n| --- | --- |\n| $n^2$ | 4 |", ["n^2"]],
    ["$2x + 3 = 7$", ["2x + 3 = 7"]],
  ])("are recognized in %j", (text, expected) => {
    expect(formulas(text)).toEqual(expected);
  });

  it.each([
    "It costs $5 and $6.",
    "Between $5 and 6$ each.",
    "$5-$6, US$7/US$8, 9$ or 10$",
    "(5$) or (6$)",
    "$HOME and $PATH, $HOME/$PATH",
    "Pay $1,200.50 now and $ 300 later, $",
    "`$x$` is code",
    "see \\[1\\]",
    "$$",
    "$$ $$",
  ])("are not recognized in %j", (text) => {
    expect(formulas(text)).toEqual([]);
  });

  it("stay text in data that a skill created", () => {
    expect(readData("$x^2$")).toEqual([{ kind: "paragraph", children: [{ kind: "text", text: "$x^2$" }] }]);
  });

  it("appear once they are complete while an answer is streamed", () => {
    const reader = new GrowingMarkdown();
    const text = "So:\n\n$$\nx^2\n$$\n\nand $y$ too.";
    for (let end = 1; end < text.length; end += 1) reader.read(text.slice(0, end));
    expect(reader.read(text)).toEqual(parseMarkdown(text));
    expect(formulas(text)).toEqual(["display x^2", "y"]);
  });
});

describe("readMarkdown", () => {
  it("parses the Markdown of people and models", () => {
    expect(parseMarkdown("## Two\n\n1. **a**\n2. [b](https://example.org/x)\n\n- [x] done\n")).toEqual([
      { kind: "heading", depth: 2, children: [{ kind: "text", text: "Two" }] },
      {
        kind: "list",
        start: 1,
        items: [
          {
            checked: undefined,
            blocks: [
              { kind: "paragraph", children: [{ kind: "strong", children: [{ kind: "text", text: "a" }] }] },
            ],
          },
          {
            checked: undefined,
            blocks: [
              {
                kind: "paragraph",
                children: [
                  { kind: "link", href: "https://example.org/x", children: [{ kind: "text", text: "b" }] },
                ],
              },
            ],
          },
        ],
      },
      {
        kind: "list",
        start: undefined,
        items: [
          { checked: true, blocks: [{ kind: "paragraph", children: [{ kind: "text", text: "done" }] }] },
        ],
      },
    ]);
  });

  it("excludes a closing quotation mark from an address", () => {
    expect(parseMarkdown("“https://example.org/”.")).toEqual([
      {
        kind: "paragraph",
        children: [
          { kind: "text", text: "“" },
          {
            kind: "link",
            href: "https://example.org/",
            children: [{ kind: "text", text: "https://example.org/" }],
          },
          { kind: "text", text: "”" },
          { kind: "text", text: "." },
        ],
      },
    ]);
  });

  it("keeps line breaks and decodes character references once", () => {
    expect(parseMarkdown("a &amp;lt; b\n&#x263A;")).toEqual([
      {
        kind: "paragraph",
        children: [{ kind: "text", text: "a &lt; b" }, { kind: "break" }, { kind: "text", text: "☺" }],
      },
    ]);
  });

  it.each(ATTACKS)("links only plain addresses in %j", (attack) => {
    for (const address of addresses(parseMarkdown(`before ${attack}\n\n${attack}`))) {
      expect(address).toMatch(/^https:\/\/evil\.example\//);
    }
  });

  it("shows markup as text", () => {
    expect(parseMarkdown("<b>hi</b>")).toEqual([
      {
        kind: "paragraph",
        children: [
          { kind: "text", text: "<b>" },
          { kind: "text", text: "hi" },
          { kind: "text", text: "</b>" },
        ],
      },
    ]);
  });

  it("never throws and never links code, whatever the text", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 16 }),
      fc.constantFrom(...ATTACKS, "> ", "- ", "|a|b|\n|-|-|\n", "```", "\n", "`", "*"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        for (const address of addresses(parseMarkdown(pieces.join(""))))
          expect(address).toMatch(/^(https?|mailto):/);
      }),
    );
  });

  it("shows a text that is too long or nested too deeply unchanged", () => {
    expect(JSON.stringify(parseMarkdown("> ".repeat(20_000) + "deep")).length).toBeLessThan(200_000);
    const long = "x".repeat(MAX_MARKDOWN + 1);
    expect(parseMarkdown(long)).toEqual([{ kind: "code", language: "", text: long }]);
  });
});

describe("citations", () => {
  it("are recognized in an answer, and not in data, code or links", () => {
    expect(parseMarkdown("Milk [2, 3] is **there [1]**.")).toEqual([
      {
        kind: "paragraph",
        children: [
          { kind: "text", text: "Milk " },
          { kind: "citation", steps: [2, 3] },
          { kind: "text", text: " is " },
          {
            kind: "strong",
            children: [
              { kind: "text", text: "there " },
              { kind: "citation", steps: [1] },
            ],
          },
          { kind: "text", text: "." },
        ],
      },
    ]);
    for (const blocks of [
      readData("Milk [2]"),
      parseMarkdown("`a[1]`"),
      parseMarkdown("[1](https://a.example)"),
    ])
      expect(JSON.stringify(blocks)).not.toContain("citation");
  });
});

describe("readData", () => {
  it("renders tables, lists and fences, and keeps the words in them unchanged", () => {
    const text =
      "| memory |\n| --- |\n| \\*\\*x\\*\\* **y** [z](https://e.example) <b> |\n\n- path: out/_a_.md\n\n```\n# no heading\n```";
    const [table, list, fence] = readData(text);
    expect(table?.kind === "table" && words(table.rows[0]?.[0] ?? [])).toBe(
      "**x** **y** [z](https://e.example) <b>",
    );
    const item = list?.kind === "list" ? list.items[0]?.blocks[0] : undefined;
    expect(item?.kind === "paragraph" && words(item.children)).toBe("path: out/_a_.md");
    expect(fence).toEqual({ kind: "code", language: "", text: "# no heading" });
  });

  it.each(ATTACKS)("links nothing in %j", (attack) => {
    expect(addresses(readData(`- ${attack}\n\n${attack}`))).toEqual([]);
  });
});

describe("followable", () => {
  it.each(["https://example.org/", "http://127.0.0.1:4321/", "mailto:a@example.org"])("keeps %s", (href) => {
    expect(followable(href)).toBe(href);
  });
  it.each(["javascript:alert(1)", "//evil.example", "/runs", "data:,x", "file:///etc/passwd", ""])(
    "refuses %j",
    (href) => {
      expect(followable(href)).toBeUndefined();
    },
  );
});

describe("GrowingMarkdown", () => {
  it("ends with the result of parsing the whole text, whatever the pieces", () => {
    const lines = fc.constantFrom(
      "# a",
      "text",
      "- one",
      "- two",
      "",
      "```",
      "code",
      "> q",
      "1. n",
      "|a|b|",
      "|-|-|",
      "|1|2|",
      "**b**",
      "---",
    );
    fc.assert(
      fc.property(
        fc.array(lines, { maxLength: 40 }),
        fc.array(fc.nat({ max: 20 }), { maxLength: 40 }),
        (parts, cuts) => {
          const text = parts.join("\n");
          const growing = new GrowingMarkdown();
          let length = 0;
          for (const cut of cuts) growing.read(text.slice(0, (length += cut)));
          expect(plainText(growing.read(text))).toBe(plainText(parseMarkdown(text)));
        },
      ),
      { examples: [[["# a", "# a", "1. n", "", "1. n"], [15]]] },
    );
  });

  it("starts over when the text is replaced", () => {
    const growing = new GrowingMarkdown();
    growing.read("one\n\ntwo\n\nthree\n\nfour");
    expect(growing.read("other")).toEqual(parseMarkdown("other"));
  });
});

function plainText(blocks: readonly Block[]): string {
  return JSON.stringify(blocks);
}

function words(inlines: readonly Inline[]): string {
  return inlines.map((inline) => ("text" in inline ? inline.text : `(${inline.kind})`)).join("");
}

it.each(["a/*", "a/_", "a/~", "a/*b\n"])(
  "shows a text that repeats %j and closes no emphasis as plain text",
  (piece) => {
    // Searching the end of each would take longer than the time limit of a test.
    const text = piece.repeat(390_000 / piece.length);
    expect(parseMarkdown(text)).toEqual([{ kind: "code", language: "", text }]);
    expect(parseMarkdown("**a** _b_ ~c~\n".repeat(500))).toMatchObject([{ kind: "paragraph" }]);
  },
);
