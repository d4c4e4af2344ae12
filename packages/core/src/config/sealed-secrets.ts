import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { SealedSecret } from "../contract/channels.ts";
import { openInstallationKey } from "./installation-key.ts";

/**
 * Encrypts secrets with a key of the installation (AES-256-GCM). Each is bound to its purpose, such as the origin of
 * a server, and cannot be decrypted for another one.
 */
export interface SecretSealer {
  seal(secret: string, boundTo: string): SealedSecret;
  /** Undefined for a secret that was sealed for something else or with another key, or that was changed. */
  open(sealed: SealedSecret, boundTo: string): string | undefined;
}

const ALGORITHM = "aes-256-gcm";
/** As NIST SP 800-38D recommends for GCM, in bytes. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Opens a key of the installation for `purpose`; it is created with the first secret. */
export function openSealer(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  key: { file: string; purpose: string; advice: string },
): SecretSealer {
  const secretKey = (): Buffer => openInstallationKey(home, env, key).bytes;
  return {
    seal(secret, boundTo) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, secretKey(), nonce).setAAD(Buffer.from(boundTo));
      const data = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return {
        nonce: nonce.toString("base64"),
        tag: cipher.getAuthTag().toString("base64"),
        data: data.toString("base64"),
      };
    },
    open(sealed, boundTo) {
      const nonce = Buffer.from(sealed.nonce, "base64");
      const tag = Buffer.from(sealed.tag, "base64");
      if (nonce.length !== NONCE_BYTES || tag.length !== TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, secretKey(), nonce)
        .setAAD(Buffer.from(boundTo))
        .setAuthTag(tag);
      const text = decipher.update(Buffer.from(sealed.data, "base64"));
      try {
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        // The tag does not match: another purpose, another key, or a changed text.
        return undefined;
      }
    },
  };
}
