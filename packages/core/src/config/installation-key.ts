import { hkdfSync, randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { homePaths } from "../paths/data-root.ts";

const KEY_BYTES = 32;

/** The folder of an installation's keys. It is in no export. */
export const keyFolder = (home: string): string => join(homePaths(home).profiles, "system.keys");

/** A secret key of an installation. */
interface InstallationKey {
  bytes: Buffer;
  /** The key in base64; undefined if it comes from the environment. */
  text: string | undefined;
}

/**
 * Opens a key of 32 bytes: derived for `purpose` from `METAHUMAN_SECRET_KEY` (32 bytes in base64) if that is set, otherwise
 * from a file in `profiles/system.keys`, created if missing and readable only by its owner. Throws `ConfigInvalidError` for
 * a key of another length, with `advice`.
 */
export function openInstallationKey(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  { file, purpose, advice }: { file: string; purpose: string; advice: string },
): InstallationKey {
  const fromEnvironment = env["METAHUMAN_SECRET_KEY"]?.trim();
  if (fromEnvironment) {
    const secret = decodeKey(fromEnvironment, "METAHUMAN_SECRET_KEY", advice);
    return { bytes: Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES)), text: undefined };
  }
  const text = readOrCreateKey(join(keyFolder(home), file));
  return { bytes: decodeKey(text, `profiles/system.keys/${file}`, advice), text };
}

function readOrCreateKey(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      const made = randomBytes(KEY_BYTES).toString("base64");
      writeFileSync(path, `${made}\n`, { flag: "wx", mode: 0o600, flush: true });
      return made;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    chmodSync(path, 0o600);
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw fromNodeError(error, "a key of the installation");
  }
}

function decodeKey(text: string, source: string, advice: string): Buffer {
  const key = Buffer.from(text, "base64");
  if (key.length === KEY_BYTES) return key;
  throw new ConfigInvalidError(`${source} must hold ${KEY_BYTES} bytes in base64.`, {
    suggestions: ["Create one with: openssl rand -base64 32", advice],
  });
}
