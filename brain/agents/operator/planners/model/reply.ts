import { type Action, MAX_TOOL_NAME, ResponseStyle } from "@metahuman/core/contract/run";
import { isRecord } from "@metahuman/core/text/is-record";
import { closestInput } from "@metahuman/skills/args-error";
import { withInputNames } from "@metahuman/skills/read-arguments";
import { z } from "zod";
import type { PlanState, Step } from "../../planner.ts";

const NAMES_OF_TOOL = ["tool", "name", "tool_name", "function"] as const;
const NAMES_OF_ARGS = [
  "args",
  "arguments",
  "action_input",
  "tool_input",
  "parameters",
  "params",
  "input",
] as const;
const Args = z.record(z.string(), z.unknown());

/** A call as small models write it, with the name of the tool and the arguments under other keys. */
const LooseCall = z.looseObject({}).transform((call) => ({
  tool: NAMES_OF_TOOL.map((name) => call[name]).find((value) => typeof value === "string"),
  args: NAMES_OF_ARGS.map((name) => Args.safeParse(call[name]).data).find((value) => value !== undefined),
}));

/** Parses an object that is a call and nothing else; undefined for any other object. */
export function callIn(value: unknown): { tool: string; args: Record<string, unknown> } | undefined {
  const { tool, args } = LooseCall.safeParse(value).data ?? {};
  return tool !== undefined && args !== undefined ? { tool, args } : undefined;
}

/**
 * Converts a call to an action with the names of the skill and of its arguments, which later prompts and what is learned repeat. A name with
 * the same words in another order or spelling, such as `create-task` for `task_create`, means that skill, and so does a name that other
 * assistants use for it, such as `read_file`.
 */
export function actionOf(call: Action, skills: PlanState["skills"]): Action {
  const skill = skills.find(({ id }) => id === call.tool) ?? skillNamedAs(call.tool, skills);
  return skill
    ? { ...call, tool: skill.id, args: withPlainPaths(withInputNames(call.args, skill.input)) }
    : call;
}

/**
 * As `actionOf`, without the arguments that a skill that only reads does not have: a read without them changes nothing and costs no step. A
 * call that changes something keeps them and is refused, and so does one whose argument may be a misspelled one.
 */
export function readableCall(call: Action, skills: PlanState["skills"]): Pick<Step, "action" | "leftOut"> {
  const action = actionOf(call, skills);
  const skill = skills.find(({ id }) => id === action.tool);
  if (skill?.effects !== "read") return { action };
  const names = Object.keys(skill.input.shape);
  const unknown = Object.keys(action.args).filter((name) => !names.includes(name));
  const isMisspelled = unknown.some((name) => closestInput(name, names) !== undefined);
  if (unknown.length === 0 || isMisspelled) return { action };
  const args = Object.fromEntries(Object.entries(action.args).filter(([name]) => names.includes(name)));
  return { action: { ...action, args }, leftOut: unknown };
}

const PATH_ARGUMENTS: ReadonlySet<string> = new Set(["path", "from", "to"]);

