import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SealedSecret } from "../contract/channels.ts";
import type { ModelKeyId } from "../contract/models.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { createFile } from "../files/durable-file.ts";
import { keyFolder } from "./installation-key.ts";
import { openSealer } from "./sealed-secrets.ts";

/**
 * The keys of model servers that a person entered, one encrypted file each in `profiles/system.keys`. A key is bound
 * to the origin of its server, so it is not sent to another address in `etc/models.json`.
 */
export interface ModelKeys {
  /** Stores a key for the server at `baseUrl` and returns its id. */
  store(key: string, baseUrl: string): Promise<ModelKeyId>;
  /** Stores a key under the id that it has in another installation. Throws `AlreadyExistsError` if the id is taken. */
  put(id: ModelKeyId, key: string, baseUrl: string): Promise<void>;
  /** Reads a key; undefined if it is missing, was stored for another origin, or with another secret. */
  read(id: ModelKeyId, baseUrl: string): string | undefined;
  /** Deletes a key; ignores a missing one. */
  remove(id: ModelKeyId): Promise<void>;
}

/** The key that encrypts the keys of model servers. */
export const MODEL_KEYS = {
  file: "model-keys.key",
  purpose: "metahuman model keys",
  advice: "Enter the keys of the model servers again.",
};

/** Opens the stored keys of an installation. Creates their secret with the first key. */
export function openModelKeys(home: string, env: Readonly<Record<string, string | undefined>>): ModelKeys {
  const pathOf = (id: ModelKeyId): string => join(keyFolder(home), `${id}.json`);
  const sealer = openSealer(home, env, MODEL_KEYS);

  async function put(id: ModelKeyId, key: string, baseUrl: string): Promise<void> {
    const stored: SealedSecret = sealer.seal(key, boundToOrigin(id, baseUrl));
    const text = `${JSON.stringify(stored)}\n`;
    await createFile(pathOf(id), text, "The key of a model server", { mode: 0o600 });
  }

  return {
    put,
    async store(key, baseUrl) {
      const id = newKeyId();
      await put(id, key, baseUrl);
      return id;
    },

    read(id, baseUrl) {
      const stored = readStored(pathOf(id));
      return stored && sealer.open(stored, boundToOrigin(id, baseUrl));
    },

    remove: async (id) => await rm(pathOf(id), { force: true }),
  };
}

export const newKeyId = (): ModelKeyId => `model-key-${randomBytes(8).toString("hex")}`;

/** The purpose for which a key is encrypted: its server. */
export const boundToOrigin = (id: ModelKeyId, baseUrl: string): string => `${id} ${new URL(baseUrl).origin}`;

function readStored(path: string): SealedSecret | undefined {
  try {
    return SealedSecret.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw fromNodeError(error, "the key of a model server");
  }
}
