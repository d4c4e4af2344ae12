import type { Profile } from "@metahuman/boot/brain";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { FirstConversation } from "../features/chat/chat-state.svelte.ts";
import type { FirstRun } from "../features/runs/run-state.svelte.ts";
import { loadFormulasOf } from "../lib/markdown/draw-formula.ts";
import { archivedItems } from "../features/runs/trace-text.ts";

/** The number of runs of a conversation that are loaded with their steps: those near its end. */
const COMPLETE_RUNS = 3;
/** A conversation with more messages is loaded by the page. */
const MAX_MESSAGES = 120;

/** A run as the page first shows it; `undefined` if it does not exist. */
export async function loadFirstRun(profile: Profile, id: string): Promise<FirstRun | undefined> {
  return ifFound(() => firstRun(profile, id));
}

/** A conversation as the page first shows it; `null` if it does not exist, `undefined` if it is too long. */
export async function loadFirstConversation(
  profile: Profile,
  id: string,
): Promise<FirstConversation | null | undefined> {
  const answer = await ifFound(() => profile.conversations.get(id));
  if (!answer) return null;
  if (answer.messages.length > MAX_MESSAGES) return undefined;
  return ifFound(async () => {
    await loadFormulasOf(answer.messages.map(({ text }) => text));
    const newest = answer.runs.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, COMPLETE_RUNS);
    return { ...answer, complete: await Promise.all(newest.map((run) => firstRun(profile, run.id))) };
  });
}

/** A run without the prompts of its model calls. Throws `NotFoundError`. */
async function firstRun({ runs, approvals, archive }: Profile, id: string): Promise<FirstRun> {
  const { modelCalls: _prompts, ...run } = await runs.inspect(id);
  const archived = archivedItems(run).map((item) => item.id);
  await loadFormulasOf([run.result ?? ""]);
  const { pending } = run;
  const [approval, restorable] = await Promise.all([
    pending?.kind === "approval" ? ifFound(() => approvals.get(pending.approvalId)) : undefined,
    archived.length > 0 ? archive.list({ ids: archived, limit: archived.length }) : undefined,
  ]);
  return {
    run,
    ...(approval && { approval }),
    ...(restorable && { restorable: restorable.items.map((entry) => entry.id) }),
  };
}

async function ifFound<Found>(load: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
