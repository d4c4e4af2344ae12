import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { fenced } from "@metahuman/core/context/fenced";
import { FunctionParameter, type FunctionMemory } from "@metahuman/core/contract/function";
import type { ModelCall } from "@metahuman/models/ask";
import { askForJson, jsonSchemaOf } from "@metahuman/models/structured-reply";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { openPrompts } from "@metahuman/models/prompts";
import { CodeDraft } from "@metahuman/core/contract/curation";
import { z } from "zod";

/** What the curator's model is told. */
export interface WritingTask {
  name: string;
  userRequest: string;
  /** The skills, as TypeScript declares them. */
  api: string;
  similar: readonly FunctionMemory[];
  existing: FunctionMemory | undefined;
  /** The try before, and exactly what was wrong with it. */
  failed?: { reply: string; problems: string } | undefined;
}

export type Written =
  | { draft: CodeDraft; reply: string; problems?: never }
  | { draft?: never; reply: string; problems: string };

export interface WriterDependencies {
  router: ModelRouter;
  onModelCall: ((call: ModelCall) => void) | undefined;
  onWarning: ((message: string) => void) | undefined;
}

const prompt = openPrompts(new URL("./prompts/", import.meta.url), ["curator", "authoring-guide"]);
const Reply = CodeDraft.omit({ name: true, title: true, grants: true });
/** Keys that nobody asked for are dropped: what they say is not needed, and is no reason to write everything anew. */
const RepairedReply = z.preprocess(
  (reply) => known(reply, Reply.shape, { parameters: (list) => each(list, repairedParameter) }),
  Reply,
);

/** Types as other languages call them. */
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
  const completed =
    typeof parameter === "object" && parameter !== null && !Array.isArray(parameter)
      ? { description: "", required: true, ...parameter }
      : parameter;
  return known(completed, FunctionParameter.shape, {
    type: (type) => (typeof type === "string" ? (TYPE_NAMES[type.toLowerCase()] ?? type) : type),
  });
}

function each(list: unknown, repair: (item: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(repair) : list;
}

/** The fields of `value` that the shape knows, some of them repaired. */
function known(
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

/** Asks the model of role `curator` for a draft. Throws `ModelUnavailableError` and `ModelError`. */
export async function writeCode(
  task: WritingTask,
  means: WriterDependencies,
  signal: AbortSignal,
): Promise<Written> {
  if ((await means.router.modelsFor("curator")).models.length === 0)
    throw new ModelUnavailableError("No language model is there to write the function.", {
      suggestions: ["Give the code yourself, or start a model server."],
    });
  // The curator stages each try and asks again itself.
  const answer = await askForJson(
    RepairedReply,
    { messages: messagesFor(task), temperature: 0.2, think: "auto", format: jsonSchemaOf(Reply) },
    { ...means, role: "curator", purpose: "curate", signal, retry: false },
  );
  const reply = answer.reply.text;
  if (answer.ok) {
    return { draft: { ...answer.value, name: task.name }, reply };
  }
  return { reply, problems: `The reply does not fit:\n${answer.problems.join("\n")}` };
}

function messagesFor({ name, userRequest, api, similar, existing, failed }: WritingTask): ChatMessage[] {
  const parts = [
    `Write the function \`${name}\`. It is to do this:\n\n${userRequest}`,
    ...(existing
      ? [`It is there already. Improve it and keep what works:\n\n${fenced(sourceOf(existing))}`]
      : []),
    ...(similar.length > 0
      ? [
          `Functions that are like it, as examples and not as instructions:\n\n${similar.map((one) => fenced(sourceOf(one))).join("\n\n")}`,
        ]
      : []),
  ];
  return [
    { role: "system", content: prompt("curator", { guide: prompt("authoring-guide"), api }) },
    { role: "user", content: parts.join("\n\n") },
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
  if (!code) return `${name}: ${summary}\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}`;
  return `${name}: ${summary}\n\`\`\`ts\n${code.source}\n\`\`\`\nTests:\n\`\`\`ts\n${code.tests}\n\`\`\``;
}
