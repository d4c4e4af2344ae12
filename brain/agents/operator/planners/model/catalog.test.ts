import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OperatorConfig } from "@metahuman/core/contract/config";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { installedSkills } from "@metahuman/skills/installed";
import { skillCard } from "@metahuman/skills/skill-card";
import { z } from "zod";
import { createCatalogSource } from "./catalog.ts";
import { recentSkills, selectFunctions, offeredTools } from "./offered-tools.ts";

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

const cacheSettings = { cacheCatalog: true, catalogTTL: 60_000 };
const source = (cards: readonly SkillCard[]) =>
  createCatalogSource({ cards: () => cards, settings: () => cacheSettings });

describe("the tool catalog", () => {
  it("describes arguments, and omits outputs and permissions", () => {
    const send = card("send", "Send it", {
      notes: "Once for each host. Nothing else.",
      inputs: [
        { name: "to", type: "string", required: true },
        { name: "limit", type: "integer", required: false, default: 5 },
        { name: "due", type: "string", required: false, form: '"2026-11-23"' },
        { name: "retries", type: "integer", required: false },
      ],
    });
    expect(source([send]).catalogFor("", 1_000).text).toBe(
      'Paths are relative: out/…, inbox/… or another opened folder; without one of these a path lies under out/. Days are written "2026-11-23", or in words: "next Tuesday".\n' +
        '- send(to*, limit=5, due "2026-11-23", retries: integer): Send it. Once for each host',
    );
  });

  it("shows the forms of the installed skills", () => {
    const { text } = source(installedSkills.map(skillCard)).catalogFor("", 5_000);
    expect(text).toContain('priority P0 (urgent)–P3, due "2026-11-23", tags ["…"]');
    expect(text).toContain("write_todos(todos* [{text, status: todo|in_progress|done}])");
    expect(text).toContain('json_update(path*, set {"server.port":8080}');
    expect(text).not.toContain("conversational_response");
  });

  it.each([
    "erinnere mich bitte übermorgen um 8 Uhr daran, den Müll rauszubringen",
    "muistuta minua huomenna kello 9 soittamaan hammaslääkärille",
  ])("offers reminders and schedules for a request in another language: %s", (request) => {
    const { catalog } = OperatorConfig.parse({}).budgets;
    const { offered } = source(installedSkills.map(skillCard)).catalogFor(request, catalog);
    expect([...offered]).toEqual(expect.arrayContaining(["remind", "schedule_create"]));
  });

  it.each([
    [
      "remind",
      "ok so put milk and eggs on the shopping list no wait not eggs we still have eggs put butter and uh remind me on thursday to call the plumber the sink is dripping again by the way",
    ],
    ["shell_safe", "the test in my tally project fails, can you fix it"],
    ["shell_safe", "please make the failing unit tests of the parser green again"],
  ])("offers %s for a request that needs it beside other things: %s", (skill, request) => {
    const { catalog } = OperatorConfig.parse({}).budgets;
    expect(source(installedSkills.map(skillCard)).catalogFor(request, catalog).offered).toContain(skill);
  });

  it("stays within its budget with 300 skills, with the core ones and the relevant one", () => {
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
    expect(text).toContain("find them with skill_search");
  });

  it("lists everything if it fits, whatever the request", () => {
    const all = source([card("fs_read", "Read a file"), card("fs_list", "List a folder")]);
    expect(all.catalogFor("one", 1_000)).toEqual(all.catalogFor("two", 1_000));
    expect(all.catalogFor("one", 1_000).text).not.toContain("skill_search");
  });
});

