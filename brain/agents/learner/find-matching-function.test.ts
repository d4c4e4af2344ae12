import type { FunctionMemory, Recipe } from "@metahuman/core/contract/function";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { GeneralizedRun } from "@metahuman/core/functions/learning/generalize-run";
import { openBeforeEach } from "@metahuman/core/functions/testing/open-before-each";
import { ADA } from "@metahuman/core/functions/testing/open-test-functions";
import { describe, expect, it } from "vitest";
import { findMatchingFunction } from "./find-matching-function.ts";

let functions: FunctionsPort;
openBeforeEach((opened) => ({ functions } = opened));

type Args = Recipe["actions"][number]["args"];

/** A run that wrote a file and a task, in the form that learning reads. */
function learned(
  promptTemplate: string,
  [path, title]: [path: string, title: string],
  values: Record<string, string>,
): GeneralizedRun {
  const call = (skill: string, args: Args) => ({ skill, args, expect: [] });
  return {
    calls: [],
    parameters: Object.keys(values).map((name) => ({
      name,
      type: "string",
      description: "",
      required: true,
    })),
    actions: [call("fs_write", { path, content: "" }), call("task_create", { title })],
    promptTemplate,
    example: {
      prompt: promptTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ""),
      parameters: values,
    },
    composedValues: {},
    provenance: [],
    isReplayable: true,
  };
}

async function drafted({ actions, parameters, example, promptTemplate = "" }: GeneralizedRun) {
  return functions.saveFunction(
    {
      title: promptTemplate,
      summary: "",
      steps: ["Write it.", "Note it."],
      skillsUsed: actions.map(({ skill }) => skill),
      parameters,
      examples: [example],
      recipe: { promptTemplates: [promptTemplate], actions },
    },
    ADA,
  );
}

/** The runs here differ in what the comparison of templates finds; `coverRun` has tests of its own. */
const comparison = { steps: [], covers: (): undefined => undefined, reads: (): boolean => false };
const sameAs = async (run: GeneralizedRun): Promise<FunctionMemory | undefined> =>
  (await findMatchingFunction(run, functions, comparison))?.function;

describe("the same calls in different words", () => {
  it("are the same action if their own text states the purpose", async () => {
    const { id } = await drafted(
      learned("lay out the {name} shelf", ["shelves/${name}.md", "See to ${name}"], { name: "spice" }),
    );
    const known = await findMatchingFunction(
      learned("where do I keep all my {thing}", ["shelves/${thing}.md", "See to ${thing}"], { thing: "tea" }),
      functions,
      comparison,
    );
    expect(known).toMatchObject({
      function: { id },
      widened: {
        kind: "wider",
        onlyWording: true,
        change: {
          recipe: { promptTemplates: ["lay out the {name} shelf", "where do I keep all my {name}"] },
          examples: [{ parameters: { name: "spice" } }, { parameters: { name: "tea" } }],
        },
      },
    });
  });

  it("are the same action if their requests are the same", async () => {
    const values = { path: "gate.md", title: "oil the gate" };
    const { id } = await drafted(learned("put {path}, then add {title}", ["${path}", "${title}"], values));
    const again = learned("I want {path} and must {title}", ["${path}", "${title}"], values);
    expect(await sameAs(again)).toMatchObject({ id });
  });

  it("are the same action if the requests share a word or a folder", async () => {
    const { id } = await drafted(
      learned("put {path}, then add {title}", ["${path}", "${title}"], {
        path: "plants/rose.md",
        title: "water the rose",
      }),
    );
    const other = { path: "plants/fern.md", title: "mist the leaves" };
    const again = learned("I want {path} and must {title}", ["${path}", "${title}"], other);
    expect(await sameAs(again)).toMatchObject({ id });
  });

  it("are the same action if the requests share a synonym", async () => {
    const { id } = await drafted(
      learned("open the folder {path}, then {title}", ["${path}", "${title}"], {
        path: "plants/rose.md",
        title: "water the rose",
      }),
    );
    const other = { path: "bills/seven.md", title: "pay the invoice" };
    const again = learned("I want a directory {path} and must {title}", ["${path}", "${title}"], other);
    expect(await sameAs(again)).toMatchObject({ id });
  });

  it("are different actions if only the skills are the same", async () => {
    await drafted(
      learned("put {path}, then add {title}", ["${path}", "${title}"], {
        path: "plants/rose.md",
        title: "water the rose",
      }),
    );
    const other = { path: "bills/seven.md", title: "pay the invoice" };
    expect(
      await sameAs(learned("I want {path} and must {title}", ["${path}", "${title}"], other)),
    ).toBeUndefined();
  });

  it("are different actions if something in them differs", async () => {
    await drafted(
      learned("lay out the {name} shelf", ["shelves/${name}.md", "See to ${name}"], { name: "spice" }),
    );
    expect(
      await sameAs(
        learned("where do I keep my {thing}", ["boxes/${thing}.md", "See to ${thing}"], { thing: "tea" }),
      ),
    ).toBeUndefined();
  });
});

describe("a recipe that composes a text", () => {
  const composing = (promptTemplate: string, values: Record<string, string>): GeneralizedRun => {
    const action = (skill: string, args: Args) => ({ skill, args, expect: [] });
    return {
      ...learned(promptTemplate, ["", ""], values),
      actions: [
        action("fs_read", { path: "${path}" }),
        action("conversational_response", {
          goal: promptTemplate.replaceAll("{", "${"),
          context: "${steps.1.content}",
        }),
        action("fs_write", { path: "${path2}", content: "${steps.2.response}" }),
      ],
    };
  };
  const first = { path: "a.md", path2: "a-people.md" };
  const second = { path: "b.md", path2: "b-people.md" };

  it("accepts runs with other values", async () => {
    const { id } = await drafted(composing("list the people named in {path} in {path2}", first));
    const again = composing("list the people named in {path} in {path2}", second);
    expect(await sameAs(again)).toMatchObject({ id });
  });

  it("has a parameter for the only words in which two requests differ", async () => {
    await drafted(composing("list the people named in {path} in {path2}", first));
    const places = composing("list the places named in {path} in {path2}", second);
    expect((await findMatchingFunction(places, functions, comparison))?.widened).toMatchObject({
      kind: "wider",
      change: {
        recipe: {
          promptTemplates: ["list the {topic} named in {path} in {path2}"],
          actions: [{}, { args: { goal: "list the ${topic} named in ${path} in ${path2}" } }, {}],
        },
        examples: [{ parameters: { topic: "people" } }, { parameters: { topic: "places", path: "b.md" } }],
      },
    });
  });

  it("is the same for a request that names the text in another order", async () => {
    const { id } = await drafted(
      composing("read {path} and write a short summary for members to {path2}", first),
    );
    expect(
      await sameAs(composing("make a short summary of {path} for members in {path2}", second)),
    ).toMatchObject({
      id,
    });
  });

  it.each([
    "show the people named in {path} in {path2} in German",
    "list two people named in {path} in {path2}",
    "summarize {path} into {path2}",
    "list the people named in {path} in {path2} in German",
  ])("does not match another text from the same sources: %s", async (request) => {
    await drafted(composing("list the people named in {path} in {path2}", first));
    expect(await sameAs(composing(request, second))).toBeUndefined();
  });
});
