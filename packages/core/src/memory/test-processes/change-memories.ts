// Adds, changes, archives and restores memories until it is killed: `change-memories.ts <data root> <seed>`. Prints
// each change as a line of JSON before it begins, and the same with `"done":true` once it is acknowledged.
import { writeSync } from "node:fs";
import { profilePaths } from "../../paths/profile-paths.ts";
import { openMemory } from "../open-memory.ts";
import type { Change } from "../testing/ledger.ts";
import { USER_ORIGIN } from "../testing/open-test-memory.ts";
import { createTestEmbedder } from "../testing/test-embedder.ts";

const [home, seed] = process.argv.slice(2);
if (!home || !seed) throw new Error("where, and with which seed?");
const { memory, index } = await openMemory({
  paths: profilePaths(home, "ada"),
  embedder: createTestEmbedder(),
});
const known: string[] = [];
const archived: string[] = [];
let state = Number(seed);

const report = (change: Change): void => void writeSync(1, `${JSON.stringify(change)}\n`);
/** 0 to `below`, the same for the same seed (a linear congruential generator, Numerical Recipes). */
function next(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const one = (ids: string[]): string | undefined => ids.splice(next(ids.length), 1)[0];

for (let turn = 0; ; turn += 1) {
  const content = `walnut ${turn} of ${process.pid}`;
  const dice = next(10);
  if (dice < 3 || known.length < 5) {
    const { id } = await memory.add({ type: "observation", content }, USER_ORIGIN);
    report({ kind: "written", id, content, done: true });
    known.push(id);
  } else if (dice < 5) {
    const many = Array.from({ length: 20 }, (_, number) => `${content}, ${number}`);
    const records = await memory.addMany(
      many.map((text) => ({ type: "curated", content: text })),
      USER_ORIGIN,
    );
    for (const { id, content: text } of records) report({ kind: "written", id, content: text, done: true });
    known.push(...records.map(({ id }) => id));
  } else if (dice < 7) {
    const id = one(known) ?? "";
    report({ kind: "written", id, content, done: false });
    await memory.edit(id, { content });
    report({ kind: "written", id, content, done: true });
    known.push(id);
  } else if (dice < 9 || archived.length === 0) {
    const id = one(known) ?? "";
    report({ kind: "archived", id, done: false });
    await memory.forget(id);
    report({ kind: "archived", id, done: true });
    archived.push(id);
  } else {
    const id = one(archived) ?? "";
    report({ kind: "restored", id, done: false });
    await memory.restore(id);
    report({ kind: "restored", id, done: true });
    known.push(id);
  }
  if (next(40) === 0) await index.rebuild();
}
