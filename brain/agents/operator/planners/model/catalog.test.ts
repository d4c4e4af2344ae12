import { describe, expect, it } from "vitest";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { createCatalogSource } from "./catalog.ts";

const card = (id: string, summary: string, more: Partial<SkillCard> = {}): SkillCard => ({
  id,
  summary,
  category: "files",
  effect: "read",
  risk: "low",
  cost: "low",
  trust: "observe",
  requiresApproval: false,
  inputs: [
    { name: "path", type: "string", required: true },
    { name: "mode", type: "string", required: false, allowed: ["a", "b"], default: "a" },
  ],
  outputs: ["content"],
  examples: [],
  ...more,
});

const kept = { cacheCatalog: true, catalogTTL: 60_000 };
const source = (cards: readonly SkillCard[]) =>
  createCatalogSource({ cards: () => cards, settings: () => kept });

describe("the tool catalog", () => {
  it("marks what is required and names allowed values and defaults", () => {
    expect(source([card("fs_read", "Read a file")]).catalogFor("", 1_000).text).toBe(
      '- fs_read(path*: string, mode: a|b="a") → content: Read a file. [files, read, low risk]',
    );
  });

  it("says what a call costs, who decides about it, and what there is to know besides", () => {
    const entries = (more: Partial<SkillCard>) =>
      source([card("send", "Send it", { inputs: [], effect: "network", ...more })]).catalogFor("", 1_000)
        .text;
    expect(
      entries({ cost: "medium", risk: "high", trust: "bounded_auto", notes: "Once for each host." }),
    ).toBe(
      "- send() → content: Send it. Once for each host. [files, network, high risk, medium cost, unasked from bounded_auto]",
    );
    expect(entries({ trust: null })).toContain("low risk, a person decides]");
    expect(entries({ requiresApproval: true })).toContain("a person decides]");
  });

  it("keeps within its budget with 300 skills, with the core ones and the one the request is about", () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      card(`tool_${String(index)}`, `Does thing number ${String(index)}`),
    );
    const cards = [
      card("fs_read", "Read a file"),
      ...many.slice(0, 200),
      card("invoice_send", "Send an invoice to a customer"),
      ...many.slice(200),
    ];
    const { text, offered } = source(cards).catalogFor("please send the invoices for March", 600);
    expect(estimateTokens(text)).toBeLessThanOrEqual(600);
    expect(offered).toContain("fs_read");
    expect(offered).toContain("invoice_send");
  });

  it("lists everything when it fits, whatever the request", () => {
    const all = source([card("fs_read", "Read a file"), card("fs_list", "List a folder")]);
    expect(all.catalogFor("one", 1_000)).toEqual(all.catalogFor("two", 1_000));
  });
});

describe("what a catalog is made from", () => {
  function changing(settings = kept) {
    const state = { cards: [card("fs_read", "Read a file")], now: 0 };
    const catalogs = createCatalogSource({
      cards: () => state.cards,
      settings: () => settings,
      now: () => state.now,
    });
    return { state, text: () => catalogs.catalogFor("anything", 1_000).text };
  }

  it("is looked at again as soon as the skills are others", () => {
    const { state, text } = changing();
    expect(text()).not.toContain("fs_list");
    state.cards = [...state.cards, card("fs_list", "List a folder")];
    expect(text()).toContain("fs_list");
  });

  it("is kept for as long as it is good, and made anew afterwards", () => {
    const { state, text } = changing();
    text();
    // What changes without anybody saying so is seen when the time is up.
    state.cards.push(card("fs_list", "List a folder"));
    state.now = kept.catalogTTL - 1;
    expect(text()).not.toContain("fs_list");
    state.now = kept.catalogTTL;
    expect(text()).toContain("fs_list");
  });

  it("is not kept at all when the configuration says so", () => {
    const { state, text } = changing({ ...kept, cacheCatalog: false });
    text();
    state.cards.push(card("fs_list", "List a folder"));
    expect(text()).toContain("fs_list");
  });
});
