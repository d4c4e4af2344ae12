import { randomBytes } from "node:crypto";
import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { contentWords } from "../../text/words.ts";
import { jsonColumn } from "../../database/rows.ts";

/** Successive changes within this time are written together, in milliseconds. */
const WRITTEN_AFTER_MS = 1_000;
const MAX_KEYWORDS = 16;

/** Writes `manifest.json`, the overview for people and other tools. */
export interface ManifestWriter {
  /** Schedules a write after a change. */
  changed(): void;
  /** Schedules a write when the file is older than the functions, for example after a crash. */
  catchUp(): void;
  /** Writes pending changes now. */
  flush(): void;
}

const Row = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  skillsUsed: jsonColumn(z.array(z.string())),
  trust: z.enum(["draft", "verified"]),
  path: z.string(),
});

export function createManifestWriter(
  root: string,
  database: Database,
  onFailure: (error: unknown) => void,
): ManifestWriter {
  const rows = database.query(
    `SELECT entries.id, title, substr(preview, 1, 400) AS text, skills AS skillsUsed, trust, path
     FROM records JOIN entries USING (item) ORDER BY path`,
    Row,
  );
  const latest = database.query(
    "SELECT max(updated_at) AS updatedAt FROM records",
    z.object({ updatedAt: z.string().nullable() }),
  );
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    const functions = rows.all().map(({ text, ...row }) => ({
      id: row.id,
      title: row.title,
      keywords: [...new Set(contentWords(text))].slice(0, MAX_KEYWORDS),
      skillsUsed: row.skillsUsed,
      trust: row.trust,
      path: row.path,
    }));
    const verified = functions.filter(({ trust }) => trust === "verified").length;
    const stats = { total: functions.length, verified, draft: functions.length - verified };
    const text = JSON.stringify(
      { version: 1, generatedAt: new Date().toISOString(), functions, stats },
      null,
      2,
    );
    const temporary = join(root, `.${randomBytes(8).toString("hex")}.tmp`);
    try {
      // No fsync: the file is derived and rewritten at the next change.
      writeFileSync(temporary, `${text}\n`);
      renameSync(temporary, join(root, "manifest.json"));
    } catch (error) {
      rmSync(temporary, { force: true });
      onFailure(error);
    }
  }

  function scheduleWrite(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      write();
    }, WRITTEN_AFTER_MS).unref();
  }

  return {
    changed: scheduleWrite,
    catchUp() {
      const updatedAt = latest.get()?.updatedAt ?? null;
      const writtenAt = statSync(join(root, "manifest.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (updatedAt !== null && Date.parse(updatedAt) > writtenAt) scheduleWrite();
    },
    flush() {
      if (!timer) return;
      clearTimeout(timer);
      timer = undefined;
      write();
    },
  };
}
