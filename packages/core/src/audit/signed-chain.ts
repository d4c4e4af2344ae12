import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { AuditEntry, AuditEvent } from "../contract/audit.ts";
import { redact } from "../log/redact.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { keyFolder, openInstallationKey } from "../config/installation-key.ts";
import { Timestamp } from "../contract/ids.ts";
import { readIfExists } from "../files/file-content.ts";
import { parseJson } from "../contract/parse-json.ts";

/** The previous hash of the first line. */
export const GENESIS = "0".repeat(64);

/** The end of the chain: the number and hash of its last line. */
export interface Link {
  seq: number;
  hash: string;
}

export const START: Link = { seq: 0, hash: GENESIS };

const MAX_TEXT = 8_000;
const MAX_ITEMS = 200;
const MAX_DETAILS = 64_000;

/** SHA-256, in hex, of a line without its newline. */
export function hashLine(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

/**
 * Returns the stored form of an event: redacted, with long values clipped and marked. Throws for an event that does not
 * match its schema, because it could not be read again.
 */
export function prepareEntry(event: AuditEvent, at: Date): Omit<AuditEntry, "seq" | "previous"> {
  const checked = AuditEvent.parse(event);
  const cleaned = redact(checked.details, { maxText: MAX_TEXT, maxItems: MAX_ITEMS });
  const text = JSON.stringify(cleaned);
  const details =
    text.length > MAX_DETAILS ? { clipped: text.slice(0, MAX_DETAILS), length: text.length } : cleaned;
  return { at: at.toISOString(), ...checked, details: { ...(typeof details === "object" ? details : {}) } };
}

/** Returns the line after `after`, without its newline, and the new end of the chain. */
export function linkEntry(
  prepared: Omit<AuditEntry, "seq" | "previous">,
  after: Link,
): { line: string; link: Link } {
  const seq = after.seq + 1;
  const line = JSON.stringify({ seq, ...prepared, previous: after.hash });
  return { line, link: { seq, hash: hashLine(line) } };
}

/** Returns the number of a line without parsing the rest; undefined for any other text. */
export function seqOf(line: string): number | undefined {
  const found = /^\{"seq":(\d{1,16}),/.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Parses a line. Returns undefined for anything that is not an audit line. */
export function parseLine(line: string): AuditEntry | undefined {
  return AuditEntry.safeParse(parseJson(line)).data;
}

const DAY_FILE = /^\d{4}-\d{2}-\d{2}\.ndjson$/;

/** Returns the file name for the UTC day of `at`. Names sort by time. */
export function dayFile(at: Date): string {
  return `${at.toISOString().slice(0, 10)}.ndjson`;
}

/** Returns the log's files, oldest first; none if the folder does not exist. */
export async function dayFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => DAY_FILE.test(name)).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/**
 * The end of the log, stored in `head.json` next to the day files. It is written after its lines are on disk: after a
 * crash it may lag behind them but is never ahead, so a log that ends before it has lost lines.
 */
export const Head = z.strictObject({
  seq: z.int().nonnegative(),
  hash: z.string(),
  file: z.string(),
  /** The file's size when its last line was written. */
  bytes: z.int().nonnegative(),
});
export type Head = z.infer<typeof Head>;

/** Reads the recorded end; undefined if it is missing or unreadable. */
export async function readHead(folder: string): Promise<Head | undefined> {
  try {
    return Head.safeParse(parseJson(await readFile(join(folder, "head.json"), "utf8"))).data;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes the recorded end. Requires the log's lock. */
export async function writeHead(folder: string, head: Head): Promise<void> {
  const unfinished = join(folder, "head.json.tmp");
  await writeFile(unfinished, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  await rename(unfinished, join(folder, "head.json"));
}

/** Signs with HMAC-SHA-256. */
export interface AuditKey {
  /** Identifies the key without revealing it. */
  readonly id: string;
  /** The key in base64; undefined if it comes from the environment. */
  readonly exported: string | undefined;
  /** Returns the signature in base64url. */
  sign(parts: readonly (string | number)[]): string;
}

/** The signed end of a profile's log, stored outside of the profile so that rewriting the log does not rewrite it. */
export const SignedHead = z.strictObject({
  profile: z.string(),
  ...Head.shape,
  /** The number of the first signed line. */
  since: z.int().positive(),
  key: z.string(),
  signature: z.string(),
});
export type SignedHead = z.infer<typeof SignedHead>;

/** `valid`: signed with the current key. `invalid`: the signature does not match. `other-key`: signed with another key. */
export type SignatureStatus = "valid" | "invalid" | "other-key";

/** A line of the anchor file: the end of a log at a point in time. */
export const Anchor = z.strictObject({
  at: Timestamp,
  profile: z.string(),
  seq: z.int().positive(),
  hash: z.string(),
  key: z.string(),
  signature: z.string(),
});
export type Anchor = z.infer<typeof Anchor>;

/** The signed end of one profile's log. */
export interface AuditSigning {
  readonly profile: string;
  readonly key: AuditKey;
  /** Undefined before the first signature. */
  read(): Promise<{ head: SignedHead; status: SignatureStatus } | undefined>;
  /** Requires the log's lock. */
  write(head: Head, since: number): Promise<void>;
}

const headPath = (home: string, profile: string): string =>
  join(keyFolder(home), "audit-heads", `${profile}.json`);

/**
 * Opens the key of an installation: derived from `METAHUMAN_SECRET_KEY` (32 bytes in base64) if set, otherwise
 * `profiles/system.keys/audit.key`, created if missing and readable only by its owner. Throws `ConfigInvalidError` for a key
 * of another length.
 */
export function openAuditKey(home: string, env: Readonly<Record<string, string | undefined>>): AuditKey {
  const { bytes, text } = openInstallationKey(home, env, {
    file: "audit.key",
    purpose: "metahuman audit",
    advice: "If the file is damaged, restore the key that mh audit key export wrote.",
  });
  return auditKey(bytes, text);
}

function auditKey(key: Buffer, exported: string | undefined): AuditKey {
  return {
    id: createHash("sha256").update(key).digest("hex").slice(0, 16),
    exported,
    sign: (parts) => createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url"),
  };
}

/** Compares a signature with the expected one of the current key, in constant time. */
export function signatureStatus(
  claimed: { key: string; signature: string },
  key: AuditKey,
  expected: string,
): SignatureStatus {
  if (claimed.key !== key.id) return "other-key";
  const [a, b] = [Buffer.from(claimed.signature), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b) ? "valid" : "invalid";
}

export function openAuditSigning(home: string, profile: string, key: AuditKey): AuditSigning {
  const path = headPath(home, profile);
  const signedFields = (head: Omit<SignedHead, "signature">) => [
    "metahuman-audit-head-1",
    head.profile,
    head.seq,
    head.hash,
    head.file,
    head.bytes,
    head.since,
    head.key,
  ];
  return {
    profile,
    key,
    async read() {
      const text = await readIfExists(path);
      if (text === undefined) return undefined;
      const head = SignedHead.safeParse(parseJson(text)).data;
      if (!head || head.profile !== profile) return undefined;
      return { head, status: signatureStatus(head, key, key.sign(signedFields(head))) };
    },
    async write(head, since) {
      const unsigned = { profile, ...head, since, key: key.id };
      const signed: SignedHead = { ...unsigned, signature: key.sign(signedFields(unsigned)) };
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(`${path}.tmp`, `${JSON.stringify(signed)}\n`, { mode: 0o600 });
      await rename(`${path}.tmp`, path);
    },
  };
}

/** Renames the signed head of a removed profile, so that a new profile of the same name starts its own log. */
export async function retireSignedHead(home: string, profile: string): Promise<void> {
  const path = headPath(home, profile);
  try {
    await rename(path, `${path}.removed-${new Date().toISOString().replaceAll(/[-:.]/gu, "")}`);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw fromNodeError(error, "the signed head of the audit log");
  }
}

const signedAnchorFields = (anchor: Omit<Anchor, "signature">) => [
  "metahuman-audit-anchor-1",
  anchor.profile,
  anchor.seq,
  anchor.hash,
  anchor.at,
  anchor.key,
];

/** A line for the anchor file, with its newline. */
export function anchorLine(
  { profile, key }: Pick<AuditSigning, "profile" | "key">,
  { seq, hash }: Pick<SignedHead, "seq" | "hash">,
  at: Date,
): string {
  const unsigned = { at: at.toISOString(), profile, seq, hash, key: key.id };
  return `${JSON.stringify({ ...unsigned, signature: key.sign(signedAnchorFields(unsigned)) })}\n`;
}

/** Returns this profile's lines of the anchor file, oldest first; none if the file does not exist. */
export async function readAnchors(
  file: string,
  { profile, key }: Pick<AuditSigning, "profile" | "key">,
): Promise<{ anchor: Anchor; status: SignatureStatus }[]> {
  const lines = (await readIfExists(file))?.split("\n") ?? [];
  return lines
    .map((line) => Anchor.safeParse(parseJson(line)).data)
    .filter((anchor) => anchor?.profile === profile)
    .filter((anchor) => anchor !== undefined)
    .map((anchor) => ({
      anchor,
      status: signatureStatus(anchor, key, key.sign(signedAnchorFields(anchor))),
    }));
}
