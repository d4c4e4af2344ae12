import type { AstroCookies } from "astro";
import { functionDetail } from "@metahuman/boot/answers";
import type { Profile } from "@metahuman/boot/brain";
import { EVERY_AGENT, wordingsOf } from "@metahuman/core/contract/function";
import type { TrustLevel } from "@metahuman/core/contract/trust";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { decide } from "@metahuman/core/policy/decide";
import type { FirstAutomations } from "../features/automations/first-automations.ts";
import { scheduleWords } from "../features/automations/schedule-words.ts";
import type { FunctionView } from "../features/functions/functions-state.svelte.ts";
import { KINDS } from "../features/memory/memory-labels.ts";
import type { Totals } from "../features/memory/memory-state.svelte.ts";
import { ACTS, type TrustTable } from "../features/settings/policy-options.ts";
import type { PageData } from "../features/shell/app.svelte.ts";
import { THEME_COOKIE, themeFrom } from "../features/shell/appearance.svelte.ts";
import { PAGE_LENGTH } from "../lib/ui/paged-list.svelte.ts";

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
  const interruptedImport = caller.policy.canReadMemory
    ? await caller.profile.transfer.interrupted()
    : undefined;
  return {
    ...(interruptedImport && { interruptedImport }),
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

/** The number of items of each tab of the memory page. */
export async function countMemories({ memory, tasks, functions, archive }: Profile): Promise<Totals> {
  const total = async (page: Promise<{ total: number }>): Promise<number> => (await page).total;
  const [ofTasks, ofFunctions, ofArchive, ...ofKinds] = await Promise.all([
    total(tasks.list({ includeDone: true, limit: 1 })),
    total(functions.of(EVERY_AGENT).listFunctions({ limit: 1 })),
    total(archive.list({ limit: 1 })),
    ...Object.values(KINDS).map(({ types }) => total(memory.list({ types: [...types], limit: 1 }))),
  ]);
  const kinds = Object.fromEntries(Object.keys(KINDS).map((kind, index) => [kind, ofKinds[index] ?? 0]));
  return { ...kinds, tasks: ofTasks, functions: ofFunctions, archive: ofArchive };
}

/** A function with its latest versions and pending proposals, as the page loads them; `undefined` if it does not exist. */
export async function loadFunctionView(profile: Profile, id: string): Promise<FunctionView | undefined> {
  const functions = profile.functions.of(EVERY_AGENT);
  try {
    const [found, versions, proposals] = await Promise.all([
      functions.loadFunction(id),
      functions.versions(id),
      functions.listProposals(id, "pending"),
    ]);
    return {
      ...functionDetail(found),
      versions: versions.slice(0, PAGE_LENGTH),
      templates: wordingsOf(found),
      proposals: proposals.slice(0, PAGE_LENGTH),
    };
  } catch (error) {
    if (error instanceof FunctionNotFoundError) return undefined;
    throw error;
  }
}

/** The first schedules with what their rows say, and the first notices. */
export async function loadFirstAutomations({ schedules, notices }: Profile): Promise<FirstAutomations> {
  const [first, { unread: _unread, ...firstNotices }] = await Promise.all([
    schedules.list({ limit: PAGE_LENGTH }),
    notices.list({ limit: PAGE_LENGTH }),
  ]);
  const now = new Date();
  return {
    schedules: first,
    words: first.items.map((item) => scheduleWords(item, now, undefined)),
    notices: firstNotices,
  };
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
