import { randomInt } from "node:crypto";

/** Generates ids that sort by time: `<prefix>-20251114T093012123Z-<slug>`. */
export interface RecordIds {
  /**
   * A new id. Ids increase strictly within this process, even if the clock is set back. Another process may generate the
   * same id; exclusive file creation detects that.
   */
  next(slug: string): string;
}

export function createRecordIds(prefix: "evt" | "task", clock: () => Date): RecordIds {
  let last = 0;
  return {
    next(slug) {
      last = Math.max(clock().getTime(), last + 1);
      return `${prefix}-${new Date(last).toISOString().replaceAll(/[-:.]/g, "")}-${slug}`;
    },
  };
}

/** Four random characters that make an id unique without exclusive file creation. */
export function randomSuffix(): string {
  return randomInt(36 ** 4)
    .toString(36)
    .padStart(4, "0");
}
