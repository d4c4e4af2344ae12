import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { keyFolder, openInstallationKey } from "../config/installation-key.ts";
import { Timestamp } from "../contract/ids.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { Head } from "./chain.ts";
import { readIfExists } from "../files/file-content.ts";

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
      const head = parseJsonLine(SignedHead, text);
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
    .map((line) => parseJsonLine(Anchor, line))
    .filter((anchor) => anchor?.profile === profile)
    .filter((anchor) => anchor !== undefined)
    .map((anchor) => ({
      anchor,
      status: signatureStatus(anchor, key, key.sign(signedAnchorFields(anchor))),
    }));
}

function parseJsonLine<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
