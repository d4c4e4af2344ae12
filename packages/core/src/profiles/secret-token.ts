import { createHash, randomBytes } from "node:crypto";

const SECRET_BYTES = 32;
const SECRET_FORM = /^[A-Za-z0-9_-]{43}$/;

/** A new secret of 256 random bits, and the name under which lists and revocations know it. */
export function newSecret(prefix: "" | "mh_"): { secret: string; id: string } {
  const kind = prefix === "" ? "session" : "token";
  return {
    secret: prefix + randomBytes(SECRET_BYTES).toString("base64url"),
    id: `${kind}-${randomBytes(8).toString("hex")}`,
  };
}

/**
 * What is stored of a secret. 256 random bits cannot be guessed from a fast hash, and looking one up by its hash tells
 * nothing by its timing. Undefined for anything that cannot be such a secret.
 */
export function hashSecret(secret: string, prefix: "" | "mh_"): Buffer | undefined {
  if (!secret.startsWith(prefix) || !SECRET_FORM.test(secret.slice(prefix.length))) return undefined;
  return createHash("sha256").update(secret).digest();
}
