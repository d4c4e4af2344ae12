import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../tests/support/skill-harness.ts";
import type { Skill } from "./define-skill.ts";
import { fsAppend } from "./fs-append/skill.ts";
import { fsDelete } from "./fs-delete/skill.ts";
import { fsMove } from "./fs-move/skill.ts";
import { fsWrite } from "./fs-write/skill.ts";
import { jsonUpdate } from "./json-update/skill.ts";

const harness = skillHarness();

describe("a call that a person approved", () => {
  it.each<[Skill, Record<string, unknown>]>([
    [fsWrite, { path: "a.json", content: "new", overwrite: true }],
    [fsAppend, { path: "a.json", text: '{"two": 2}' }],
    [fsDelete, { path: "a.json" }],
    [fsMove, { from: "b.json", to: "a.json", overwrite: true }],
    [fsMove, { from: "a.json", to: "c.json" }],
    [jsonUpdate, { path: "a.json", set: { one: 2 } }],
  ])("changes nothing when its files change at the last moment: $id", async (skill, args) => {
    const put = (name: string, text: string) => writeFile(join(harness.folder("out"), name), text);
    await put("a.json", '{"one": 1}');
    await put("b.json", "{}");
    const assessment = await skill.assess(skill.parse(args), harness.ports);
    const { signal } = new AbortController();
    const approvedContent = (await assessment.content?.(signal))?.hash ?? "";
    await put("a.json", '{"one": 3}');
    await expect(harness.call(skill, args, { assessment, approvedContent })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect([await harness.read("out/a.json"), await harness.read("out/b.json")]).toEqual([
      '{"one": 3}',
      "{}",
    ]);
    await put("a.json", '{"one": 1}');
    await harness.call(skill, args, { assessment, approvedContent });
  });
});
