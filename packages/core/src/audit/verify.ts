import { join } from "node:path";
import type { AuditVerification } from "../contract/audit.ts";
import { hashLine, parseLine, START } from "./chain.ts";
import { dayFiles } from "./day-files.ts";
import { readHead } from "./head.ts";
import { readLines } from "./read-lines.ts";
import { type AuditSigning, readAnchors } from "./signing.ts";

type Broken = Extract<AuditVerification, { ok: false }>;

export interface VerifyOptions {
  signal?: AbortSignal | undefined;
  signing?: AuditSigning | undefined;
  anchorFile?: string | undefined;
}

interface Position {
  file: string;
  line: number;
}

/**
 * Walks the whole chain and reports the first line that does not fit. A changed line shows at the line after it, whose
 * hash no longer fits, or at the noted end of the log; lines cut off at the end show against that note. A chain that was
 * rewritten whole, with its note, shows against the signed end and the anchors, which are kept elsewhere.
 */
export async function verifyChain(
  folder: string,
  { signal, signing, anchorFile }: VerifyOptions = {},
): Promise<AuditVerification> {
  // Read first: lines appended meanwhile are beyond it, which is fine.
  const head = await readHead(folder);
  const signed = await signing?.read();
  const anchors = signing && anchorFile !== undefined ? await readAnchors(anchorFile, signing) : [];
  const known = [
    ...(signed ? [{ ...signed.head, what: "the signed end of the log" }] : []),
    ...anchors.map(({ anchor }) => ({ ...anchor, what: `the anchor of ${anchor.at}` })),
  ];
  const farthest = known.toSorted((a, b) => b.seq - a.seq)[0];
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

  const forged = forgedSignature();
  if (forged) return forged;

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
        const other = known.find(({ seq, hash }) => seq === link.seq && hash !== link.hash);
        if (other) {
          return broken(
            "rewritten",
            here,
            `this line is not the one that ${other.what} names: the log was rewritten up to here.`,
          );
        }
      }
    }
  }

  if (link.seq === 0 && (farthest !== undefined || (head?.seq ?? 0) > 0)) {
    const seq = Math.max(farthest?.seq ?? 0, head?.seq ?? 0);
    return broken("lost", last, `all ${seq} lines of the log are gone.`);
  }
  if (farthest !== undefined && farthest.seq > link.seq) {
    return broken(
      "truncated",
      last,
      `${farthest.seq - link.seq} lines after this one were removed, as ${farthest.what} shows.`,
    );
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
  return {
    ok: true,
    lines: link.seq,
    ...(signed && { signedFrom: signed.head.since }),
    ...(anchors.length > 0 && { anchors: anchors.length }),
  };

  function forgedSignature(): Broken | undefined {
    const place = { file: last.file, line: 1 };
    if (signed?.standing === "invalid")
      return broken("forged", place, "the signed end of the log was changed; its signature does not match.");
    if (signed?.standing === "other-key")
      return broken(
        "forged",
        place,
        `the end of the log is signed with another key (${signed.head.key}); put that key back, or start MetaHuman OS to sign with the present one.`,
      );
    const anchor = anchors.find(({ standing }) => standing === "invalid")?.anchor;
    return (
      anchor &&
      broken("forged", place, `the anchor of ${anchor.at} was changed; its signature does not match.`)
    );
  }

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
