import { describe, expect, it } from "vitest";
import type { FunctionParameter, Recipe } from "../../contract/function.ts";
import type { GeneralizedRun } from "./generalize-run.ts";
import { widenFunction } from "./widen.ts";

type Action = Recipe["actions"][number];

const required = (name: string): FunctionParameter => ({
  name,
  type: "string",
  description: "",
  required: true,
});
const place = (name: string, preset: string): FunctionParameter => ({
  name,
  type: "path",
  description: "",
  required: false,
  default: preset,
});
const call = (skill: string, args: Action["args"], expected: Action["expect"] = []): Action => ({
  skill,
  args,
  expect: expected,
});

function run(
  promptTemplate: string,
  actions: Action[],
  values: Record<string, string>,
  places: FunctionParameter[] = [],
): GeneralizedRun {
  const prompt = promptTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
  return {
    calls: [],
    actions,
    promptTemplate,
    parameters: [...Object.keys(values).map(required), ...places],
    example: { prompt, parameters: values },
    composedValues: {},
    provenance: [],
    isReplayable: true,
  };
}

const functionOf = ({ actions, promptTemplate = "", parameters, example }: GeneralizedRun) => ({
  recipe: { promptTemplates: [promptTemplate], actions },
  parameters,
  examples: [example],
});

const widened = (first: GeneralizedRun, second: GeneralizedRun) => widenFunction(functionOf(first), second);

describe("a second run of the same calls", () => {
  it("creates two parameters if the request names two things where the first one named one", () => {
    const first = run(
      "note {item} and buy {item}",
      [call("write", { text: "${item}" }), call("task", { title: "${item}" })],
      { item: "eggs" },
    );
    const second = run(
      "note {text} and buy {title}",
      [call("write", { text: "${text}" }), call("task", { title: "${title}" })],
      { text: "ham", title: "smoked ham" },
    );
    expect(widened(first, second)).toMatchObject({
      kind: "wider",
      onlyWording: false,
      change: {
        parameters: [{ name: "item" }, { name: "title" }],
        recipe: {
          promptTemplates: ["note {item} and buy {title}"],
          actions: [{ args: { text: "${item}" } }, { args: { title: "${title}" } }],
        },
        examples: [
          { parameters: { item: "eggs", title: "eggs" } },
          { parameters: { item: "ham", title: "smoked ham" } },
        ],
      },
    });
    // In the other order, the function covers it already, but it is unknown which of its slots the words fill.
    expect(widened(second, first)).toMatchObject({
      kind: "same",
      example: { parameters: { text: "eggs", title: "eggs" } },
    });
  });

  it("renames its parameters inside of lists and objects as well", () => {
    const first = run("tag it {tag}", [call("task", { tags: ["${tag}"], set: { by: "${tag}" } })], {
      tag: "boat",
    });
    const second = run("label it {label}", [call("task", { tags: ["${label}"], set: { by: "${label}" } })], {
      label: "garden",
    });
    expect(widened(first, second)).toMatchObject({
      kind: "wider",
      onlyWording: true,
      change: { recipe: { promptTemplates: ["tag it {tag}", "label it {tag}"] } },
    });
  });

  it("reads a result that equals an argument as that argument", () => {
    const made = call("write", { path: "${path}" }, [
      { field: "path", is: "matches", value: "(^|/)${path}$" },
    ]);
    const first = run("make {path} and read it", [made, call("read", { path: "${steps.1.path}" })], {
      path: "a.md",
    });
    const second = run("make {path} and read {path}", [made, call("read", { path: "${path}" })], {
      path: "b.md",
    });
    expect(widened(first, second)).toMatchObject({
      kind: "wider",
      onlyWording: true,
      change: { recipe: { actions: [{}, { args: { path: "${steps.1.path}" } }] } },
    });
    const unproven = call("write", { path: "${path}" });
    const third = run("make {path} and read it", [unproven, call("read", { path: "${steps.1.path}" })], {
      path: "c.md",
    });
    expect(widened(third, second)).toEqual({ kind: "different" });
  });

  it("replaces a default that no request stated, and names the parameters of the function in it", () => {
    const first = run(
      "start a page on {name}",
      [call("write", { path: "${path}", text: "${name}" })],
      { name: "tea" },
      [place("path", "pages/${name}.md")],
    );
    const second = run(
      "start a page on {topic}",
      [call("write", { path: "${where}", text: "${topic}" })],
      { topic: "rye" },
      [place("where", "wiki/${topic}.md")],
    );
    expect(widened(first, second)).toMatchObject({
      kind: "wider",
      change: { parameters: [{ name: "name" }, { name: "path", default: "wiki/${name}.md" }] },
    });
  });

  it("is another function if the requests state the differing values", () => {
    const pages = run(
      "start a page on {name} among the recipes",
      [call("write", { path: "${path}", text: "${name}" })],
      { name: "tea" },
      [place("path", "recipes/${name}.md")],
    );
    const wiki = run(
      "start a page on {name} among the letters",
      [call("write", { path: "${path}", text: "${name}" })],
      { name: "rye" },
      [place("path", "letters/${name}.md")],
    );
    expect(widened(pages, wiki)).toEqual({ kind: "different" });
  });

  it("that invented a value is not an example of a function whose requests state it", () => {
    const first = run("note {text}", [call("write", { text: "${text}" })], { text: "eggs" });
    const second = {
      ...run("note something", [call("write", { text: "${text}" })], {}),
      isReplayable: false,
    };
    expect(widened(first, second)).toEqual({ kind: "different" });
  });
});
