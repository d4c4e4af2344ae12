import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SkillCard } from "@metahuman/core/contract/skill";
import { readRequest } from "@metahuman/core/language/read-request";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { installedSkills } from "./installed.ts";
import { skillCard, skillGrammar } from "./skill-card.ts";

/**
 * The signatures that scripts, functions and recipes rely on: inputs (required ones marked), outputs, effect and
 * minimum risk.
 */
const SIGNATURES = `
fs_read: path* from maxBytes → path content bytes truncated | read low
fs_list: path pattern recursive limit → path entries total | read low
fs_search: query* path limit → query matches names total truncated | read low
fs_write: path* content* overwrite → path bytes created | write low
fs_append: path* text* → path bytes created | write low
fs_edit: path* action find line item end text all → path action isLine count before after bytes | write medium
fs_copy: from* to* overwrite → from to bytes | write low
fs_move: from* to* overwrite → from to | write medium
fs_delete: path* recursive → path removed | write high
archive_restore: entry* overwrite → id origin restored | write low
fs_mkdir: path* → path created | write low
fs_exists: path* → path kind bytes nearest | read low
json_update: path* set merge create → path changed | write medium
table_edit: path* action* row column value values descending → path action changed row | write medium
summarize_file: path* maxWords maxSentences → path summary | read low
task_list: status includeDone tag priority limit → tasks total | read low
task_find: query* status → id task matches | read low
task_create: title* description priority due tags → id task | write low
task_update: id* title description priority due tags → id task | write low
task_update_status: id* status* → id task | write low
task_delete: id* → id | write medium
schedule_create: goal functionId values when* title → id schedule next mayUse mayDo needsModel | write low
schedule_list: query period limit → schedules total | read low
schedule_update: id action day when title → id action schedule day unskipped | write low
schedule_delete: id* → id schedule | write medium
remind: text* when* → id schedule task | write low
activity_list: period about did query → period about did query requests total oldest files tasks | read low
memory_search: query* types limit → results total | read low
memory_remember: text* tags replaces → id | write low
memory_forget: id* → id | write medium
conversational_response: goal* context style → response | agent low
ask_user: question* options → answer | agent low
run_agent: agent* wait → started result | agent medium
stop_agent: agent* → agent stopped | agent low
write_todos: todos* → todos | agent low
skill_search: query* limit → skills total | read low
calculate: expression* → expression result | read low
env_check: name* → set | read low
function_list: kind trust status limit → functions total | read low
function_search: query* limit tags status minSimilarity → functions total | read low
function_load: id* → function | read low
function_run: id* parameters → function result logs durationMs | write low
function_register: name* title description* code* parameters examplePrompts tests grants → id name title trust status | write medium
function_curate: userRequest* functionName* draft → published stages draft verification | write medium
function_from_pattern: pattern* → id name title kind | write low
execute_code: code* parameters files → result logs | read low
git_status: path → branch changes | read low
git_diff: path staged → diff | read low
git_commit: message* files* → commit | write high
shell_safe: argv* cwd timeoutMs → exitCode stdout stderr | execute critical
http_get: url* headers maxBytes → status contentType body finalUrl | network medium
web_search: query* limit → results | network medium
web_watch: url* → url state since added removed addedCount removedCount lines truncated scheduled | network medium
`;

const signatures = SIGNATURES.trim()
  .split("\n")
  .map((line) => {
    const [id = "", inputs = "", outputs = "", effect = "", risk = ""] = line.split(/: | → | \| | (?=\w+$)/u);
    return { id, inputs: inputs.split(" "), outputs: outputs.split(" "), effect, risk };
  });

const cards = new Map(installedSkills.map((skill) => [skill.id, skillCard(skill)]));

/** Inputs that skills accept in addition to these. */
const OTHER_INPUTS: ReadonlySet<string> = new Set(["asItem", "dueBy", "dueIn", "dueOn", "overdue"]);

