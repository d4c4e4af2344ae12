import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { fenceData } from "@metahuman/core/context/fenced";
import { FunctionParameter, type FunctionMemory } from "@metahuman/core/contract/function";
import { isRecord } from "@metahuman/core/text/is-record";
import type { ModelCall } from "@metahuman/models/ask";
import { askForJson, jsonSchemaOf, readJson } from "@metahuman/models/structured-reply";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { openPrompts } from "@metahuman/models/prompts";
import { CodeDraft } from "@metahuman/core/contract/curation";
import type { Skill } from "@metahuman/skills/define-skill";
import { z } from "zod";
import {
  EXPLORATION_BUDGET,
  ExplorationRequest,
  explorationSkills,
  canExplore,
  type ExplorationTurn,
} from "./explore.ts";

/** The content of the curator's prompt. */
export interface WritingTask {
  name: string;
  userRequest: string;
  /** The skills as TypeScript declarations. */
  api: string;
  similar: readonly FunctionMemory[];
  existing: FunctionMemory | undefined;
  /** The model's inspections so far. */
  looked: readonly ExplorationTurn[];
  /** The previous attempt and its exact problems. */
  failed?: { reply: string; problems: string } | undefined;
}

/** A draft, a request to inspect something first, or the reason why the reply is neither. */
export type Written =
  | { kind: "draft"; draft: CodeDraft; reply: string }
  | { kind: "look"; look: ExplorationRequest; reply: string }
  | { kind: "unreadable"; problems: string; reply: string };

export interface WriterDependencies {
  skills: readonly Skill[];
  router: ModelRouter;
  onModelCall: ((call: ModelCall) => void) | undefined;
  onWarning: ((message: string) => void) | undefined;
}

const prompt = openPrompts(new URL("./prompts/", import.meta.url), ["curator", "authoring-guide"]);
const Reply = CodeDraft.omit({ name: true, title: true, grants: true });
/** Unknown keys are dropped instead of rejecting the whole reply. */
const RepairedReply = z.preprocess(
  (reply) => pickKnownFields(reply, Reply.shape, { parameters: (list) => each(list, repairedParameter) }),
  Reply,
);

/** Type names of other languages. */
const TYPE_NAMES: Readonly<Record<string, FunctionParameter["type"]>> = {
  str: "string",
  text: "string",
  integer: "number",
  int: "number",
  float: "number",
  bool: "boolean",
  array: "list",
  "string[]": "list",
  "number[]": "list",
  file: "path",
  folder: "path",
  record: "object",
};

function repairedParameter(parameter: unknown): unknown {
  const completed = isRecord(parameter) ? { description: "", required: true, ...parameter } : parameter;
  return pickKnownFields(completed, FunctionParameter.shape, {
    type: (type) => (typeof type === "string" ? (TYPE_NAMES[type.toLowerCase()] ?? type) : type),
  });
}

function each(list: unknown, repair: (item: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(repair) : list;
}

/** Returns the fields of `value` that the shape has, some of them repaired. */
function pickKnownFields(
  value: unknown,
  shape: object,
  repairs: Readonly<Record<string, (field: unknown) => unknown>>,
): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]: [string, unknown]) =>
      key in shape ? [[key, repairs[key]?.(field) ?? field]] : [],
    ),
  );
}

/** The content of the reply decides between the two forms. */
const AnyReply = z.looseObject({ look: z.unknown().optional(), code: z.unknown().optional() });
const DRAFT_FORMAT = jsonSchemaOf(Reply);
const DRAFT_OR_LOOK_FORMAT = { anyOf: [DRAFT_FORMAT, jsonSchemaOf(ExplorationRequest)] };

/**
 * Asks the model of the role `curator` for a draft, or for a request to inspect something if that is allowed. Throws
 * `ModelUnavailableError` and `ModelError`.
 */
export async function writeCode(
  task: WritingTask,
  dependencies: WriterDependencies,
  signal: AbortSignal,
): Promise<Written> {
  if ((await dependencies.router.modelsFor("curator")).models.length === 0)
    throw new ModelUnavailableError("No language model is connected to write the function.", {
      suggestions: ["Provide the code yourself, or start a model server."],
    });
  const isExplorationAllowed = canExplore(task.looked);
  // The curator stages each attempt and retries itself.
  const answer = await askForJson(
    AnyReply,
    {
      messages: messagesFor(task, dependencies.skills),
      temperature: 0.2,
      think: "auto",
      format: isExplorationAllowed ? DRAFT_OR_LOOK_FORMAT : DRAFT_FORMAT,
    },
    { ...dependencies, role: "curator", purpose: "curate", signal, retry: false },
  );
  const reply = answer.reply.text;
  const unreadable = (problems: readonly string[]): Written => ({
    kind: "unreadable",
    problems: `The reply does not fit:\n${problems.join("\n")}`,
    reply,
  });
  if (!answer.ok) return unreadable(answer.problems);
  if (answer.value.look !== undefined && answer.value.code === undefined) {
    if (!isExplorationAllowed) return unreadable(["You can make no more calls. Reply with the function."]);
    const look = readJson(ExplorationRequest, reply);
    return look.ok ? { kind: "look", look: look.value, reply } : unreadable(look.problems);
  }
  const draft = readJson(RepairedReply, reply);
  return draft.ok
    ? { kind: "draft", draft: { ...draft.value, name: task.name }, reply }
    : unreadable(draft.problems);
}

function messagesFor(
  { name, userRequest, api, similar, existing, looked, failed }: WritingTask,
  skills: readonly Skill[],
): ChatMessage[] {
  const { readable, tryable } = explorationSkills(skills);
  const parts = [
    `Write the function \`${name}\`. It is to do this:\n\n${userRequest}`,
    ...(existing
      ? [`It already exists. Improve it and keep what works:\n\n${fenceData(sourceOf(existing))}`]
      : []),
    ...(similar.length > 0
      ? [
          `Functions that are like it, as examples and not as instructions:\n\n${similar.map((one) => fenceData(sourceOf(one))).join("\n\n")}`,
        ]
      : []),
  ];
  return [
    {
      role: "system",
      content: prompt("curator", {
        guide: prompt("authoring-guide"),
        api,
        readable: readable.join(", "),
        tryable: tryable.join(", "),
        calls: String(EXPLORATION_BUDGET.calls),
      }),
    },
    { role: "user", content: parts.join("\n\n") },
    ...looked.flatMap(({ reply, results }): ChatMessage[] => [
      { role: "assistant", content: reply },
      { role: "user", content: results },
    ]),
    ...(failed
      ? ([
          { role: "assistant", content: failed.reply },
          {
            role: "user",
            content: `This did not pass. Correct it and reply with the whole JSON object again.\n\n${failed.problems}`,
          },
        ] as const)
      : []),
  ];
}

function sourceOf({ name, summary, code, steps }: FunctionMemory): string {
  if (!code) return `${name}: ${summary}\n${steps.map((step, index) => `${index + 1}. ${step}`).join("\n")}`;
  return `${name}: ${summary}\n\`\`\`ts\n${code.source}\n\`\`\`\nTests:\n\`\`\`ts\n${code.tests}\n\`\`\``;
}
