import {
  type Anchor,
  hashLine,
  type Link,
  parseLine,
  type SignatureStatus,
  START,
} from "@metahuman/core/audit/signed-chain";
import type { AuditVerification } from "@metahuman/core/contract/audit";

type Broken = Extract<AuditVerification, { ok: false }>;

/** The stored end of a chain. */
export interface ChainEnd extends Link {
  /** `since` is the first signed line. */
  signed?: { since: number; key: string; signature: string };
}

/** A log with the state of its end according to sources outside of its lines. */
export interface StoredChain {
  end: ChainEnd | undefined;
  /** Of the signature of the end; undefined without one. */
  status: SignatureStatus | undefined;
  anchors: readonly { anchor: Anchor; status: SignatureStatus }[];
  /** The next lines after a number, in order; none at the end. */
  linesAfter(seq: number): Promise<readonly { seq: number; line: string }[]>;
  signal: AbortSignal | undefined;
}

/**
 * Verifies every line of a chain in the database and reports the first that breaks it, by its number: lines that were
 * changed, removed or replaced, an end that does not match, and signatures of another text.
 */
export async function verifyLines(chain: StoredChain): Promise<AuditVerification> {
  const { end, status, anchors, linesAfter, signal } = chain;
  const ends = [
    ...(end
      ? [{ ...end, what: status === "valid" ? "the signed end of the log" : "the end of the log" }]
      : []),
    ...anchors.map(({ anchor }) => ({ ...anchor, what: `the anchor of ${anchor.at}` })),
  ].toSorted((a, b) => b.seq - a.seq);
  if (status === "invalid" || status === "other-key")
    return brokenChain(
      START,
      "forged",
      1,
      `the end of the log is signed with another key, or its signature was changed.`,
    );
  const forged = anchors.find((anchor) => anchor.status === "invalid")?.anchor;
  if (forged) return brokenChain(START, "forged", 1, `the anchor of ${forged.at} was changed.`);

  let link: Link = START;
  for (;;) {
    signal?.throwIfAborted();
    const lines = await linesAfter(link.seq);
    if (lines.length === 0) break;
    for (const { seq, line } of lines) {
      const entry = parseLine(line);
      if (entry?.seq !== seq)
        return brokenChain(link, "unreadable", seq, "this is not a line of the audit log.");
      if (seq !== link.seq + 1)
        return brokenChain(link, "removed", seq, `${seq - link.seq - 1} lines before this one were removed.`);
      if (entry.previous !== link.hash)
        return brokenChain(
          link,
          "edited",
          Math.max(1, link.seq),
          "this line was changed after it was written.",
        );
      link = { seq, hash: hashLine(line) };
      const other = ends.find((known) => known.seq === seq && known.hash !== link.hash);
      if (other)
        return brokenChain(link, "rewritten", seq, `this line is not the one that ${other.what} names.`);
    }
  }
  const [latest] = ends;
  if (latest && latest.seq > link.seq) {
    return link.seq === 0
      ? brokenChain(link, "lost", 1, `all ${latest.seq} lines of the log are gone.`)
      : brokenChain(
          link,
          "truncated",
          link.seq,
          `${latest.seq - link.seq} lines after this one were removed.`,
        );
  }
  if (!end && link.seq > 0)
    return brokenChain(
      link,
      "truncated",
      link.seq,
      "the end of the log is missing; lines after this one may be too.",
    );
  return {
    ok: true,
    lines: link.seq,
    ...(end?.signed && status === "valid" && { signedFrom: end.signed.since }),
    ...(anchors.length > 0 && { anchors: anchors.length }),
  };
}

function brokenChain(link: Link, kind: Broken["kind"], line: number, message: string): Broken {
  const lines = kind === "edited" ? Math.max(0, link.seq - 1) : link.seq;
  return { ok: false, lines, file: "audit_lines", line, kind, message: `Line ${line}: ${message}` };
}
