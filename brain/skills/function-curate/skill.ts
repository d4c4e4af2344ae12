import { CurationOutcome, CurationRequest } from "@metahuman/core/contract/curation";
import { defineSkill } from "../define-skill.ts";
import { escapeInline } from "../markdown.ts";
import { checkLines, verificationSentence } from "../support/registration-summary.ts";
import { linePreview } from "../support/phrasing.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** Requests for functions are full sentences for the planner or the page, so there are no phrases. */
const phrases: readonly (string | Phrase)[] = [];

const slots: Record<string, SlotType | Slot> = {};

export const functionCurate = defineSkill({
  id: "function_curate",
  summary: "Have a function written or improved, verified and proposed",
  category: "functions",
  input: CurationRequest,
  output: CurationOutcome,
  effects: "write",
  risk: "medium",
  // Staged work continues; a published function is found by its name.
  idempotent: true,
  timeoutMs: 900_000,
  notes: "Publishes only what passes every check, and only as a draft or a proposal.",
  phrases,
  slots,
  assess: async ({ functionName, userRequest, draft }, { functions }) => {
    const live = await functions().findByName(functionName);
    return {
      risk: "medium",
      preview: {
        title: live ? `Have “${live.title}” improved?` : `Generate the function ${functionName}?`,
        facts: [
          { label: "to do", value: userRequest },
          { label: "written by", value: draft ? "a person" : "the curator's model" },
        ],
      },
      paths: [],
      hosts: [],
    };
  },
  narrate: ({ published, stages, verification }) => {
    if (published?.proposalId !== undefined)
      return `Proposed a new version of “${linePreview(published.title)}”; every check passes, a person decides.`;
    if (published)
      return `Wrote the function “${linePreview(published.title)}” as a draft; every check passes.${
        published.status === "pending_approval" ? " It waits for your approval." : ""
      }`;
    const tries = stages.filter(({ name }) => name === "verify").length;
    const why = verification ? ` ${verificationSentence(verification)}` : "";
    return `Published nothing after ${tries} ${tries === 1 ? "try" : "tries"}.${why}`;
  },
  structure: ({ stages, verification, draft }) =>
    [
      ...stages.map(({ name, ok, detail }) => `- ${ok ? "done" : "FAILED"} ${name}: ${escapeInline(detail)}`),
      ...(verification ? ["", ...checkLines(verification)] : []),
      ...(draft ? ["", "```ts", draft.code, "```"] : []),
    ].join("\n"),
  run: async (request, { ports: { curator }, runId, idempotencyKey, isDirect, reached, signal }) =>
    curator.curate(request, { runId, callKey: idempotencyKey, isDirect, reached, signal }),
});
