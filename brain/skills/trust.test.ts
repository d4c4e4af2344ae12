import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Grant } from "@metahuman/core/contract/approval";
import { type SkillOverride, TrustLevel } from "@metahuman/core/contract/trust";
import { decide, type CallPolicy } from "@metahuman/core/policy/decide";
import { beforeAll, describe, expect, it } from "vitest";
import { skillHarness } from "../../tests/support/skill-harness.ts";
import { fsDelete } from "./fs-delete/skill.ts";
import { fsWrite } from "./fs-write/skill.ts";
import { installedSkills } from "./installed.ts";

// The tests decide on calls and make none.
const harness = skillHarness({ sharesFiles: true });
const now = new Date("2026-11-22T12:00:00.000Z");

beforeAll(async () => {
  harness.configure({ webSearch: { url: "http://search.example/" } });
  await mkdir(join(harness.folder("out"), "site"));
  for (const name of ["a", "c", "gone"])
    await writeFile(join(harness.folder("out"), `site/${name}.json`), "{}");
  for (const root of ["out", "docs"] as const) {
    const folder = root === "out" ? join(harness.folder("out"), "site") : harness.folder(root);
    await writeFile(join(folder, "t.csv"), "name,n\na,1\n");
  }
  await harness.call(fsDelete, { path: "site/gone.json" });
  await harness.call(fsWrite, { path: "site/c.json", content: "[]", overwrite: true });
  execFileSync("git", ["init", "--quiet"], { cwd: join(harness.folder("out"), "site") });
});

const reads = ["allow", "allow", "allow", "allow"];
/** Creates something new in `out/`. */
const low = ["deny", "ask", "allow", "allow"];
const medium = ["deny", "ask", "allow", "allow"];
const high = ["deny", "ask", "ask", "allow"];
/** Executes programs, so a person decides each time. */
const critical = ["deny", "ask", "ask", "ask"];
/** Asks once for each host at every level that allows requests. */
const perHost = ["deny", "ask", "ask", "ask"];

/** The decision on each call that reaches further than files, tasks and memory; one answer per trust level. */
const CALLS: readonly [skill: string, args: Record<string, unknown>, answers: string[], emulation: string][] =
  [
    ["json_update", { path: "site/a.json", set: { b: 1 } }, medium, "deny"],
    ["json_update", { path: "docs/a.json", set: { b: 1 }, create: true }, high, "deny"],
    ["table_edit", { path: "site/t.csv", action: "add", values: "b,2" }, medium, "deny"],
    ["table_edit", { path: "docs/t.csv", action: "add", values: "b,2" }, high, "deny"],
    ["summarize_file", { path: "site/a.json" }, reads, "allow"],
    ["calculate", { expression: "2 + 2" }, reads, "allow"],
    ["fs_search", { query: "cheese" }, reads, "allow"],
    ["function_list", {}, reads, "allow"],
    ["fs_copy", { from: "site/a.json", to: "site/b.json" }, low, "deny"],
    ["fs_copy", { from: "site/a.json", to: "docs/b.json" }, high, "deny"],
    ["fs_copy", { from: "site/a.json", to: "site/c.json", overwrite: true }, high, "deny"],
    ["archive_restore", { entry: "site/gone.json" }, low, "deny"],
    ["archive_restore", { entry: "site/c.json", overwrite: true }, high, "deny"],
    ["function_from_pattern", { pattern: "make {words} file" }, low, "deny"],
    ["env_check", { name: "HOME" }, reads, "allow"],
    ["write_todos", { todos: ["look"] }, reads, "allow"],
    ["git_status", { path: "site" }, reads, "allow"],
    ["git_diff", { path: "site" }, reads, "allow"],
    ["git_commit", { message: "x", files: ["site/a.json"] }, high, "deny"],
    ["shell_safe", { argv: ["ls"] }, critical, "deny"],
    ["http_get", { url: "https://example.org/" }, perHost, "deny"],
    ["web_search", { query: "tides" }, perHost, "deny"],
    ["web_watch", { url: "https://example.org/" }, perHost, "deny"],
  ];

type Assessment = ReturnType<(typeof installedSkills)[number]["assess"]>;
const assessments = new Map<string, Assessment>();

/** Assesses each call once: nothing that it depends on changes between decisions, and that of a commit starts more than ten processes of git. */
function assessed(skill: (typeof installedSkills)[number], given: Record<string, unknown>): Assessment {
  const call = JSON.stringify([skill.id, given]);
  const assessment = assessments.get(call) ?? skill.assess(skill.parse(given), harness.ports);
  assessments.set(call, assessment);
  return assessment;
}

async function decided(
  id: string,
  given: Record<string, unknown>,
  policy: Partial<CallPolicy>,
): Promise<string> {
  const skill = installedSkills.find((one) => one.id === id);
  if (!skill) throw new Error(`no skill ${id}`);
  const { risk, paths, hosts } = await assessed(skill, given);
  const { requiresApproval, asksPerHost, effects } = skill;
  return decide(
    { skill: id, effect: effects, risk, requiresApproval, asksPerHost, paths, hosts },
    { mode: "dual", trustLevel: "supervised_auto", grants: [], now, ...policy },
  ).decision;
}

/** The widest permission that the approval of a call would offer. */
async function offered(id: string, given: Record<string, unknown>): Promise<Grant[]> {
  const skill = installedSkills.find((one) => one.id === id);
  const scope = skill && (await assessed(skill, given));
  const grant: Grant = {
    id: `grant-${"0".repeat(26)}`,
    skill: id,
    createdAt: now.toISOString(),
    ...scope?.grant,
  };
  return [grant];
}

describe.each(CALLS)("%s %j", (id, args, answers, emulation) => {
  it("follows the table at every trust level", async () => {
    const found = await Promise.all(
      TrustLevel.options.map((trustLevel) => decided(id, args, { trustLevel })),
    );
    expect(found).toEqual(answers);
  });

  it("changes nothing in emulation", async () => {
    expect(await decided(id, args, { mode: "emulation", trustLevel: "bounded_auto" })).toBe(emulation);
  });

  it("follows the setting of the profile and its standing permission, unless it is critical", async () => {
    const pinned = (override: SkillOverride) => decided(id, args, { override });
    const isCritical = answers === critical;
    expect(await pinned("never")).toBe("deny");
    expect(await pinned("ask")).toBe("ask");
    expect(await pinned("always")).toBe(isCritical ? "ask" : "allow");
    expect(await decided(id, args, { grants: await offered(id, args) })).toBe(isCritical ? "ask" : "allow");
  });
});

it("a permission for one host or file covers no other", async () => {
  const page = await offered("http_get", { url: "https://example.org/a" });
  expect(await decided("http_get", { url: "https://example.org/b?c" }, { grants: page })).toBe("allow");
  for (const url of [
    "https://example.org:8443/a",
    "https://www.example.org/a",
    "https://example.org.evil.net/",
  ])
    expect(await decided("http_get", { url }, { grants: page })).toBe("ask");
  expect(await decided("web_search", { query: "x" }, { grants: page })).toBe("ask");
  const site = await offered("git_commit", { message: "x", files: ["site/a.json"] });
  expect(await decided("git_commit", { message: "y", files: ["site/a.json"] }, { grants: site })).toBe(
    "allow",
  );
  await writeFile(join(harness.folder("out"), "site/new.md"), "x");
  for (const files of [["site/new.md"], ["site/a.json", "site/new.md"]])
    expect(await decided("git_commit", { message: "y", files }, { grants: site })).toBe("ask");
});
