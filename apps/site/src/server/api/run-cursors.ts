import { z } from "zod";
import type { RunId } from "@metahuman/core/contract/ids";

const RunCursor = z
  .string()
  .regex(/^run-[0-9a-z]{26}(:\d{1,9})?$/, "name runs as run-01jd… or, to go on after an event, run-01jd…:12")
  .transform((text): [RunId, number] => {
    const [run = "", seq = "0"] = text.split(":");
    return [run, Number(seq)];
  });

/** How far each run of a stream has been seen: `run-…:12,run-…:3`; a run without a number from its beginning. */
export const RunCursors = z
  .string()
  .transform((text) => text.split(",").filter((part) => part !== ""))
  .pipe(z.array(RunCursor).max(50))
  .transform((cursors) => new Map(cursors));

export type RunCursors = Map<RunId, number>;

export function writeCursors(cursors: RunCursors): string {
  return [...cursors].map(([run, seq]) => `${run}:${seq}`).join(",");
}

/** The later of what the address asks for and what the browser kept. */
export function latestCursors(asked: RunCursors, kept: string | null): RunCursors {
  const before = RunCursors.safeParse(kept ?? "");
  const seen = before.success ? before.data : new Map<RunId, number>();
  return new Map([...asked].map(([run, seq]) => [run, Math.max(seq, seen.get(run) ?? 0)]));
}
