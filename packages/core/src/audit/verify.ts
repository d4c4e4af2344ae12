import { join } from "node:path";
import type { AuditVerification } from "../contract/audit.ts";
import { hashLine, parseLine, START } from "./chain.ts";
import { dayFiles } from "./day-files.ts";
import { readHead } from "./head.ts";
import { readLines } from "./read-lines.ts";

type Broken = Extract<AuditVerification, { ok: false }>;

interface Position {
  file: string;
  line: number;
}

/**
 * Walks the whole chain and reports the first line that does not fit. A changed line shows at the line after it, whose
 * hash no longer fits, or at the noted end of the log; lines cut off at the end show against that note.
 */
export async function verifyChain(folder: string, signal?: AbortSignal): Promise<AuditVerification> {
  // Read first: lines appended meanwhile are beyond it, which is fine.
  const head = await readHead(folder);
  const files = await dayFiles(folder);
  let link = START;
  let last: Position = { file: files[0] ?? "head.json", line: 1 };
  const broken = (kind: Broken["kind"], { file, line }: Position, message: string): Broken => ({
    ok: false,
    lines: kind === "edited" ? link.seq - 1 : link.seq,
    file,
    line,
    kind,
    message: `${file}, line ${line}: ${message}`,
  });

  for (const file of files) {
    let line = 0;
    for await (const found of readLines(join(folder, file), 0, signal)) {
      for (const { text, complete } of found) {
        line += 1;
        const here = { file, line };
        // Half a line at the end is an append under way, or one that nobody was told had succeeded.
        if (!complete && file === files.at(-1) && link.seq >= (head?.seq ?? 0)) continue;
        const entry = parseLine(text);
        if (!entry || !complete) return broken("unreadable", here, "this is not a line of the audit log.");
        if (entry.seq !== link.seq + 1) return await misplaced(here, entry.seq);
        if (entry.previous !== link.hash) {
          return link.seq === 0
            ? broken("removed", here, "lines before the first one were removed.")
            : broken(
                "edited",
                last,
                "this line, or the link to it in the next one, was changed after it was written.",
              );
        }
        link = { seq: entry.seq, hash: hashLine(text) };
        last = here;
        if (head?.seq === link.seq && head.hash !== link.hash) {
          return broken("edited", here, "this line was changed after it was written.");
        }
      }
    }
  }

  if (head === undefined && link.seq > 0) {
    return broken(
      "truncated",
      last,
      "head.json, which notes where the log ends, is missing; lines after this one may be too.",
    );
  }
  if (head !== undefined && head.seq > link.seq) {
    return broken("truncated", last, `${head.seq - link.seq} lines after this one were removed.`);
  }
  return { ok: true, lines: link.seq };

  /** A number out of turn: the line that belongs here stands elsewhere, or nowhere. */
  async function misplaced(here: Position, seq: number): Promise<Broken> {
    const missing = link.seq + 1;
    if (seq < missing)
      return broken("reordered", here, `this is line ${seq} of the log again, or out of its place.`);
    if (await isAnywhere(missing, here.file)) {
      return broken("reordered", here, `line ${missing} of the log belongs here and stands further on.`);
    }
    return broken("removed", here, `${seq - missing} lines before this one were removed.`);
  }

  async function isAnywhere(seq: number, fromFile: string): Promise<boolean> {
    for (const file of files.filter((name) => name >= fromFile)) {
      for await (const found of readLines(join(folder, file), 0, signal)) {
        if (found.some(({ text }) => parseLine(text)?.seq === seq)) return true;
      }
    }
    return false;
  }
}
