import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { systemCode } from "../../errors/node-error.ts";
import { temporaryPath } from "../../files/durable-file.ts";
import { contentWords } from "../../text/words.ts";
import { jsonColumn } from "../../database/rows.ts";

/** Successive changes within this time are written together, in milliseconds. */
const WRITE_DELAY_MS = 1_000;
const MAX_KEYWORDS = 16;
/** Keywords come from the beginning of a function's text, in characters. */
const KEYWORD_TEXT_LENGTH = 400;

/** Writes `manifest.json`, the overview for people and other tools. */
export interface ManifestWriter {
  /** Schedules a write after a change. */
  scheduleWrite(): void;
  /** Schedules a write when the file lists other functions than the index, for example after a crash. */
  scheduleIfStale(): void;
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

type Listed = Omit<z.output<typeof Row>, "text"> & { keywords: string[] };

export function createManifestWriter(
  root: string,
  database: Database,
  onFailure: (error: unknown) => void,
): ManifestWriter {
  const rows = database.query(
    `SELECT entries.id, title, substr(preview, 1, ${KEYWORD_TEXT_LENGTH}) AS text, skills AS skillsUsed, trust, path
     FROM records JOIN entries USING (item) ORDER BY path`,
    Row,
  );
  const file = join(root, "manifest.json");
  let timer: NodeJS.Timeout | undefined;

  function listed(): Listed[] {
    return rows.all().map(({ text, ...row }) => ({
      id: row.id,
      title: row.title,
      keywords: [...new Set(contentWords(text))].slice(0, MAX_KEYWORDS),
      skillsUsed: row.skillsUsed,
      trust: row.trust,
      path: row.path,
    }));
  }

  function write(): void {
    const functions = listed();
    const verified = functions.filter(({ trust }) => trust === "verified").length;
    const stats = { total: functions.length, verified, draft: functions.length - verified };
    const text = JSON.stringify(
      { version: 1, generatedAt: new Date().toISOString(), functions, stats },
      null,
      2,
    );
    const temporary = temporaryPath(root);
    try {
      // No fsync: the file is derived and rewritten at the next change.
      writeFileSync(temporary, `${text}\n`);
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      onFailure(error);
    }
  }

  function scheduleWrite(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      write();
    }, WRITE_DELAY_MS).unref();
  }

  return {
    scheduleWrite,
    scheduleIfStale() {
      if (!timer && !isDeepStrictEqual(listedIn(file), listed())) scheduleWrite();
    },
    flush() {
      if (!timer) return;
      clearTimeout(timer);
      timer = undefined;
      write();
    },
  };
}

/** The functions that the file lists, as they are in it: none if it is missing, undefined if it is damaged. */
function listedIn(file: string): unknown {
  try {
    return z.object({ functions: z.unknown() }).parse(JSON.parse(readFileSync(file, "utf8"))).functions;
  } catch (error) {
    return systemCode(error) === "ENOENT" ? [] : undefined;
  }
}
