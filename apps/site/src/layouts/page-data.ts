import type { AstroCookies } from "astro";
import type { PageData } from "../features/shell/app.svelte.ts";
import { THEME_COOKIE, themeFrom } from "../features/shell/appearance.svelte.ts";
import { decide } from "@metahuman/core/policy/decide";
import { ACTS, type TrustTable } from "../features/settings/policy-options.ts";
import type { TrustLevel } from "@metahuman/core/contract/trust";

/** The data that every page needs. Throws if nobody is signed in, though the middleware redirects such requests. */
export async function loadPageData({
  locals,
  cookies,
}: {
  locals: App.Locals;
  cookies: AstroCookies;
}): Promise<PageData> {
  const { caller, brain } = locals;
  if (!caller) throw locals.refusal ?? new Error("This page needs a sign-in.");
  const state = caller.profile.state.status();
  const cutOff = caller.policy.canReadMemory ? await caller.profile.transfer.cutOff() : undefined;
  return {
    ...(cutOff && { importCutOff: cutOff }),
    ...(state.problem && caller.policy.canReadRuns && { stateProblem: state }),
    me: caller.me,
    models: await brain.models(),
    version: brain.version,
    theme: themeFrom(cookies.get(THEME_COOKIE)?.value),
  };
}

/**
 * The first page of a list, so that its first rows are in the HTML. Absent if it cannot be loaded: the page then loads
 * it and shows the problem.
 */
export async function firstPage<First>(
  { log }: Pick<App.Locals, "log">,
  load: () => Promise<First>,
): Promise<First | undefined> {
  try {
    return await load();
  } catch (error) {
    log.error({ error }, "The first page of a list could not be rendered.");
    return undefined;
  }
}

/** The policy's decision for each trust level and kind of action. */
export function trustTable(): TrustTable {
  return ACTS.map(({ act, examples, asksPerHost = false, ...kind }) => {
    const hosts = asksPerHost ? ["example.org"] : [];
    const call = { skill: "example", ...kind, requiresApproval: false, asksPerHost, paths: [], hosts };
    const answer = (trustLevel: TrustLevel) =>
      decide(call, { mode: "dual", trustLevel, grants: [], now: new Date(0) }).decision;
    return {
      act,
      examples,
      decisions: {
        observe: answer("observe"),
        suggest: answer("suggest"),
        supervised_auto: answer("supervised_auto"),
        bounded_auto: answer("bounded_auto"),
      },
    };
  });
}
