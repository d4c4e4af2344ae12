import { ApiProblem } from "../../lib/api/api-problem.ts";
import type { App } from "./app.svelte.ts";

/** Dismisses the toasts that offer to restore an item that the archive no longer has. */
export async function dismissOutdatedOffers({ api, toasts }: Pick<App, "api" | "toasts">): Promise<void> {
  const offers = toasts.items.flatMap(({ id, action }) =>
    action?.restores === undefined ? [] : { id, restores: action.restores },
  );
  if (offers.length === 0) return;
  const ids = offers.map(({ restores }) => restores).join(",");
  try {
    const { items } = await api.archive({ ids, limit: offers.length });
    const present = new Set(items.map(({ id }) => id));
    for (const { id, restores } of offers) if (!present.has(restores)) toasts.dismiss(id);
  } catch (error) {
    // Choosing the action reports its own problems.
    if (!(error instanceof ApiProblem)) throw error;
  }
}
