import { describe, expect, it } from "vitest";
import type { FunctionParameter } from "../../contract/function.ts";
import { fillArgs } from "../recipe/instantiate.ts";
import { type SplitContent, splitParameters } from "./split-parameters.ts";

const parameter = (name: string): FunctionParameter => ({
  name,
  type: name === "path" || name === "file" ? "path" : name === "due" ? "date" : "string",
  description: "",
  required: true,
});

/** A function that takes each argument whole, with one example for each of these runs. */
function learned(
  steps: readonly (readonly [skill: string, args: readonly string[]])[],
  template: string,
  runs: readonly Readonly<Record<string, string>>[],
): SplitContent {
  const names = [...new Set(steps.flatMap(([, args]) => args))];
  return {
    recipe: {
      promptTemplates: [template],
      actions: steps.map(([skill, args]) => ({
        skill,
        args: Object.fromEntries(args.map((name) => [name === "file" ? "path" : name, `\${${name}}`])),
        expect: args.includes("path") ? [{ field: "path", is: "matches", value: "(^|/)${path}$" }] : [],
      })),
    },
    parameters: names.map(parameter),
    examples: runs.map((parameters) => ({
      prompt: template.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
        name === "content" || name === "text" ? `"${parameters[name] ?? ""}"` : (parameters[name] ?? ""),
      ),
      parameters,
    })),
  };
}

const member = (name: string, path: string, berth: string, fee: string, due: string) => ({
  path,
  content: `Berth ${berth}, fee ${fee}`,
  title: `send ${name} the harbour rules`,
  due,
  text: `${name}, ${berth}`,
  file: "berths.md",
});
const MEMBER_STEPS = [
  ["fs_write", ["path", "content"]],
  ["task_create", ["title", "due"]],
  ["fs_append", ["text", "file"]],
] as const;
const MEMBERS = learned(
  MEMBER_STEPS,
  "new member: create a file {path} with the text {content}, add a task to {title} by {due} and append {text} to {file}",
  [
    member("Sanna Virta", "members/sanna-virta.md", "A12", "180", "2026-12-04"),
    member("Kalle Salo", "members/kalle-salo.md", "B7", "240", "2026-12-04"),
    member("Liisa Ranta", "members/liisa-ranta.md", "C3", "90", "2026-11-30"),
  ],
);

const argsOf = (content: SplitContent | undefined): unknown[] =>
  content?.recipe.actions.map(({ args }) => args) ?? [];

/** The arguments that a function's steps get for one of its examples. */
const madeBy = ({ recipe, examples }: SplitContent, run: number): unknown[] =>
  recipe.actions.map((action) => {
    const parameters = examples[run]?.parameters ?? {};
    return fillArgs(action, { parameters, outputs: [], today: "2026-11-29" });
  });

describe("values that several arguments of all runs have in common", () => {
  it("become one parameter each, and the text around them a part of the step", () => {
    const split = splitParameters(MEMBERS);
    expect(split?.parameters.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      "name: string",
      "berth: string",
      "fee: number",
      "due: date",
      "file: path",
    ]);
    expect(argsOf(split)).toEqual([
      { path: "members/${name|slug}.md", content: "Berth ${berth}, fee ${fee}" },
      { title: "send ${name} the harbour rules", due: "${due}" },
      { text: "${name}, ${berth}", path: "${file}" },
    ]);
    expect(split?.recipe.actions[0]?.expect).toEqual([
      { field: "path", is: "matches", value: "(^|/)members/${name|slug}\\.md$" },
    ]);
    expect(split?.examples[1]?.parameters).toEqual({
      name: "Kalle Salo",
      berth: "B7",
      fee: 240,
      due: "2026-12-04",
      file: "berths.md",
    });
  });

  it("let each example make exactly its calls", () => {
    const split = splitParameters(MEMBERS);
    for (const run of MEMBERS.examples.keys())
      expect(split && madeBy(split, run)).toEqual(madeBy(MEMBERS, run));
  });

  it("are asked for with their labels, after the words before the colon", () => {
    expect(splitParameters(MEMBERS)?.recipe.promptTemplates).toEqual([
      "new member, {name}, berth {berth}, fee {fee}, by {due}",
      'new member: create a file members/{name}.md with the text "Berth {berth}, fee {fee}", add a task to send {name} the harbour rules by {due} and append "{name}, {berth}" to {file}',
    ]);
  });

  it("may be several words with a mark or a joining word, and one word in another run", () => {
    const loan = (book: string, path: string, name: string) => ({
      path,
      content: `${book} is with ${name}`,
      title: `ask ${name} for ${book}`,
    });
    const split = splitParameters(
      learned(
        [
          ["fs_write", ["path", "content"]],
          ["task_create", ["title"]],
        ],
        "book loan: write {path} with {content} and add a task to {title}",
        [
          loan("Dune", "loans/dune.md", "Marta Kivi"),
          loan("War and Peace", "loans/war-and-peace.md", "Jonas Berg"),
          loan("Pride and Prejudice", "loans/pride-and-prejudice.md", "Jean-Luc Roy"),
        ],
      ),
    );
    expect(argsOf(split)).toEqual([
      { path: "loans/${loan|slug}.md", content: "${loan} is with ${name}" },
      { title: "ask ${name} for ${loan}" },
    ]);
    expect(split?.examples.at(-1)?.parameters).toEqual({ loan: "Pride and Prejudice", name: "Jean-Luc Roy" });
  });

  it("are two values where a mark stands between them, and numbers as written", () => {
    const split = splitParameters(
      learned(
        [
          ["fs_append", ["text", "file"]],
          ["task_create", ["title"]],
        ],
        "append {text} to {file} and add a task to {title}",
        [
          { text: "007;12.50", file: "a.csv", title: "check invoice 007" },
          { text: "008;9.75", file: "a.csv", title: "check invoice 008" },
        ],
      ),
    );
    expect(argsOf(split)[0]).toEqual({ text: "${invoice};${item}", path: "${file}" });
    expect(split?.examples[0]?.parameters).toMatchObject({ invoice: "007", item: "12.50" });
  });
});

describe("values without a common part", () => {
  const two = (runs: readonly Readonly<Record<string, string>>[]) =>
    splitParameters(
      learned(
        [
          ["fs_append", ["text", "file"]],
          ["task_create", ["title"]],
        ],
        "append {text} to {file} and add a task to {title}",
        runs,
      ),
    );

  it("stay whole, because a constant word may be a coincidence", () => {
    const runs = [
      { text: "buy milk", file: "list.md", title: "wash the car" },
      { text: "buy eggs", file: "list.md", title: "wash the dog" },
    ];
    expect(two(runs)).toBeUndefined();
  });

  it("stay whole after one run, which does not show what varies", () => {
    expect(two([{ text: "Ann: paid", file: "list.md", title: "thank Ann" }])).toBeUndefined();
  });

  it("stay whole if a run leaves one out", () => {
    const runs = [
      { text: "Ann: paid", file: "list.md", title: "thank Ann" },
      { text: "Bo: paid", file: "list.md" },
    ];
    expect(two(runs)).toBeUndefined();
  });
});
