import { describe, expect, it } from "vitest";
import { type Block, parseMarkdown, tableAsCsv } from "./markdown.ts";

function table(text: string): Extract<Block, { kind: "table" }> {
  const [block] = parseMarkdown(text);
  if (block?.kind !== "table") throw new Error("This is not a table.");
  return block;
}

describe("a table", () => {
  const costs = table(
    '| item | cost | due |\n| --- | --- | --- |\n| **milk**, fresh | 1.20 | 2026-11-24 |\n| "best" tea | 12 % | |\n',
  );

  it("is copied as comma-separated values", () => {
    expect(tableAsCsv(costs)).toBe('item,cost,due\r\n"milk, fresh",1.20,2026-11-24\r\n"""best"" tea",12 %,');
  });
});
