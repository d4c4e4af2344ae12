import { describe, expect, it } from "vitest";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { buildCatalog } from "./catalog.ts";

const card = (id: string, summary: string): SkillCard => ({
  id,
  summary,
  category: "files",
  effect: "read",
  risk: "low",
  requiresApproval: false,
  inputs: [
    { name: "path", type: "string", required: true },
    { name: "mode", type: "string", required: false, allowed: ["a", "b"], default: "a" },
  ],
  outputs: ["content"],
  examples: [],
});

describe("the tool catalog", () => {
  it("marks what is required and names allowed values and defaults", () => {
    expect(buildCatalog([card("fs_read", "Read a file.")], "", 1_000).text).toBe(
      '- fs_read(path*: string, mode: a|b="a") → content: Read a file. [files, read, low risk]',
    );
  });

  it("keeps within its budget with 300 skills, with the core ones and the one the request is about", () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      card(`tool_${String(index)}`, `Does thing number ${String(index)}.`),
    );
    const cards = [
      card("fs_read", "Read a file."),
      ...many.slice(0, 200),
      card("invoice_send", "Send an invoice to a customer."),
      ...many.slice(200),
    ];
    const { text, offered } = buildCatalog(cards, "please send the invoice for March", 600);
    expect(estimateTokens(text)).toBeLessThanOrEqual(600);
    expect(offered).toContain("fs_read");
    expect(offered).toContain("invoice_send");
  });

  it("lists everything when it fits, whatever the request", () => {
    const cards = [card("fs_read", "Read a file."), card("fs_list", "List a folder.")];
    expect(buildCatalog(cards, "one", 1_000)).toEqual(buildCatalog(cards, "two", 1_000));
  });
});
