import { formatCount } from "@metahuman/core/text/format";
import { FunctionKind, FunctionStatus, FunctionTrust } from "@metahuman/core/contract/function";
import type { Phrase } from "@metahuman/core/language/grammar/phrase";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { escapeInline, table } from "../markdown.ts";
import { FunctionOverview, overviewOf } from "../support/function-reference.ts";
import { joinNames } from "../support/phrasing.ts";

const functions = "[all] [of] [the|my|your] =functions [there are|I have|you have|you know]";

const phrases: readonly (string | Phrase)[] = [
  `(list|show|see|give|print|tell) [me] ${functions}`,
  "(what|which) =functions (are there|do I have|do you have|have I|have you|exist|do you know|can I run|can you run) [got|now]",
  {
    template:
      "how many =functions (are there|do I have|do you have|have I|have you|exist|do you know) [got|now]|count [all] [my|the] =functions",
    view: { name: "count" },
  },
];

export const functionList = defineSkill({
  id: "function_list",
  summary: "List the functions",
  category: "functions",
  input: z.strictObject({
    kind: FunctionKind.optional(),
    trust: FunctionTrust.optional(),
    status: FunctionStatus.optional(),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.strictObject({
    functions: z.array(FunctionOverview),
    total: z.int().nonnegative(),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  notes: "Lists drafts, too.",
  phrases,
  views: {
    count: ({ total }) =>
      typeof total === "number"
        ? `There ${total === 1 ? "is" : "are"} ${formatCount(total, "function")}.`
        : undefined,
  },
  narrate: ({ functions: found, total }) =>
    total === 0
      ? "There are no functions yet."
      : `Found ${formatCount(total, "function")}: ${joinNames(
          found.map(({ title }) => title),
          total,
        )}.`,
  structure: ({ functions: found, total }) => {
    if (total === 0) return "There are no functions yet.";
    const rows = found.map(({ title, kind, trust, status }) => [
      escapeInline(title),
      kind,
      status === "active" ? trust : `${trust}, ${status}`,
    ]);
    const more = total - found.length;
    return `${table(["function", "kind", "state"], rows)}${more > 0 ? `\n\n${formatCount(more, "more function")}.` : ""}`;
  },
  run: async ({ kind, trust, status, limit }, { ports }) => {
    const { items, total } = await ports.functions().listFunctions({
      limit,
      ...(kind && { kind }),
      ...(trust && { trust }),
      ...(status && { status }),
    });
    return { functions: items.map(overviewOf), total };
  },
});
