import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReply } from "./read-reply.ts";
import { plainSchema, replySchema } from "./reply.ts";

const act = { thought: "read it", action: { tool: "fs_read", args: { path: "a {b}.md" } } };

describe("reading a planner's reply", () => {
  it.each([
    ["bare JSON", JSON.stringify(act)],
    ["a fence", "```json\n" + JSON.stringify(act, null, 2) + "\n```"],
    ["thinking before it", `<think>maybe {"thought":"no"} instead</think>\n${JSON.stringify(act)}`],
    ["words around it", `Sure! Here is the next step:\n${JSON.stringify(act)}\nLet me know how it goes.`],
    ["braces in the words before it", `Using {curly} style: ${JSON.stringify(act)}`],
  ])("finds the object in %s", (_, text) => {
    expect(readReply(text)).toMatchObject({ ok: true, reply: act });
  });

  it.each([
    ["nothing", "", "no complete JSON object"],
    ["prose", "I would read the file.", "no complete JSON object"],
    ["an object that breaks off", '{"thought": "read", "action": {"tool":', "no complete JSON object"],
    ["thinking without end", '<think> hm {"thought":"x","respond":true}', "no complete JSON object"],
    ["both an action and the end", JSON.stringify({ ...act, respond: true }), "not both"],
    ["neither", '{"thought": "hm"}', 'give either an "action"'],
    ["an empty thought", '{"thought": " ", "respond": true}', "thought: say in a few words why"],
    ["args that are no object", '{"thought": "x", "action": {"tool": "a", "args": [1]}}', "action.args"],
  ])("says what is wrong with %s", (_, text, problem) => {
    const read = readReply(text);
    expect(read.ok ? [] : read.problems.join("\n")).toContain(problem);
  });

  it("never throws, whatever the model writes", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        readReply(text);
      }),
    );
  });
});

describe("the schema of a planner's reply", () => {
  it("lets a server produce only installed tools, each with its own arguments", () => {
    const schema = replySchema([
      {
        id: "fs_read",
        args: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      },
    ]);
    expect(JSON.stringify(schema)).toContain('"enum":["fs_read"]');
  });

  it("uses no keyword of a skill's schema that a small server may not know", () => {
    expect(plainSchema({ type: "string", minLength: 1, description: "A path" })).toEqual({
      type: "string",
      description: "A path",
    });
  });

  it("keeps arguments that are named like keywords", () => {
    const args = {
      type: "object",
      properties: { pattern: { type: "string" }, format: { type: "string", pattern: "^x$" } },
    };
    expect(plainSchema(args)).toEqual({
      type: "object",
      properties: { pattern: { type: "string" }, format: { type: "string" } },
    });
  });
});