/** The arguments with paths as they are, where a model repeats the escapes of the Markdown that it has read: "a\\_b.md". */
const withPlainPaths = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" && PATH_ARGUMENTS.has(name)
        ? value.replaceAll(/\\(?=[`*_[\]<>|])/gu, "")
        : value,
    ]),
  );

function skillNamedAs(name: string, skills: PlanState["skills"]): PlanState["skills"][number] | undefined {
  const words = sortedWords(name);
  const [skill, ...others] = skills.filter(({ id }) => sortedWords(id) === words);
  if (skill === undefined) return skills.find(({ id }) => id === skillByOtherName(words));
  return others.length === 0 ? skill : undefined;
}

const sortedWords = (name: string): string =>
  name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "")
    .sort()
    .join(" ");

/**
 * Converts the forms in which small models reply to the expected one: a call without an action around it, the name of a tool
 * as the action, a list of actions, a missing thought. Returns any other value unchanged.
 */
function normalizeReply(reply: unknown): unknown {
  if (!isRecord(reply)) return reply;
  const done = statedDone(reply);
  const value = withOneAction(done === undefined ? reply : { ...reply, done });
  const { action } = value;
  const isName = typeof action === "string";
  const call = isName ? callIn({ ...value, tool: action }) : callIn(action ?? value);
  if (call === undefined) return value;
  const { thought } = value;
  const hasThought = typeof thought === "string" && thought.trim() !== "";
  return { ...value, thought: hasThought ? thought : `Call ${call.tool}.`, action: call };
}

/** A reply makes one call, after which the planner sees its result: of a list of calls, only the first is used. */
function withOneAction({ actions, ...reply }: Record<string, unknown>): Record<string, unknown> {
  const listed = reply["action"] ?? actions;
  return Array.isArray(listed) && listed.length > 0
    ? { ...reply, action: z.unknown().parse(listed[0]) }
    : reply;
}

const NAMES_OF_DONE = ["done", "completed", "complete", "finished", "status"] as const;
const DONE = /^(?:true|yes|done|completed?|finished)$/iu;
const NOT_DONE =
  /^(?:false|no|not done|incomplete|unfinished|partial(?:ly done)?|in[ _-]progress|pending)$/iu;

/** Whether a reply says that the request is done; undefined if it says neither. Models use several names and words for it. */
function statedDone(reply: Record<string, unknown>): boolean | undefined {
  const stated = NAMES_OF_DONE.map((name) => reply[name])
    .filter((value) => typeof value === "string" || typeof value === "boolean")
    .map((value) => String(value).trim());
  if (stated.some((word) => NOT_DONE.test(word))) return false;
  return stated.some((word) => DONE.test(word)) ? true : undefined;
}

/** The required reply of the planner model: exactly one of an action and `respond: true`. */
export const PlannerReply = z.preprocess(
  normalizeReply,
  z
    .object({
      thought: z.string().trim().min(1, "say in a few words why"),
      action: z
        .object({
          tool: z.string().min(1).max(MAX_TOOL_NAME),
          args: z.record(z.string(), z.unknown()).default({}),
        })
        .nullish(),
      respond: z.boolean().nullish(),
      responseStyle: ResponseStyle.nullish(),
      functionId: z.string().nullish(),
      /** Whether the whole request is done; asked for when no step is left. */
      done: z.boolean().nullish(),
      /** The answer to the person, if no tool call is needed. */
      answer: z.string().nullish(),
    })
    .superRefine(({ action, respond }, context) => {
      if (action && respond)
        context.addIssue({ code: "custom", message: 'give either "action" or "respond": true, not both' });
      if (!action && !respond)
        context.addIssue({ code: "custom", message: 'give either an "action" or "respond": true' });
    }),
);
export type PlannerReply = z.infer<typeof PlannerReply>;

/** The reply to a prompt without steps left, which must say whether the request is done. */
export const LastPlannerReply = PlannerReply.refine(({ done }) => typeof done === "boolean", {
  path: ["done"],
  message: "say true if everything that was asked is done, else false",
});

/** The JSON Schema of a tool's arguments. */
export interface ToolShape {
  id: string;
  args: Record<string, unknown>;
}

/** The fields of a reply that ends the run. */
export interface FinishShape {
  /** Whether the reply may carry the answer itself. */
  mayAnswer: boolean;
  /** Whether the reply must say if the request is done. */
  mustSayDone: boolean;
}

/** The JSON Schema of a reply: one branch per tool, one for the end of the run. */
export function replySchema(
  tools: readonly ToolShape[],
  { mayAnswer, mustSayDone }: FinishShape = { mayAnswer: false, mustSayDone: false },
): Record<string, unknown> {
  const thought = { type: "string" };
  const act = {
    type: "object",
    properties: {
      thought,
      functionId: { type: "string" },
      action: {
        anyOf: tools.map(({ id, args }) => ({
          type: "object",
          properties: { tool: { type: "string", enum: [id] }, args },
          required: ["tool", "args"],
          additionalProperties: false,
        })),
      },
    },
    required: ["thought", "action"],
    additionalProperties: false,
  };
  const finish = {
    type: "object",
    properties: {
      thought,
      respond: { type: "boolean", enum: [true] },
      responseStyle: { type: "string", enum: ResponseStyle.options },
      ...(mustSayDone && { done: { type: "boolean" } }),
      // The last key, so that it can be streamed.
      ...(mayAnswer && { answer: { type: "string" } }),
    },
    required: ["thought", "respond", ...(mustSayDone ? ["done"] : [])],
    additionalProperties: false,
  };
  return tools.length === 0 ? finish : { anyOf: [act, finish] };
}

/** Keywords that every server supports; the skill's own schema validates the rest afterwards. */
const PLAIN = new Set([
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "const",
  "anyOf",
  "additionalProperties",
  "description",
]);

/** A schema with only the keywords that small servers can convert to a grammar. */
export function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (!PLAIN.has(key)) return [];
      if (key === "properties") return [[key, mapValues(value)]];
      if (key === "required" || key === "enum" || key === "const" || key === "type" || key === "description")
        return [[key, value]];
      return [[key, plainSchema(value)]];
    }),
  );
}

function mapValues(properties: unknown): unknown {
  if (typeof properties !== "object" || properties === null) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, plainSchema(value)]));
}

/**
 * Names that models use for skills because other assistants have tools of these names. Each is written as its words in alphabetical order,
 * in lower case.
 */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  fs_read: ["file read", "file open", "file view", "file get", "content file get", "contents file get"],
  fs_write: ["file write", "create file", "file save", "file make", "file to write"],
  fs_append: ["append file", "append file to", "add file to"],
  fs_edit: ["edit file", "file update", "file modify", "file in replace", "file replace", "replace str"],
  fs_list: ["files list", "directory list", "dir list", "folder list", "ls"],
  fs_move: ["file move", "file rename", "rename", "mv"],
  fs_copy: ["copy file"],
  fs_delete: ["delete file", "file remove"],
  fs_mkdir: ["create folder", "folder make", "create directory", "directory make", "mkdir"],
  fs_search: ["files search", "files find", "file search", "grep"],
  task_create: ["add task", "new task", "add todo", "create todo"],
  task_list: ["get tasks", "list tasks", "list todos"],
  task_find: ["find tasks", "search tasks", "search task"],
  task_update: ["edit task", "task edit", "modify task"],
  task_delete: ["remove task"],
  remind: ["create reminder", "reminder set", "add reminder", "reminder schedule", "me remind", "reminder"],
  memory_remember: ["remember", "memory save", "add memory", "memory store"],
  memory_search: ["recall", "memories search"],
  http_get: ["fetch url", "fetch", "fetch web", "get url", "open url", "read url", "browse"],
  calculate: ["calculator", "calc"],
  shell_safe: [
    "run tests",
    "run test",
    "command run",
    "command execute",
    "bash",
    "shell",
    "terminal",
    "run shell",
    "execute shell",
    "exec",
  ],
  skill_search: ["search tools", "find tools", "search skills"],
};

const SKILL_BY_OTHER_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_NAMES).flatMap(([skill, names]) =>
    names.map((name): [string, string] => [name, skill]),
  ),
);

/** The skill that a model means by a name that no skill has, from the words of the name in alphabetical order. */
const skillByOtherName = (sortedWords: string): string | undefined => SKILL_BY_OTHER_NAME.get(sortedWords);
