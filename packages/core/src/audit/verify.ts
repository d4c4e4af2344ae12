import { join } from "node:path";
import type { AuditVerification } from "../contract/audit.ts";
import {
  type AuditSigning,
  dayFiles,
  hashLine,
  type Head,
  type Link,
  parseLine,
  readAnchors,
  readHead,
  type SignatureStatus,
  type SignedHead,
  START,
} from "./signed-chain.ts";
import { readLines } from "./read-lines.ts";

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

/** The state of the log according to sources outside of its lines. */
interface Evidence {
  head: Head | undefined;
  signed: { head: SignedHead; status: SignatureStatus } | undefined;
  anchors: Awaited<ReturnType<typeof readAnchors>>;
  /** The signed ends of the log, the latest first. */
  ends: { seq: number; hash: string; what: string }[];
}

/** The verified part of the log. */
interface Progress {
  link: Link;
  last: Position;
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
  // Read first. Lines appended meanwhile are after the head, which is valid.
  const evidence = await readEvidence(folder, signing, anchorFile);
  const files = await dayFiles(folder);
  const progress: Progress = { link: START, last: { file: files[0] ?? "head.json", line: 1 } };
  const forged = checkSignatures(evidence, progress);
  if (forged) return forged;

  for (const file of files) {
    let line = 0;
    for await (const found of readLines(join(folder, file), 0, signal)) {
      for (const { text, complete } of found) {
        line += 1;
        const position = { file, line };
        // An incomplete line at the end is an append in progress or one that was never acknowledged.
        if (!complete && file === files.at(-1) && progress.link.seq >= (evidence.head?.seq ?? 0)) continue;
        const entry = complete ? parseLine(text) : undefined;
        if (!entry)
          return brokenChain(progress, "unreadable", position, "this is not a line of the audit log.");
        if (entry.seq !== progress.link.seq + 1)
          return await wrongOrder(folder, files, progress, position, entry.seq, signal);
        const problem = checkLine(evidence, progress, position, { ...entry, hash: hashLine(text) });
        if (problem) return problem;
      }
    }
  }
  return checkEnd(evidence, progress) ?? success(evidence, progress);
}

async function readEvidence(
  folder: string,
  signing: AuditSigning | undefined,
  anchorFile: string | undefined,
): Promise<Evidence> {
  const head = await readHead(folder);
  const signed = await signing?.read();
  const anchors = signing && anchorFile !== undefined ? await readAnchors(anchorFile, signing) : [];
  const ends = [
    ...(signed ? [{ ...signed.head, what: "the signed end of the log" }] : []),
    ...anchors.map(({ anchor }) => ({ ...anchor, what: `the anchor of ${anchor.at}` })),
  ];
  return { head, signed, anchors, ends: ends.toSorted((a, b) => b.seq - a.seq) };
}

function brokenChain(
  { link }: Progress,
  kind: Broken["kind"],
  { file, line }: Position,
  message: string,
): Broken {
  return {
    ok: false,
    lines: kind === "edited" ? link.seq - 1 : link.seq,
    file,
    line,
    kind,
    message: `${file}, line ${line}: ${message}`,
  };
}

function checkSignatures({ signed, anchors }: Evidence, progress: Progress): Broken | undefined {
  const forgedChain = (message: string) =>
    brokenChain(progress, "forged", { file: progress.last.file, line: 1 }, message);
  if (signed?.status === "invalid")
    return forgedChain("the signed end of the log was changed; its signature does not match.");
  if (signed?.status === "other-key")
    return forgedChain(
      `the end of the log is signed with another key (${signed.head.key}); put that key back, or start MetaHuman OS to sign with the present one.`,
    );
  const anchor = anchors.find(({ status }) => status === "invalid")?.anchor;
  return anchor && forgedChain(`the anchor of ${anchor.at} was changed; its signature does not match.`);
}

/** Checks the next line and adds it to the progress. */
function checkLine(
  { head, ends }: Evidence,
  progress: Progress,
  position: Position,
  { seq, previous, hash }: { seq: number; previous: string; hash: string },
): Broken | undefined {
  if (previous !== progress.link.hash) {
    return progress.link.seq === 0
      ? brokenChain(progress, "removed", position, "lines before the first one were removed.")
      : brokenChain(
          progress,
          "edited",
          progress.last,
          "this line, or the link to it in the next one, was changed after it was written.",
        );
  }
  progress.link = { seq, hash };
  progress.last = position;
  if (head?.seq === seq && head.hash !== hash)
    return brokenChain(progress, "edited", position, "this line was changed after it was written.");
  const other = ends.find((end) => end.seq === seq && end.hash !== hash);
  return (
    other &&
    brokenChain(
      progress,
      "rewritten",
      position,
      `this line is not the one that ${other.what} names: the log was rewritten up to here.`,
    )
  );
}

/** Checks that no lines are missing after the last one. */
function checkEnd({ head, ends: [latest] }: Evidence, progress: Progress): Broken | undefined {
  const { link, last } = progress;
  const truncatedChain = (message: string) => brokenChain(progress, "truncated", last, message);
  if (link.seq === 0 && (latest !== undefined || (head?.seq ?? 0) > 0)) {
    const seq = Math.max(latest?.seq ?? 0, head?.seq ?? 0);
    return brokenChain(progress, "lost", last, `all ${seq} lines of the log are gone.`);
  }
  if (latest !== undefined && latest.seq > link.seq)
    return truncatedChain(
      `${latest.seq - link.seq} lines after this one were removed, as ${latest.what} shows.`,
    );
  if (head === undefined && link.seq > 0)
    return truncatedChain(
      "head.json, which notes where the log ends, is missing; lines after this one may be too.",
    );
  if (head !== undefined && head.seq > link.seq)
    return truncatedChain(`${head.seq - link.seq} lines after this one were removed.`);
  return undefined;
}

function success({ signed, anchors }: Evidence, { link }: Progress): AuditVerification {
  return {
    ok: true,
    lines: link.seq,
    ...(signed && { signedFrom: signed.head.since }),
    ...(anchors.length > 0 && { anchors: anchors.length }),
  };
}

/** Reports a wrong line number: the expected line is elsewhere or missing. */
async function wrongOrder(
  folder: string,
  files: readonly string[],
  progress: Progress,
  position: Position,
  seq: number,
  signal: AbortSignal | undefined,
): Promise<Broken> {
  const missing = progress.link.seq + 1;
  const report = (kind: "reordered" | "removed", message: string) =>
    brokenChain(progress, kind, position, message);
  if (seq < missing) return report("reordered", `line ${seq} of the log is repeated here or out of order.`);
  for (const file of files.filter((name) => name >= position.file)) {
    for await (const found of readLines(join(folder, file), 0, signal)) {
      if (found.some(({ text }) => parseLine(text)?.seq === missing))
        return report("reordered", `line ${missing} of the log belongs here but is further down.`);
    }
  }
  return report("removed", `${seq - missing} lines before this one were removed.`);
}
