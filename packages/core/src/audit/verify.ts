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
 * Verifies the whole chain and reports the first line that breaks it. A changed line is detected at the next line, whose
 * hash no longer matches, or at the recorded end of the log, which also detects lines removed at the end. A chain that was
 * rewritten with its recorded end is detected by the signed end and the anchors, which are stored elsewhere.
 */
export async function verifyChain(
  folder: string,
  { signal, signing, anchorFile }: VerifyOptions = {},
): Promise<AuditVerification> {
  // The head is read first. Lines appended meanwhile are after it, which is valid.
  const head = await readHead(folder);
  const signed = await signing?.read();
  const anchors = signing && anchorFile !== undefined ? await readAnchors(anchorFile, signing) : [];
  const known = [
    ...(signed ? [{ ...signed.head, what: "the signed end of the log" }] : []),
    ...anchors.map(({ anchor }) => ({ ...anchor, what: `the anchor of ${anchor.at}` })),
  ];
  const latest = known.toSorted((a, b) => b.seq - a.seq)[0];
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

  const forged = checkSignatures();
  if (forged) return forged;

  for (const file of files) {
    let line = 0;
    for await (const found of readLines(join(folder, file), 0, signal)) {
      for (const { text, complete } of found) {
        line += 1;
        const position = { file, line };
        // An incomplete line at the end is an append in progress or one that was never acknowledged.
        if (!complete && file === files.at(-1) && link.seq >= (head?.seq ?? 0)) continue;
        const entry = parseLine(text);
        if (!entry || !complete)
          return broken("unreadable", position, "this is not a line of the audit log.");
        if (entry.seq !== link.seq + 1) return await reportOrder(position, entry.seq);
        if (entry.previous !== link.hash) {
          return link.seq === 0
            ? broken("removed", position, "lines before the first one were removed.")
            : broken(
                "edited",
                last,
                "this line, or the link to it in the next one, was changed after it was written.",
              );
        }
        link = { seq: entry.seq, hash: hashLine(text) };
        last = position;
        if (head?.seq === link.seq && head.hash !== link.hash) {
          return broken("edited", position, "this line was changed after it was written.");
        }
        const other = known.find(({ seq, hash }) => seq === link.seq && hash !== link.hash);
        if (other) {
          return broken(
            "rewritten",
            position,
            `this line is not the one that ${other.what} names: the log was rewritten up to here.`,
          );
        }
      }
    }
  }

  if (link.seq === 0 && (latest !== undefined || (head?.seq ?? 0) > 0)) {
    const seq = Math.max(latest?.seq ?? 0, head?.seq ?? 0);
    return broken("lost", last, `all ${seq} lines of the log are gone.`);
  }
  if (latest !== undefined && latest.seq > link.seq) {
    return broken(
      "truncated",
      last,
      `${latest.seq - link.seq} lines after this one were removed, as ${latest.what} shows.`,
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

  function checkSignatures(): Broken | undefined {
    const place = { file: last.file, line: 1 };
    if (signed?.status === "invalid")
      return broken("forged", place, "the signed end of the log was changed; its signature does not match.");
    if (signed?.status === "other-key")
      return broken(
        "forged",
        place,
        `the end of the log is signed with another key (${signed.head.key}); put that key back, or start MetaHuman OS to sign with the present one.`,
      );
    const anchor = anchors.find(({ status }) => status === "invalid")?.anchor;
    return (
      anchor &&
      broken("forged", place, `the anchor of ${anchor.at} was changed; its signature does not match.`)
    );
  }

  /** Reports a wrong line number: the expected line is elsewhere or missing. */
  async function reportOrder(position: Position, seq: number): Promise<Broken> {
    const missing = link.seq + 1;
    if (seq < missing)
      return broken("reordered", position, `this is line ${seq} of the log again, or out of its place.`);
    if (await exists(missing, position.file)) {
      return broken("reordered", position, `line ${missing} of the log belongs here and stands further on.`);
    }
    return broken("removed", position, `${seq - missing} lines before this one were removed.`);
  }

  async function exists(seq: number, fromFile: string): Promise<boolean> {
    for (const file of files.filter((name) => name >= fromFile)) {
      for await (const found of readLines(join(folder, file), 0, signal)) {
        if (found.some(({ text }) => parseLine(text)?.seq === seq)) return true;
      }
    }
    return false;
  }
}
