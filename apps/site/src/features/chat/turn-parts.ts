import type { Run } from "@metahuman/core/contract/run";
import { LazyComponent } from "../../lib/ui/lazy-component.svelte.ts";
import { splitAttachments } from "./attachments.ts";
import { archivedItems, hasOutcomeToTell, latestTodos, mayNameSources } from "../runs/trace-text.ts";

/** Parts of a turn and of a run that only some of them have. */
export const turnParts = {
  approval: new LazyComponent(() => import("../approvals/ApprovalCard.svelte")),
  question: new LazyComponent(() => import("./QuestionCard.svelte")),
  offers: new LazyComponent(() => import("./Offers.svelte")),
  sources: new LazyComponent(() => import("./FunctionChips.svelte")),
  outcome: new LazyComponent(() => import("./RunOutcome.svelte")),
  files: new LazyComponent(() => import("./AttachedFiles.svelte")),
  undo: new LazyComponent(() => import("./UndoButtons.svelte")),
  checklist: new LazyComponent(() => import("./Checklist.svelte")),
};

/** Resolves when the parts that a run has are loaded, so that they appear with the rest of it. */
export async function loadPartsOf(
  run: Omit<Run, "scratchpad"> & Partial<Pick<Run, "scratchpad">>,
): Promise<void> {
  const { pending, offers, scratchpad = [] } = run;
  const complete = { ...run, scratchpad };
  const needed = [
    pending?.kind === "approval" && turnParts.approval,
    pending?.kind === "question" && turnParts.question,
    offers && turnParts.offers,
    mayNameSources(complete) && turnParts.sources,
    hasOutcomeToTell(complete) && turnParts.outcome,
    splitAttachments(run.goal).files.length > 0 && turnParts.files,
    archivedItems(complete).length > 0 && turnParts.undo,
    latestTodos(complete).length > 0 && turnParts.checklist,
  ];
  await Promise.all(needed.map(async (part) => part && part.load()));
}
