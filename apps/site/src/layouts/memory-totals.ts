import type { Profile } from "@metahuman/boot/brain";
import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { KINDS } from "../features/memory/memory-labels.ts";
import type { Totals } from "../features/memory/memory-state.svelte.ts";

/** The number of items of each tab of the memory page. */
export async function countMemories({ memory, tasks, functions, archive }: Profile): Promise<Totals> {
  const total = async (page: Promise<{ total: number }>): Promise<number> => (await page).total;
  const [ofTasks, ofFunctions, ofArchive, ...ofKinds] = await Promise.all([
    total(tasks.list({ includeDone: true, limit: 1 })),
    total(functions.of(EVERY_AGENT).listFunctions({ limit: 1 })),
    total(archive.list({ limit: 1 })),
    ...Object.values(KINDS).map(({ types }) => total(memory.list({ types: [...types], limit: 1 }))),
  ]);
  const kinds = Object.fromEntries(Object.keys(KINDS).map((kind, at) => [kind, ofKinds[at] ?? 0]));
  return { ...kinds, tasks: ofTasks, functions: ofFunctions, archive: ofArchive };
}
