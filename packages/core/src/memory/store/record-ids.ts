import { randomInt } from "node:crypto";

/** Makes ids that sort by time: `<prefix>-20251114T093012123Z-<slug>`. */
export interface RecordIds {
  /**
   * A new id. Within this process each is later than the one before, also within one millisecond and when the clock
   * goes backwards; another process may make the same one, which the file's exclusive creation finds out.
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

/** Four random characters: with them an id is not met again, even where its file is not created exclusively. */
export function randomSuffix(): string {
  return randomInt(36 ** 4)
    .toString(36)
    .padStart(4, "0");
}
