import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeSteps } from "../recipe/compose-steps.ts";
import { fillArgs, optionalNames, unmetExpectations, withDefaults } from "../recipe/instantiate.ts";
import type { GeneralizedRun } from "./generalize-run.ts";
import { learned, made, run, TODAY } from "../testing/made-runs.ts";
import type { LearnableRun, MadeCall } from "./learnable-run.ts";

/** The calls that the recipe makes of its own example, with the outputs that the run had. */
function replayed({ parameters, actions, example, calls }: GeneralizedRun): unknown[] {
  const bound = withDefaults(parameters, example.parameters ?? {}, TODAY);
  if (!bound.ok) return bound.missing;
  const outputs = calls.map((call) => call.outputs);
  return actions.map((action) => {
    const filled = fillArgs(
      action,
      { parameters: bound.values, outputs, today: TODAY },
      optionalNames(parameters),
    );
    return filled.ok ? filled.args : filled.missing;
  });
}

describe("generalizing a run", () => {
  it.each([
    ["send lee the invoice", "Lee Invoice"],
    ["send lee the invoice", "Invoice Lee"],
    ["tell the plumber about the sink", "Plumber sink"],
  ])("makes no title of parts from words that %j says apart: %s", (request, title) => {
    const { actions, example } = learned(run(request, [made("task", { title })]));
    expect(actions[0]?.args["title"]).not.toMatch(/capital/u);
    expect(Object.keys(example.parameters ?? {})).toEqual([]);
  });
  it("joins values that the request says apart as they are", () => {
    const request = "book Ada in, her last name is Berg";
    const { actions } = learned(run(request, [made("task", { title: "Ada Berg" })]));
    expect(actions[0]?.args["title"]).toBe("${title} ${name}");
  });

  it("takes a number with a fraction from the request", () => {
    const { actions, parameters, example, isReplayable } = learned(
      run("I worked 2.5 hours for Moe", [made("write", { path: "hours.csv", content: { hours: 2.5 } })]),
    );
    expect(actions[0]?.args["content"]).toEqual({ hours: "${hours}" });
    expect(parameters).toContainEqual(expect.objectContaining({ name: "hours", type: "number" }));
    expect(example.parameters).toMatchObject({ hours: 2.5 });
    expect(isReplayable).toBe(true);
  });

  it.each([
    ["append notes/b.md to notes/a.md, and then tell me how many lines it has", false],
    ["append notes/b.md to notes/a.md, and tell me the value of both lists together", false],
    ["append notes/b.md to notes/a.md and let me know which line is the longest", false],
    ["append notes/b.md to notes/a.md. How many lines does it have?", false],
    ["append notes/b.md to notes/a.md and tell me when you are done", true],
    ["append notes/b.md to notes/a.md", true],
  ])("replays no request that asks for something that no step finds: %s", (request, isReplayable) => {
    const read = made("read", { path: "notes/b.md" }, { content: "one\ntwo" });
    const write = made("write", { path: "notes/a.md", content: "one\ntwo" }, { path: "notes/a.md" });
    expect(learned(run(request, [read, write])).isReplayable).toBe(isReplayable);
  });

  it("selects no file by being the only hit of a search or the only file of a folder", () => {
    const found = learned(
      run("who still owes money for the club, write that to out/owing.md", [
        made("find", { query: "club" }, { names: ["out/club"] }),
        made("list", { path: "out/club" }, { entries: [{ path: "out/club/fees-2026.csv", kind: "file" }] }),
        made("read", { path: "out/club/fees-2026.csv" }, { content: "Bo,no\nAda,yes" }),
        made("write", { path: "out/owing.md", content: "Bo,no\nAda,yes" }, { path: "out/owing.md" }),
      ]),
    );
    expect(found.isReplayable).toBe(false);
    expect(JSON.stringify(found.actions)).not.toContain("entries.0");
  });

  it("keeps the labels of a form, and names their values after them", () => {
    const found = learned(
      run(
        "New job for Ove Sandell: fix the boat trailer, until 2026-12-04. Make a job sheet jobs/ove.md with customer, job and due date, and add a task for it",
        [
          made("write", {
            path: "jobs/ove.md",
            content:
              "# Job sheet\n\n- Customer: Ove Sandell\n- Job: fix the boat trailer\n- Due: 2026-12-04\n",
          }),
          made("task", { title: "fix the boat trailer for Ove Sandell", due: "2026-12-04" }),
        ],
      ),
    );
    expect(found.actions.map(({ args }) => args)).toEqual([
      {
        path: "${sheet}",
        content: "# Job sheet\n\n- Customer: ${customer}\n- Job: ${job}\n- Due: ${due}\n",
      },
      { title: "${job} for ${customer}", due: "${due}" },
    ]);
    expect(found.isReplayable).toBe(true);
  });

  it("finds a name that begins the request, and an answer of yes or no", () => {
    const found = learned(
      run("Hamish Reid can't come on 8 December. Note it in absences.md and set his attending to no", [
        made("write", { path: "absences.md", content: "- 2026-12-08 Hamish Reid\n" }),
        made("task", { title: "Hamish Reid", status: "no" }),
      ]),
    );
    expect(found.isReplayable).toBe(true);
    expect(found.example.parameters).toMatchObject({ title: "Hamish Reid", status: "no" });
    expect(found.actions[0]?.args["content"]).toMatch(/^- \$\{\w+\} \$\{title\}\n$/u);
  });

  it("makes a parameter of an amount on which a composed text depends", () => {
    const found = learned(
      run("scale recipes/brioche.md to 30 pieces and save it as recipes/large.md", [
        made(
          "read",
          { path: "recipes/brioche.md" },
          { path: "out/recipes/brioche.md", content: "Brioche (12 pieces)\n500 g flour\n6 eggs" },
        ),
        made(
          "write",
          { path: "recipes/large.md", content: "Brioche (30 pieces)\n1250 g flour\n15 eggs" },
          { path: "out/recipes/large.md" },
        ),
      ]),
    );
    expect(found.isReplayable).toBe(true);
    expect(found.promptTemplate).toBe("scale {path} to {pieces} pieces and save it as {recipe}");
    expect(found.example.parameters).toMatchObject({ pieces: 30 });
    expect(found.actions[1]?.args["goal"]).toContain("to ${pieces} pieces");
  });

  it("replays a request that asks for what its last step finds", () => {
    const request = 'put the text "hello" into notes/a.md, and tell me what is in it';
    const write = made("write", { path: "notes/a.md", content: "hello" }, { path: "notes/a.md" });
    const read = made("read", { path: "notes/a.md" }, { content: "hello" });
    expect(learned(run(request, [write, read])).isReplayable).toBe(true);
  });

  it("creates parameters for what the request states and references to what earlier calls found", () => {
    const found = learned(
      run('create notes/a.md with the text "hello", append "bye" and read it', [
        made(
          "write",
          { path: "notes/a.md", content: "hello" },
          { path: "out/notes/a.md", created: true, bytes: 5 },
        ),
        made("write", { path: "out/notes/a.md", text: "bye" }, { path: "out/notes/a.md", created: false }),
        made("read", { path: "out/notes/a.md" }, { path: "out/notes/a.md", content: "hello\nbye" }),
      ]),
    );
    expect(found.promptTemplate).toBe("create {path} with the text {content}, append {text} and read it");
    expect(found.actions.map(({ args }) => args)).toEqual([
      { path: "${path}", content: "${content}" },
      { path: "${steps.1.path}", text: "${text}" },
      { path: "${steps.2.path}" },
    ]);
    expect(found.example).toMatchObject({
      parameters: { path: "notes/a.md", content: "hello", text: "bye" },
      resultPath: "out/notes/a.md",
      skillSequence: ["write", "write", "read"],
    });
    expect(found.isReplayable).toBe(true);
    expect(found.actions[0]?.expect).toEqual([
      { field: "path", is: "matches", value: "(^|/)${path}$" },
      { field: "created", is: "type", value: "boolean" },
      { field: "bytes", is: "type", value: "number" },
    ]);
  });

  it("names a parameter after the field of a record that it fills", () => {
    const request = "I worked 3.5 hours for Brightwater on 2026-11-24, put it on the list";
    const values = { date: "2026-11-24", customer: "Brightwater", "Hours (h)": "3.5" };
    const { actions, parameters } = learned(run(request, [made("task", { values })]));
    expect(actions[0]?.args["values"]).toEqual({
      date: "${date}",
      customer: "${customer}",
      "Hours (h)": "${hours_h}",
    });
    expect(parameters.map(({ name }) => name).toSorted()).toEqual(["customer", "date", "hours_h"]);
  });

  it("names a day in a text a date, not after the word before it", () => {
    const request = "note in garden.md that I watered the tomatoes today";
    const content = `- ${TODAY}: watered the tomatoes`;
    const { parameters } = learned(run(request, [made("write", { path: "garden.md", content })]));
    expect(parameters.find(({ type }) => type === "date")).toMatchObject({
      name: "date",
      description: "The day.",
    });
  });

  it("creates a default for a place that the request omits", () => {
    const found = learned(
      run("make sandwich file", [made("write", { path: "out/kitchen/sandwich.md", content: "" })]),
    );
    expect(found.parameters).toMatchObject([
      { name: "name", type: "string", required: true },
      { name: "path", type: "path", required: false, default: "out/kitchen/${name}.md" },
    ]);
    expect(found.actions[0]?.args).toEqual({ path: "${path}", content: "" });
    expect(found.promptTemplate).toBe("make {name} file");
  });

  it("follows a name through paths and texts, and recognizes days", () => {
    const found = learned(
      run("pack for the trip to New York on friday", [
        made("write", { path: "trips/new-york.md", content: "New York" }),
        made("task", { title: "New York", due: "2026-11-27", priority: "P2" }),
        made("task", { title: `New York, ${TODAY}` }),
      ]),
    );
    expect(found.actions.map(({ args }) => args)).toEqual([
      { path: "${path}", content: "${name}" },
      { title: "${name}", due: "${due}", priority: "P2" },
      { title: "${name}, ${today}" },
    ]);
    expect(found.parameters.find(({ name }) => name === "path")?.default).toBe("trips/${name|slug}.md");
    expect(found.example.parameters).toEqual({ name: "New York", due: "2026-11-27" });
    expect(found.promptTemplate).toBe("pack for the trip to {name} {due}");
  });

  it("omits failed detours, repeated reads and listings, and keeps what was requested or used", () => {
    const failed = { ...made("read", { path: "b.md" }), success: false };
    const look = made("list", {}, { total: 3 });
    const found = made("read", { path: "inbox/x.md" }, { content: "the secret recipe of grandmother" });
    const calls = [
      look,
      failed,
      found,
      look,
      made("write", { path: "a.md", content: "the secret recipe of grandmother" }),
    ];
    expect(learned(run("put the recipe into a.md", calls)).calls.map((call) => call.skill)).toEqual([
      "read",
      "write",
    ]);
    expect(
      learned(run("list my tasks, then put it into a.md", calls)).calls.map((call) => call.skill),
    ).toEqual(["list", "read", "write"]);
  });

  it("uses a person's answer as the default for an omitted value", () => {
    const calls = [
      made("ask", { question: "Where?" }, { answer: "out/letters" }),
      made("write", { path: "out/letters/bob.md", content: "" }),
      made("task", { title: "Bob" }),
    ];
    const found = learned(run("start a letter to Bob", calls));
    expect(found.parameters).toMatchObject([
      { name: "title", required: true },
      { name: "place", required: false, default: "out/letters" },
      { name: "path", required: false, default: "${place}/${title|slug}.md" },
    ]);
  });

  it("does not replay what a model must compose, or a request whose words it does not understand", () => {
    const poem = "Roses are red,\nviolets are blue";
    const composed = learned(
      run("write a poem about Oslo into a.md", [made("write", { path: "a.md", content: poem })]),
    );
    expect(composed.isReplayable).toBe(false);
    expect(composed.promptTemplate).toBeUndefined();
    expect(composed.parameters.map(({ name }) => name)).toEqual(["path"]);
    expect(composed.composedValues).toEqual({ content: poem });
    const odd = learned(
      run('note "Oslo" in a.md', [
        made("write", { path: "a.md", content: "Oslo" }),
        made("task", { title: "see oslo" }),
      ]),
    );
    expect(odd.isReplayable).toBe(false);
  });

  it("composes a text once that several calls use", () => {
    const summary = "Short: the roof leaks on monday";
    const found = learned(
      run("summarize notes.md into short.md and into copy.md", [
        made(
          "read",
          { path: "notes.md" },
          { path: "out/notes.md", content: "The roof leaks since monday, at length" },
        ),
        made("write", { path: "short.md", content: summary }, { path: "out/short.md" }),
        made("write", { path: "copy.md", content: summary }, { path: "out/copy.md" }),
      ]),
    );
    expect(found.isReplayable).toBe(true);
    expect(found.actions.map(({ skill, args }) => [skill, args["content"]])).toEqual([
      ["read", undefined],
      ["conversational_response", undefined],
      ["write", "${steps.2.response}"],
      ["write", "${steps.2.response}"],
    ]);
    expect(found.parameters.map(({ name }) => name)).toEqual(["path", "file", "path2"]);
  });

  it("reproduces the original calls, whatever values they contain", () => {
    const word = fc.constantFrom(
      "milk",
      "Oslo",
      "garden",
      "New York",
      "a.md",
      "notes/b.md",
      "friday",
      "7",
      "${x}",
      "to",
      '"quoted words"',
    );
    const text = fc.oneof(
      word,
      fc.tuple(word, word).map((pair) => pair.join(" ")),
      fc
        .tuple(word, word)
        .map(([folder, name]) => `${folder.toLowerCase()}/${name.toLowerCase().replaceAll(" ", "-")}.md`),
      fc.string({ maxLength: 40 }),
      fc.constant(`done on ${TODAY}`),
    );
    const call = fc.record({
      skill: fc.constantFrom("write", "task"),
      args: fc.record({ path: text, content: text, tags: fc.array(text, { maxLength: 2 }) }),
      outputs: fc.record({ path: text, id: fc.string({ minLength: 8, maxLength: 12 }) }),
      success: fc.constant(true),
    });
    const request = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(request, fc.array(call, { minLength: 1, maxLength: 4 }), (prompt, calls) => {
        // The values that a later call takes from an earlier one.
        const linked = calls.map((one, index) =>
          index > 0 && index % 2 === 1
            ? { ...one, args: { ...one.args, path: calls[index - 1]?.outputs.path } }
            : one,
        );
        const found = learned(run(prompt, linked, { explores: false }));
        if (found.promptTemplate === undefined) expect(found.isReplayable).toBe(false);
        else expect(replayed(found)).toEqual(found.calls.map(({ args }) => args));
        const bound = withDefaults(found.parameters, found.example.parameters ?? {}, TODAY);
        const parameters = bound.ok ? bound.values : {};
        const outputs = found.calls.map((one) => one.outputs);
        if (bound.ok && found.promptTemplate !== undefined)
          for (const [index, { expect: expected }] of found.actions.entries())
            expect(
              unmetExpectations(expected, outputs[index] ?? {}, { parameters, outputs, today: TODAY }),
            ).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

it("does not replay unchanged a read that returned nothing: it may return something later", () => {
  const writes = (content: string) => made("write", { path: "out/t.md", content }, { path: "out/t.md" });
  const list = (tasks: unknown[]) => made("list", {}, { tasks, total: tasks.length });
  const read = (content: string) => made("read", { path: "out/a.md" }, { path: "out/a.md", content });
  const replays = (...calls: MadeCall[]) =>
    learned(run("put what there is into t.md", calls, { explores: false })).isReplayable;
  expect(replays(list([]), writes(""))).toBe(false);
  expect(replays(read(""), writes(""))).toBe(false);
  expect(replays(read("some words"), writes(""))).toBe(true);
  expect(replays(list([{ title: "buy milk" }]), writes(""))).toBe(true);
});

describe("a recipe, carried out with other values", () => {
  /** The source of each argument of a random run: words of the request, or the result of a read. */
  const word = fc.stringMatching(/^[bcdfgjkvwxz]{5,9}$/);
  const distinct = fc.uniqueArray(word, { minLength: 12, maxLength: 12 });
  const source = fc.constantFrom("said", "found", "said and found", "trimmed", "today", "composed");
  const step = fc.record({ source, place: fc.constantFrom("said", "fixed") });

  function runOf(
    steps: readonly { source: string; place: string }[],
    words: readonly string[],
  ): LearnableRun {
    const [topic = "", file = ""] = words;
    const texts = words.slice(2, 2 + steps.length);
    const found = `${words[8] ?? ""} ${words[9] ?? ""}\n`;
    const request = [
      `note "${topic}" of ${file}.md`,
      ...texts.map((text, index) => {
        const named = steps[index]?.source.startsWith("said") ? `"${text}"` : "something";
        return `plus ${named} in ${String(index)}${text}.md`;
      }),
    ];
    const read = made("read", { path: `${file}.md` }, { path: `out/${file}.md`, content: found });
    const calls = steps.map(({ source: from, place }, index) => {
      const text = texts[index] ?? "";
      const content: Record<string, string> = {
        said: text,
        found,
        "said and found": `${text}: ${found}`,
        trimmed: found.trimEnd(),
        today: TODAY,
        // The words of a result in another order, so that no source contains the text.
        composed: `${words[9] ?? ""} and ${words[8] ?? ""} (${String(index)})`,
      };
      const path = place === "said" || from === "composed" ? `${String(index)}${text}.md` : "lists/fixed.md";
      return made("write", { path, content: content[from] }, { path: `out/${path}`, created: true });
    });
    return run(`${request.join(", ")}, called ${topic}`, [read, ...calls], { explores: false });
  }

  it("does what new planning would do", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        distinct,
        distinct,
        (made, words, others) => {
          const composed = made.filter(({ source: from }) => from === "composed").slice(0, 2);
          const steps = made.filter((one) => one.source !== "composed" || composed.includes(one));
          const first = learned(runOf(steps, words));
          const anew = runOf(steps, others);
          const again = learned(anew);
          expect(first.isReplayable).toBe(true);
          // The task of a composed text contains the words of the request without a parameter.
          const done = ({ actions }: GeneralizedRun) =>
            actions.map(({ args: { goal: _goal, ...args }, ...action }) => ({ ...action, args }));
          expect(done(first)).toEqual(done(again));
          const bound = withDefaults(first.parameters, again.example.parameters ?? {}, TODAY);
          expect(bound.ok).toBe(true);
          const outputs = again.calls.map((call) => call.outputs);
          const parameters = bound.ok ? bound.values : {};
          const args = first.actions.map((action) =>
            fillArgs(action, { parameters, outputs, today: TODAY }, optionalNames(first.parameters)),
          );
          const composes = composeSteps({ promptTemplates: [], actions: first.actions });
          expect(composes.size).toBe(composed.length);
          expect(args.filter((_, index) => !composes.has(index))).toEqual(
            anew.calls.map((call) => ({ ok: true, args: call.args })),
          );
          // The text is composed with the values of this request, from the current results.
          for (const at of composes) {
            const filled = args[at];
            const asked = filled?.ok ? filled.args : {};
            expect(asked["goal"]).toContain(`${others[1] ?? ""}.md`);
            expect(asked["context"]).toContain(`${others[8] ?? ""} ${others[9] ?? ""}`);
            const inContext = String(asked["context"]).split(/\P{L}+/u);
            for (const word of words.slice(0, 10)) expect(inContext).not.toContain(word);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
