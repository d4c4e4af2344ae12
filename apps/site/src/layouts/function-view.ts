import type { Profile } from "@metahuman/boot/brain";
import { functionDetail } from "@metahuman/boot/answers";
import { EVERY_AGENT, templateEntries } from "@metahuman/core/contract/function";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { FunctionView } from "../features/functions/functions-state.svelte.ts";
import { PAGE_LENGTH } from "../lib/ui/paged-list.svelte.ts";

/** A function with its latest versions and proposals, as the page loads them; `undefined` if it does not exist. */
export async function loadFunctionView(profile: Profile, id: string): Promise<FunctionView | undefined> {
  const functions = profile.functions.of(EVERY_AGENT);
  try {
    const [found, versions, proposals] = await Promise.all([
      functions.loadFunction(id),
      functions.versions(id),
      functions.listProposals(id),
    ]);
    return {
      ...functionDetail(found),
      versions: versions.slice(0, PAGE_LENGTH),
      templates: templateEntries(found),
      proposals: proposals.slice(0, PAGE_LENGTH),
    };
  } catch (error) {
    if (error instanceof FunctionNotFoundError) return undefined;
    throw error;
  }
}