describe("the installed skills", () => {
  it.each(['write "', 'add task "', 'append "', 'remind me every day to "'])(
    "read %s and a long gap",
    (before) => {
      const request = `${before}${" ".repeat(190_000)}x" to a.md`;
      expect(readRequest(request, installedSkills.map(skillGrammar), { now: new Date() })).toBeDefined();
    },
  );

  it("read no request of many conditions again for each of them", () => {
    const request = `remind me to a ${"if a.md exists, ".repeat(60)}`;
    expect(readRequest(request, installedSkills.map(skillGrammar), { now: new Date() })).toMatchObject({
      kind: "not-understood",
      unexplained: [expect.stringMatching(/^remind me to a if a\.md exists, if .*…$/u)],
    });
  });

  it("are these and no others, each once", () => {
    expect(installedSkills.map((skill) => skill.id)).toEqual(signatures.map(({ id }) => id));
  });

  it.each(signatures)(
    "$id has the inputs and outputs that others rely on",
    ({ id, inputs, outputs, effect, risk }) => {
      const card = cards.get(id);
      const taken = card?.inputs.map((input) => `${input.name}${input.required ? "*" : ""}`) ?? [];
      expect(taken.filter((input) => !OTHER_INPUTS.has(input))).toEqual(inputs);
      expect(card?.outputs.slice(0, outputs.length)).toEqual(outputs);
      expect(card).toMatchObject({ effect, risk });
    },
  );

  it("are in the guide, which marks the inputs that they require", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/skills.md"), "utf8");
    expect([...cards.keys()].filter((id) => !guide.includes(`\`${id}\``))).toEqual([]);
    const rows = [...guide.matchAll(/^\| `(?<id>\w+)` \| (?<takes>[^→|]*)/gmu)].map(({ groups }) => groups);
    for (const { id = "", takes = "" } of rows.map((groups) => groups ?? {})) {
      const required = cards.get(id)?.inputs.filter((input) => input.required) ?? [];
      expect(
        [...takes.matchAll(/(\w+)\\\*/gu)].map(([, name]) => name),
        id,
      ).toEqual(required.map(({ name }) => name));
    }
  });

  it("describe themselves in cards that match the contract and contain no code", () => {
    for (const card of cards.values()) {
      expect(SkillCard.parse(JSON.parse(JSON.stringify(card)))).toEqual(card);
      expect(card.summary).toMatch(/^[A-Z].*[^.]$/u);
    }
  });

  it("have strict outputs, so that no extra field passes", () => {
    for (const skill of installedSkills) {
      expect(z.toJSONSchema(skill.output, { io: "output" })).toMatchObject({ additionalProperties: false });
    }
  });

  it("have nothing to undo after reading twice", () => {
    for (const skill of installedSkills) if (skill.effects === "read") expect(skill.idempotent).toBe(true);
  });

  it("can be requested with the examples on their cards", () => {
    const grammars = installedSkills.map(skillGrammar);
    for (const [id, card] of cards) {
      // Nobody says code in words.
      const hasPhrases = card.category !== "agent" && !["function_register", "function_curate"].includes(id);
      expect(card.examples.length, id).toBeGreaterThanOrEqual(hasPhrases ? 1 : 0);
      for (const example of card.examples) {
        const reading = readRequest(example, grammars, { now: new Date("2026-11-20T09:30:12.123Z") });
        const called = reading.kind === "plan" ? reading.calls.at(-1)?.skill : reading.kind;
        expect(called, `${id}: ${example}`).toBe(id);
      }
    }
  });
});

describe("skillCard", () => {
  it("states types, allowed values and defaults as the schemas do", () => {
    const input = (id: string, name: string) => cards.get(id)?.inputs.find((one) => one.name === name);
    expect(input("fs_read", "maxBytes")).toMatchObject({ type: "integer", required: false, default: 64_000 });
    expect(input("fs_list", "path")).toMatchObject({ type: "string", required: false, default: "out" });
    expect(input("task_update", "due")).toMatchObject({ type: "string | null", required: false });
    expect(input("task_update_status", "status")).toEqual({
      name: "status",
      type: "string",
      required: true,
      allowed: ["todo", "in_progress", "blocked", "done", "cancelled"],
    });
    expect(input("memory_search", "types")).toMatchObject({ type: "string[]" });
    expect(input("memory_search", "types")?.allowed).toContain("observation");
  });
});
