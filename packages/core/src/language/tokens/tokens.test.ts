import { anyCharacter } from "../testing-characters.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TOKENS, tokenize } from "./tokens.ts";

const kindsAndTexts = (request: string): string[] =>
  tokenize(request).map(({ kind, text }) => `${kind}:${text}`);

describe("tokenize", () => {
  it.each<[string, string[]]>([
    ["read notes/today.md.", ["word:read", "path:notes/today.md", "mark:."]],
    ["What's in out?", ["word:what", "word:is", "word:in", "word:out", "mark:?"]],
    ["don’t", ["word:do", "word:not"]],
    ["Bob's 5/6 or 3.5kg", ["word:bob's", "word:5", "mark:/", "word:6", "word:or", "word:3.5kg"]],
    [".env ../x *.md C:\\a\\b", ["path:.env", "path:../x", "path:*.md", "path:C:\\a\\b"]],
    ["see https://example.org/a.md", ["word:see", "word:https://example.org/a.md"]],
    ["buy 🥛 #home", ["word:buy", "symbol:🥛", "mark:#", "word:home"]],
    ["(x.md)", ["mark:(", "path:x.md", "mark:)"]],
    ["move _plan.md", ["word:move", "path:_plan.md"]],
    [
      "copy __conf.md to (__init__.py)",
      ["word:copy", "path:__conf.md", "word:to", "mark:(", "path:__init__.py", "mark:)"],
    ],
    [
      "read *x.md*, **y.md** and _z.md_.",
      [
        "word:read",
        "mark:*",
        "path:x.md",
        "mark:*",
        "mark:,",
        "mark:**",
        "path:y.md",
        "mark:*",
        "mark:*",
        "word:and",
        "mark:_",
        "path:z.md",
        "mark:_",
        "mark:.",
      ],
    ],
    ["delete *x.md", ["word:delete", "path:*x.md"]],
    ["move ~plan.md", ["word:move", "path:~plan.md"]],
    ["to-do", ["word:todo"]],
    ["ＲＥＡＤ Ａ.md", ["word:read", "path:Ａ.md"]],
  ])("splits %j", (request, tokens) => {
    expect(kindsAndTexts(request)).toEqual(tokens);
  });

  it.each<[string, string]>([
    ['say "a, b; c" now', "a, b; c"],
    ["say 'it is fine' now", "it is fine"],
    ["say ‘it’s fine’ now", "it’s fine"],
    ["say “a “b” c” now", "a “b” c"],
    ["say «Chez Élan» now", "Chez Élan"],
    ["say „Grüße“ now", "Grüße"],
    ["say 「今日」 now", "今日"],
    ["say `rm -rf` now", "rm -rf"],
    ["say ```js\nx\n``` now", "x\n"],
    ['say "" now', ""],
  ])("reads %j as one quotation", (request, inner) => {
    const [first, quoted, last] = tokenize(request);
    expect([first?.text, quoted?.kind, quoted?.text, last?.text]).toEqual(["say", "quoted", inner, "now"]);
  });

  it.each(["the dogs' bowls and the cats' bowls", "rock 'n roll", '5" pipe', "say “open"])(
    "sees no quotation in %j",
    (request) => {
      expect(tokenize(request).map((token) => token.kind)).not.toContain("quoted");
    },
  );

  it("keeps the rest of a long request as one token", () => {
    const tokens = tokenize("a ".repeat(1_000));
    expect(tokens).toHaveLength(MAX_TOKENS + 1);
    expect(tokens.at(-1)?.kind).toBe("rest");
    expect(tokens.at(-1)?.text.split(" ")).toHaveLength(1_000 - MAX_TOKENS);
  });

  it("covers every character except white space, in order, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (request) => {
        let position = 0;
        for (const { start, end } of tokenize(request)) {
          expect(request.slice(position, start).trim()).toBe("");
          expect(end).toBeGreaterThan(start);
          position = end;
        }
        expect(request.slice(position).trim()).toBe("");
      }),
    );
  });
});
