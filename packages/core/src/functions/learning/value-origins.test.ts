import { describe, expect, it } from "vitest";
import { learned, made, run } from "../testing/made-runs.ts";

describe("a text of which a part has no source", () => {
  const composed = () =>
    learned(
      run("add task buy milk and write Oslo to notes/a.md", [
        made("task", { title: "buy milk" }),
        made("write", { path: "notes/a.md", content: "Oslo: buy" }),
      ]),
    );

  it("creates no parameter for its other parts", () => {
    const { parameters, example } = composed();
    expect(parameters.map(({ name }) => name)).toEqual(["title", "path"]);
    expect(Object.keys(example.parameters ?? {})).toEqual(["title", "path"]);
  });

  it("has one origin", () => {
    expect(
      composed().provenance.filter(({ step, argument }) => step === 2 && argument === "content"),
    ).toEqual([{ step: 2, argument: "content", from: "composed", detail: "composed by the model" }]);
  });
});

it("takes words that the request repeats from where no other parameter takes them", () => {
  const { isReplayable, actions, parameters } = learned(
    run("add task buy milk and write Oslo with buy to notes/a.md", [
      made("task", { title: "buy milk" }),
      made("write", { path: "notes/a.md", content: "Oslo: buy" }),
    ]),
  );
  expect(isReplayable).toBe(true);
  expect(parameters.map(({ name }) => name)).toEqual(["title", "path", "name", "content"]);
  expect(actions[1]?.args["content"]).toBe("${name}: ${content}");
});

it("takes a quotation at the beginning of the request as a source", () => {
  const { isReplayable, actions } = learned(
    run('"Oslo" and "Rome": write them to notes/a.md', [
      made("write", { path: "notes/a.md", content: "Oslo, Rome" }),
    ]),
  );
  expect(isReplayable).toBe(true);
  expect(actions[0]?.args["content"]).toBe("${name}, ${content}");
});

it.each(['"42"', "„42“", "«42»", "»42«", "`42`"])(
  "takes a number in quotation marks from the request: %s",
  (quoted) => {
    const { provenance } = learned(
      run(`calculate the total of notes/a.txt and write ${quoted} to notes/a.md`, [
        made("read", { path: "notes/a.txt" }),
        made("write", { path: "notes/a.md", content: "42" }),
      ]),
    );
    expect(provenance).toContainEqual({
      step: 2,
      argument: "content",
      from: "request",
      detail: "from your request",
    });
  },
);

it("calls a text without words a constant", () => {
  const { provenance, actions } = learned(
    run("write the mark to notes/a.md", [made("write", { path: "notes/a.md", content: "✅" })]),
  );
  expect(actions[0]?.args["content"]).toBe("✅");
  expect(provenance).toContainEqual(
    expect.objectContaining({ step: 1, argument: "content", from: "constant" }),
  );
});

describe("a number in words", () => {
  it("is a parameter like a number in digits", () => {
    const { actions, promptTemplate, example, isReplayable } = learned(
      run("shorten notes/boat.md to two sentences", [
        made("read", { path: "notes/boat.md", sentences: 2 }, { text: "It floats. It is blue." }),
      ]),
    );
    expect([promptTemplate, isReplayable]).toEqual(["shorten {path} to {sentences} sentences", true]);
    expect(actions[0]?.args).toEqual({ path: "${path}", sentences: "${sentences}" });
    expect(example.parameters).toEqual({ path: "notes/boat.md", sentences: 2 });
  });
});

describe("a read before a call that returns its own text", () => {
  it("is kept if the text was composed from it", () => {
    const { actions } = learned(
      run("add a task for what I promised the garden club", [
        made(
          "read",
          { path: "out/club/meeting.md" },
          { text: "3. Mira writes to the council about the meter." },
        ),
        made(
          "task",
          { title: "Ask the council for a meter" },
          { title: "Ask the council for a meter", id: "t1" },
        ),
      ]),
    );
    expect(actions.map(({ skill: used }) => used)).toEqual(["read", "task"]);
  });
});

describe("a name in place of a pronoun of the request", () => {
  const titleOf = (request: string, text: string, title: string) => {
    const { actions, isReplayable } = learned(
      run(request, [made("write", { path: "list.md", content: text }), made("task", { title })]),
    );
    return isReplayable ? actions[1]?.args["title"] : undefined;
  };

  it.each([
    ["put Mia on the list and make a task to call her", "Mia", "Call Mia", "Call ${name}"],
    ["put Mia on the list and make a task to call her", "Mia", "call Mia", "call ${name}"],
    [
      "note the heat pump and make a task to order it",
      "heat pump",
      "Order the heat pump",
      "Order the ${content}",
    ],
  ])("has the words of the request before it: %s", (request, text, title, template) => {
    expect(titleOf(request, text, title)).toBe(template);
  });

  it.each([
    ["put Mia on the list and make a task to write to her", "Mia", "Call Mia"],
    ["put Mia on the list and make a task to call her sister Eva", "Mia", "Call sister Mia"],
    ["make a task to call her and put Mia on the list", "Mia", "Call Mia"],
  ])("has no other words before it, and comes before the pronoun: %s → %s", (request, text, title) => {
    expect(titleOf(request, text, title)).toBeUndefined();
  });
});

describe("a file that a guide reads", () => {
  const guideFor = (request: string) =>
    learned(
      run(request, [
        made(
          "read",
          { path: "health/dr-lund.md" },
          { path: "out/health/dr-lund.md", content: "Blood test in May." },
        ),
        made("write", { path: "reports/summary.md", content: "A test is due in spring." }),
        made("task", { title: "Ask for an appointment in spring" }),
      ]),
    );

  it("is an example and no default if the request does not name it", () => {
    const { parameters, isReplayable, composedValues, provenance } = guideFor(
      "write a report on my last letter and a task for what is due",
    );
    expect(isReplayable).toBe(false);
    expect(parameters).toEqual([
      {
        name: "path",
        type: "path",
        description: "The file or folder: find the one for this request; last time health/dr-lund.md.",
        required: true,
      },
      expect.objectContaining({ name: "file", default: "reports/summary.md" }),
    ]);
    expect(composedValues["path"]).toBe("health/dr-lund.md");
    expect(provenance[0]).toMatchObject({ step: 1, from: "composed" });
  });

  it("is a default if the words of the request name it", () => {
    const { parameters } = guideFor("write a report on my health and a task for what is due");
    expect(parameters[0]).toMatchObject({ name: "path", required: false, default: "health/dr-lund.md" });
  });
});
