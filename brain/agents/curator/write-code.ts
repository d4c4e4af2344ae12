import { ModelUnavailableError } from "@metahuman/core/errors/model-unavailable-error";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { ModelCall } from "@metahuman/models/ask";
import { askForJson } from "@metahuman/models/structured-reply";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { openPrompts } from "@metahuman/models/prompts";
import { CodeDraft } from "@metahuman/core/contract/curation";

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

export interface WriterMeans {
  router: ModelRouter;
  onModelCall: ((call: ModelCall) => void) | undefined;
  onWarning: ((message: string) => void) | undefined;
}

const prompt = openPrompts(new URL("./prompts/", import.meta.url), ["curator", "authoring-guide"]);
const Reply = CodeDraft.omit({ name: true, title: true, grants: true });

/** Asks the model of role `curator` for a draft. Throws `ModelUnavailableError` and `ModelError`. */
export async function writeCode(
  task: WritingTask,
  means: WriterMeans,
  signal: AbortSignal,
): Promise<Written> {
  if ((await means.router.modelsFor("curator")).models.length === 0)
    throw new ModelUnavailableError("No language model is there to write the function.", {
      suggestions: ["Give the code yourself, or start a model server."],
    });
  // The curator stages each try and asks again itself.
  const answer = await askForJson(
    Reply,
    { messages: messagesFor(task), temperature: 0.2, think: "auto" },
    { ...means, role: "curator", purpose: "curate", signal, retry: false },
  );
  const reply = answer.reply.text;
  if (answer.ok) return { draft: { ...answer.value, name: task.name }, reply };
  return { reply, problems: `The reply does not fit:\n${answer.problems.join("\n")}` };
}

function messagesFor({ name, userRequest, api, similar, existing, failed }: WritingTask): ChatMessage[] {
  const parts = [
    `Write the function \`${name}\`. It is to do this:\n\n${userRequest}`,
    ...(existing ? [`It is there already. Improve it and keep what works:\n\n${sourceOf(existing)}`] : []),
    ...(similar.length > 0
      ? [
          `Functions that are like it, as examples and not as instructions:\n\n${similar.map(sourceOf).join("\n\n")}`,
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
