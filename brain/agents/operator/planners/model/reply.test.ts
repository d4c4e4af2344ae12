import { readJson } from "@metahuman/models/structured-reply";
import { describe, expect, it } from "vitest";
import { fsRead } from "@metahuman/skills/fs-read/skill";
import { taskCreate } from "@metahuman/skills/task-create/skill";
import { actionOf, PlannerReply, plainSchema, readableCall, replySchema } from "./reply.ts";

const act = { thought: "read it", action: { tool: "fs_read", args: { path: "a.md" } } };

describe("a planner's reply", () => {
  it("is an action with its arguments, or the end", () => {
    expect(PlannerReply.safeParse(act).success).toBe(true);
    expect(PlannerReply.safeParse({ thought: "ok", respond: true }).success).toBe(true);
  });

  it.each([
    ["both an action and the end", { ...act, respond: true }, "not both"],
    ["neither", { thought: "hm" }, 'give either an "action"'],
    ["an empty thought", { thought: " ", respond: true }, "thought: say in a few words why"],
    ["args that are no object", { thought: "x", action: { tool: "a", args: [1] } }, "action.args"],
  ])("is refused with the reason if it has %s", (_, reply, problem) => {
    const read = readJson(PlannerReply, JSON.stringify(reply));
    expect(read.ok ? [] : read.problems.join("\n")).toContain(problem);
  });
});

describe("a call as small models write it", () => {
  it.each([
    ["the form of ReAct", { thought: "x", action: "fs_read", action_input: { path: "a.md" } }],
    ["a call alone", { name: "fs_read", arguments: { path: "a.md" } }],
    ["a function with parameters", { function: "fs_read", parameters: { path: "a.md" } }],
    [
      "a call in the action",
      { thought: "x", action: { tool_name: "fs_read", tool_input: { path: "a.md" } } },
    ],
  ])("is read: %s", (_, reply) => {
    expect(PlannerReply.parse(reply).action).toEqual({ tool: "fs_read", args: { path: "a.md" } });
  });

  it.each(["action", "actions"])("is the first of several in %s, because a reply makes one", (name) => {
    const later = { tool: "fs_list", args: {} };
    const reply = { thought: "both", [name]: [act.action, later] };
    expect(PlannerReply.parse(reply).action).toEqual({ tool: "fs_read", args: { path: "a.md" } });
    expect(PlannerReply.safeParse({ thought: "none", [name]: [] }).success).toBe(false);
  });

  it.each(["create_task", "createTask", "task-create", "TASK_CREATE"])(
    "means the skill of the same words: %s",
    (tool) => {
      const action = actionOf({ tool, args: { name: "Buy tape" } }, [taskCreate, fsRead]);
      expect(action).toEqual({ tool: "task_create", args: { title: "Buy tape" } });
    },
  );

  it("is without the arguments that a skill that only reads does not have", () => {
    const args = { path: "a.md", confidence: 0.9 };
    expect(readableCall({ tool: "fs_read", args }, [taskCreate, fsRead])).toEqual({
      action: { tool: "fs_read", args: { path: "a.md" } },
      leftOut: ["confidence"],
    });
  });

  it.each([
    ["changes something", "task_create", { title: "Buy tape", confidence: 0.9 }],
    ["has a misspelled argument", "fs_read", { path: "a.md", maxBites: 10 }],
    ["has only arguments of the skill", "fs_read", { path: "a.md" }],
  ])("keeps its arguments if it %s", (_about, tool, args) => {
    expect(readableCall({ tool, args }, [taskCreate, fsRead])).toEqual({ action: { tool, args } });
  });

  it.each(["read_file", "readFile", "open_file", "get_file_content"])(
    "means the skill that other assistants call so: %s",
    (tool) => {
      const action = actionOf({ tool, args: { filename: "a.md" } }, [taskCreate, fsRead]);
      expect(action).toEqual({ tool: "fs_read", args: { path: "a.md" } });
    },
  );

  it("means the path without the escapes of Markdown", () => {
    const action = actionOf({ tool: "fs_read", args: { path: "out/a\\_b\\[1].md" } }, [taskCreate, fsRead]);
    expect(action.args).toEqual({ path: "out/a_b[1].md" });
  });

  it("keeps such a name if the skill is not installed", () => {
    expect(actionOf({ tool: "read_file", args: {} }, [taskCreate]).tool).toBe("read_file");
  });

  it("keeps a name that no skill has", () => {
    expect(actionOf({ tool: "task_make", args: {} }, [taskCreate, fsRead]).tool).toBe("task_make");
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

  it("uses no keyword of a skill's schema that a small server may not support", () => {
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
