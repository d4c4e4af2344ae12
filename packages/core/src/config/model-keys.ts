import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ModelKeyId } from "../contract/models.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { createFile } from "../memory/store/durable-file.ts";
import { keyFolder, openInstallationKey } from "./installation-key.ts";

/**
 * The keys of model servers that a person entered, one encrypted file each (AES-256-GCM) in `profiles/system.keys`. A key is
 * bound to the origin of its server: whoever changes the address in `etc/models.json` gets no key sent there.
 */
export interface ModelKeys {
  /** Stores a key for the server at `baseUrl` and returns its id. */
  store(key: string, baseUrl: string): Promise<ModelKeyId>;
  /** Reads a key; undefined if it is missing, was stored for another origin, or with another secret. */
  read(id: ModelKeyId, baseUrl: string): string | undefined;
  /** Deletes a key; ignores a missing one. */
  remove(id: ModelKeyId): Promise<void>;
}

const ALGORITHM = "aes-256-gcm";
/** As NIST SP 800-38D recommends for GCM, in bytes. */
const NONCE_BYTES = 12;

const StoredKey = z.strictObject({ nonce: z.base64(), tag: z.base64(), data: z.base64() });

/** Opens the stored keys of an installation. Creates their secret with the first key. */
export function openModelKeys(home: string, env: Readonly<Record<string, string | undefined>>): ModelKeys {
  const pathOf = (id: ModelKeyId): string => join(keyFolder(home), `${id}.json`);
  const secret = (): Buffer =>
    openInstallationKey(home, env, {
      file: "model-keys.key",
      purpose: "metahuman model keys",
      advice: "Enter the keys of the model servers again.",
    }).bytes;

  return {
    async store(key, baseUrl) {
      const id = `model-key-${randomBytes(8).toString("hex")}`;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, secret(), nonce).setAAD(boundTo(id, baseUrl));
      const data = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
      const stored: z.infer<typeof StoredKey> = {
        nonce: nonce.toString("base64"),
        tag: cipher.getAuthTag().toString("base64"),
        data: data.toString("base64"),
      };
      await createFile(pathOf(id), `${JSON.stringify(stored)}\n`, "the key of a model server");
      await chmod(pathOf(id), 0o600);
      return id;
    },

    read(id, baseUrl) {
      const stored = readStored(pathOf(id));
      if (!stored) return undefined;
      const decipher = createDecipheriv(ALGORITHM, secret(), Buffer.from(stored.nonce, "base64"))
        .setAAD(boundTo(id, baseUrl))
        .setAuthTag(Buffer.from(stored.tag, "base64"));
      const data = decipher.update(Buffer.from(stored.data, "base64"));
      try {
        return Buffer.concat([data, decipher.final()]).toString("utf8");
      } catch {
        // The tag does not match: another origin, another secret, or a changed file.
        return undefined;
      }
    },

    remove: async (id) => await rm(pathOf(id), { force: true }),
  };
}

const boundTo = (id: ModelKeyId, baseUrl: string): Buffer => Buffer.from(`${id} ${new URL(baseUrl).origin}`);

function readStored(path: string): z.infer<typeof StoredKey> | undefined {
  try {
    return StoredKey.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw fromNodeError(error, "the key of a model server");
  }
}