const Labelled = z.object({ request: z.string(), needs: z.array(z.string()) });
const labelled = readFileSync(
  new URL("../../../../../tests/fixtures/catalog/requests.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => Labelled.parse(JSON.parse(line)));

describe("the catalog of a planning prompt", () => {
  const budget = OperatorConfig.parse({}).budgets.catalog;
  const catalogs = source(installedSkills.map(skillCard));
  const state = (request: string) => ({ request, skills: installedSkills, scratchpad: [] });
  const missing = (offered: (request: string) => ReadonlySet<string>) =>
    labelled.filter(({ request, needs }) => !needs.every((id) => offered(request).has(id)));

  it("lists what a request needs, in at most 4 kB", () => {
    for (const { request } of labelled)
      expect(Buffer.byteLength(catalogs.catalogFor(request, budget).text)).toBeLessThanOrEqual(4_000);
    const short = missing((request) => catalogs.catalogFor(request, budget).offered);
    expect(short.length, JSON.stringify(short)).toBeLessThanOrEqual(labelled.length * 0.05);
  });

  it("starts the same for every request, so that servers can reuse their cache", () => {
    const [one = "", other = ""] = ["stop the librarian", "commit my changes"].map(
      (request) => catalogs.catalogFor(request, budget).text,
    );
    const differs = [...one].findIndex((character, index) => character !== other[index]);
    expect(differs).toBeGreaterThan(one.length / 2);
  });

  it("fits native tool calls as well, without details that a model does not need", () => {
    const declared = (request: string) => selectFunctions(state(request), catalogs, budget).tools;
    for (const { request } of labelled)
      expect(estimateTokens(JSON.stringify(declared(request)))).toBeLessThanOrEqual(budget * 1.2);
    const short = missing((request) => new Set(declared(request).map(({ id }) => id)));
    expect(short.length, JSON.stringify(short)).toBeLessThanOrEqual(labelled.length * 0.15);
    const create = declared("remind me to call Bob").find(({ id }) => id === "task_create");
    expect(create?.args).toEqual({
      type: "object",
      properties: {
        title: { type: "string" },
        description: { type: "string" },
        priority: { type: "string", enum: ["P0", "P1", "P2", "P3"] },
        due: { type: "string", description: '"2026-11-23"' },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["title"],
    });
  });

  it.each(["undo that", "take the last change back", "Do the same for Pavel Hruby"])(
    "keeps the skills of the last requests, and those that undo them, for “%s”",
    async (request) => {
      const entry = { id: "archive-20261128T090000000Z-clients", kind: "file", title: "clients.csv" };
      const calls = [
        { skill: "table_edit", args: { path: "out/clients.csv" }, outputs: { archived: entry } },
        { skill: "fs_mkdir", args: { path: "out/clients/pavel" }, outputs: undefined },
      ];
      const earlier = async () => [{ request: "add Jana to the clients", calls }];
      const recent = await recentSkills({ earlier, skills: installedSkills });
      expect(recent).toEqual(["table_edit", "archive_restore"]);
      const asked = { ...state(request), recent };
      const { text, tools } = offeredTools(asked, catalogs, budget);
      expect(text).toMatch(/^- table_edit\(/mu);
      expect(text).toMatch(/^- archive_restore\(/mu);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
      expect(tools.find(({ id }) => id === "table_edit")?.args).not.toEqual({ type: "object" });
      const native = selectFunctions(asked, catalogs, budget).tools.map(({ id }) => id);
      expect(native).toEqual(expect.arrayContaining(recent));
    },
  );

  it("lists the skill that restores from the archive for a bare “undo that”", () => {
    expect(catalogs.catalogFor("undo that", budget).offered).toContain("archive_restore");
  });

  it("allows a server to name an unlisted skill, with any arguments", () => {
    const { text, tools } = offeredTools(state("hello"), catalogs, budget);
    expect(text).not.toContain("env_check");
    expect(tools.find(({ id }) => id === "env_check")?.args).toEqual({ type: "object" });
    const unnamed = installedSkills.filter(({ id }) => !tools.some((tool) => tool.id === id));
    expect(unnamed.map(({ id }) => id)).toEqual(["conversational_response"]);
  });
});

describe("the cached catalog", () => {
  function changing(settings = cacheSettings) {
    const state = { cards: [card("fs_read", "Read a file")], now: 0 };
    const catalogs = createCatalogSource({
      cards: () => state.cards,
      settings: () => settings,
      now: () => state.now,
    });
    return { state, text: () => catalogs.catalogFor("anything", 1_000).text };
  }

  it("is rebuilt when the skills change", () => {
    const { state, text } = changing();
    expect(text()).not.toContain("fs_list");
    state.cards = [...state.cards, card("fs_list", "List a folder")];
    expect(text()).toContain("fs_list");
  });

  it("is reused while it is valid, and rebuilt afterwards", () => {
    const { state, text } = changing();
    text();
    // A change without a notification is seen when the cache expires.
    state.cards.push(card("fs_list", "List a folder"));
    state.now = cacheSettings.catalogTTL - 1;
    expect(text()).not.toContain("fs_list");
    state.now = cacheSettings.catalogTTL;
    expect(text()).toContain("fs_list");
  });

  it("is not used if the configuration disables it", () => {
    const { state, text } = changing({ ...cacheSettings, cacheCatalog: false });
    text();
    state.cards.push(card("fs_list", "List a folder"));
    expect(text()).toContain("fs_list");
  });
});
