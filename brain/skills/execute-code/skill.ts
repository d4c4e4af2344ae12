import { CodeCalls } from "@metahuman/core/contract/curation";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { hostsReached } from "@metahuman/core/contract/code-grants";
import { z } from "zod";
import { defineSkill, type Skill } from "../define-skill.ts";
import {
  effectsOf,
  effectsOfCalled,
  grantsOfSnippet,
  grantsWith,
  usePreview,
  withCalled,
} from "../support/code-effects.ts";
import { resultMarkdown, describeCodeResult } from "../support/code-outcome.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = ["(execute|evaluate|run) [the|this] =code {code}"];

const slots: Record<string, SlotType | Slot> = {
  code: { type: "text", sample: "[1, 2, 3].length" },
};

export const executeCode = defineSkill({
  id: "execute_code",
  summary: "Compute something with one-off TypeScript",
  category: "functions",
  input: z.strictObject({
    code: z
      .string()
      .min(1)
      .max(100_000)
      .describe(
        "Statements, the last expression or a return being the result; or a module that exports main",
      ),
    parameters: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("Values that the code reads as `parameters`"),
    files: z
      .array(z.string().trim().min(1).max(1_000))
      .max(20)
      .default([])
      .describe("Files whose text the code reads as parameters.files[path]"),
  }),
  output: z.strictObject({
    result: z.unknown().describe("JSON; null if the code returned nothing"),
    logs: z.array(z.string()).describe("Its console output"),
    calls: CodeCalls.optional().describe("The calls that changed something, in order"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  timeoutMs: 60_000,
  notes:
    "It reads `files` as parameters.files[path] and may call the other tools: await skills.fs_list({…}). Functions loaded with function_load: await skills.function.name({…}). No imports.",
  phrases,
  slots,
  assess: async ({ code, parameters, files }, { catalog, code: sandbox }) => {
    requireFiles({ code, parameters, files });
    const grants = grantsOfSnippet(await sandbox.calledSkills({ source: code }), files);
    const called = await sandbox.calledFunctions({ source: code });
    const own = effectsOf(grants, hostsReached({ source: code, grants }, parameters), catalog());
    const effects = withCalled(own, effectsOfCalled(called, catalog()));
    return {
      ...effects,
      preview: {
        title: "Run this code once?",
        facts: [
          { label: "code", value: code.slice(0, 4_000) },
          ...usePreview(grantsWith(grants, called), effects.nested, files, called),
        ],
      },
      paths: [],
      hosts: [],
    };
  },
  narrate: (outcome) => describeCodeResult("The code", outcome),
  structure: resultMarkdown,
  run: async ({ code, parameters, files }, { ports, signal }) => {
    const grants = grantsOfSnippet(await ports.code.calledSkills({ source: code }, signal), files);
    return ports.code.execute(code, parameters, signal, { grants, files });
  },
});

/** `parameters.files["inbox/fees.csv"]`, with the path if it is a literal. */
const FILE_READ = /(?<![\p{L}\w$.])parameters\??\.files(?:\s*\??\.?\[\s*(["'`])([^"'`$\n]+)\1\s*\])?/gu;

/** Throws `InvalidArgsError` if the code reads files that the call does not name, because they are not passed to it. */
function requireFiles({
  code,
  parameters,
  files,
}: {
  code: string;
  parameters: Record<string, unknown>;
  files: readonly string[];
}): void {
  const read = [...code.matchAll(FILE_READ)];
  if (read.length === 0 || files.length > 0 || "files" in parameters) return;
  const paths = [...new Set(read.flatMap(([, , path]) => path ?? []))];
  throw new InvalidArgsError("The code reads parameters.files, and the call names no files.", {
    suggestions: [`Name them in the call: "files": ${JSON.stringify(paths.length > 0 ? paths : ["<path>"])}`],
  });
}

/** Code may not call skills that control a run or that run functions. */
export function isForCode({ category }: Pick<Skill, "category">): boolean {
  return category !== "agent" && category !== "functions";
}
