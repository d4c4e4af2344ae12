import { LazyComponent } from "../../lib/ui/lazy-component.svelte.ts";

/** Parts of a turn and of a run that only some of them have. */
export const turnParts = {
  approval: new LazyComponent(() => import("../approvals/ApprovalCard.svelte")),
  question: new LazyComponent(() => import("./QuestionCard.svelte")),
  offers: new LazyComponent(() => import("./Offers.svelte")),
  sources: new LazyComponent(() => import("./FunctionChips.svelte")),
  notices: new LazyComponent(() => import("./RunNotices.svelte")),
  checklist: new LazyComponent(() => import("./Checklist.svelte")),
};
