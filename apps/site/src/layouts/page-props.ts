import type { AstroCookies } from "astro";
import type { Boot } from "../features/shell/app.svelte.ts";
import { THEME_COOKIE, themeFrom } from "../features/shell/appearance.svelte.ts";

/** What every room starts from. The middleware has led people who are not signed in elsewhere; this does not rely on it. */
export async function bootOf({
  locals,
  cookies,
}: {
  locals: App.Locals;
  cookies: AstroCookies;
}): Promise<Boot> {
  const { caller, brain } = locals;
  if (!caller) throw locals.refusal ?? new Error("A room was asked for without signing in.");
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
