import type { AstroCookies } from "astro";
import type { PageData } from "../features/shell/app.svelte.ts";
import { THEME_COOKIE, themeFrom } from "../features/shell/appearance.svelte.ts";

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
