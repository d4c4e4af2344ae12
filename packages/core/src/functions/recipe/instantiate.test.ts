import { describe, expect, it } from "vitest";
import type { FunctionParameter } from "../../contract/function.ts";
import { fillArgs, optionalNames, unmetExpectations, withDefaults } from "./instantiate.ts";

const bindings = {
  parameters: { name: "pizza", tags: ["food"], count: 2 },
  outputs: [{ path: "out/pizza.md", task: { title: "Bake" }, entries: [{ path: "out/a.md" }] }],
  today: "2026-11-22",
};

const parameter = (name: string, more: Partial<FunctionParameter> = {}): FunctionParameter => ({
  name,
  type: "string",
  description: "",
  required: true,
  ...more,
});

describe("filling in the arguments of an action", () => {
  it("keeps the type of a single placeholder and formats the others as text", () => {
    const args = {
      path: "notes/${name}-${today}.md",
      tags: "${tags}",
      limit: "${count}",
      set: { from: "${steps.1.path}", title: "${steps.1.task.title}", first: "${steps.1.entries.0.path}" },
    };
    expect(fillArgs({ args }, bindings)).toEqual({
      ok: true,
      args: {
        path: "notes/pizza-2026-11-22.md",
        tags: ["food"],
        limit: 2,
        set: { from: "out/pizza.md", title: "Bake", first: "out/a.md" },
      },
    });
  });

  it("takes folder, name and stem of a path, with one slash between the parts of a path", () => {
    const parameters = { from: "out/notes/plan.b.md", to: "archive/", bare: "plan.md" };
    const args = {
      to: "${to}/${from|name}",
      folder: "${from|folder}",
      copy: "${from|folder}/${from|stem}-copy.md",
      beside: "${bare|folder}",
    };
    expect(fillArgs({ args }, { ...bindings, parameters })).toEqual({
      ok: true,
      args: {
        to: "archive/plan.b.md",
        folder: "out/notes",
        copy: "out/notes/plan.b-copy.md",
        beside: ".",
      },
    });
  });

  it("names the placeholders without a value", () => {
    const args = { path: "${folder}/${steps.2.path}", text: "costs ${5} and {name}" };
    expect(fillArgs({ args }, bindings)).toEqual({ ok: false, missing: ["${folder}", "${steps.2.path}"] });
  });

  it("omits the argument of an optional parameter without a value", () => {
    const optional = optionalNames([parameter("due", { required: false })]);
    expect(fillArgs({ args: { title: "${name}", due: "${due}" } }, bindings, optional)).toEqual({
      ok: true,
      args: { title: "pizza" },
    });
  });

  it("does not fill in placeholders inside of a value", () => {
    const given = { ...bindings, parameters: { name: "${steps.1.path}" } };
    expect(fillArgs({ args: { text: "say ${name}" } }, given)).toEqual({
      ok: true,
      args: { text: "say ${steps.1.path}" },
    });
  });
});

describe("the defaults of parameters", () => {
  it("may contain other parameters, and require only required ones", () => {
    const parameters = [
      parameter("name"),
      parameter("path", { type: "path", default: "kitchen/${name}.md" }),
      parameter("due", { required: false }),
    ];
    expect(withDefaults(parameters, { name: "pizza" }, "2026-11-22")).toEqual({
      ok: true,
      values: { name: "pizza", path: "kitchen/pizza.md" },
    });
    expect(withDefaults(parameters, {}, "2026-11-22")).toEqual({ ok: false, missing: ["name", "path"] });
  });

  it("of other parameters may be listed in any order", () => {
    const parameters = [
      parameter("path", { default: "${folder}/list.md" }),
      parameter("folder", { default: "${place}/oslo" }),
      parameter("place", { default: "trips" }),
    ];
    expect(withDefaults(parameters, {}, "2026-11-22")).toEqual({
      ok: true,
      values: { path: "trips/oslo/list.md", folder: "trips/oslo", place: "trips" },
    });
  });
});

describe("the expectation of an output", () => {
  const outputs = { path: "out/pizza.md", created: true, entries: [1], bytes: 3, task: { status: "done" } };

  it("accepts values, patterns, types and presence", () => {
    const expected = [
      { field: "created", is: "equals", value: true },
      { field: "path", is: "matches", value: "(^|/)${name}\\.md$" },
      { field: "entries", is: "type", value: "list" },
      { field: "bytes", is: "present" },
      { field: "task.status", is: "equals", value: "done" },
    ] as const;
    expect(unmetExpectations(expected, outputs, bindings)).toEqual([]);
  });

  it.each([
    [{ field: "created", is: "equals", value: false }, "created is true, not false."],
    [{ field: "gone", is: "present" }, "gone is missing."],
    [{ field: "bytes", is: "type", value: "string" }, 'bytes is a number, not a "string".'],
    [
      { field: "path", is: "matches", value: "^inbox/" },
      'path is "out/pizza.md", which does not match ^inbox/.',
    ],
    [{ field: "path", is: "matches", value: "(" }, "path is compared with an invalid pattern: ("],
  ] as const)("is a deviation otherwise: %j", (expectation, sentence) => {
    expect(unmetExpectations([expectation], outputs, bindings)).toEqual([sentence]);
  });

  it("accepts a change that was made already, which has no new size and no archived text", () => {
    const made = { path: "out/singers.csv", changed: false };
    const expected = [
      { field: "changed", is: "type", value: "boolean" },
      { field: "bytes", is: "type", value: "number" },
      { field: "archived", is: "present" },
    ] as const;
    expect(unmetExpectations(expected, made, bindings)).toEqual([]);
    expect(unmetExpectations(expected, { ...made, changed: true }, bindings)).toEqual([
      "bytes is missing.",
      "archived is missing.",
    ]);
  });

  it("does not match a pattern that would never end", () => {
    const expectation = { field: "path", is: "matches", value: "^(a+)+$" } as const;
    expect(unmetExpectations([expectation], { path: `${"a".repeat(60)}!` }, bindings)).toEqual([
      "path is compared with a pattern that takes too long: ^(a+)+$",
    ]);
  });

  it("matches a parameter's value in a pattern literally", () => {
    const odd = { ...bindings, parameters: { name: "a+b (1)" } };
    const expectation = { field: "path", is: "matches", value: "^out/${name}$" } as const;
    expect(unmetExpectations([expectation], { path: "out/a+b (1)" }, odd)).toEqual([]);
  });
});
