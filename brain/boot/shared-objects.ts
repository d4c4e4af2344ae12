import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { checkSharedFolder } from "@metahuman/postgres/installation/installation-facts";
import { type Bucket, type BucketOptions, openBucket } from "@metahuman/s3/object-store";
import { objectStoredFiles } from "@metahuman/s3/object-stored-files";
import { openObjectWorkspace } from "@metahuman/s3/open-object-workspace";
import { readOrCreateMark } from "@metahuman/s3/installation-mark";
import type { InstallationOptions } from "./installation.ts";
import type { SharedFiles } from "./shared-files.ts";
import { SHARED_MARK } from "./shared-mark.ts";

/**
 * The files of all people in a bucket, as `METAHUMAN_WORKSPACE=s3://bucket/prefix` and the usual variables of AWS name it.
 * Objects of a profile have the name of its rows, which a new account of a removed name does not share. Throws
 * `ConfigInvalidError`.
 */
export function chooseSharedObjects(
  env: InstallationOptions["env"],
): (options: { ownFolder: string; clock: () => Date }) => SharedFiles {
  const { bucketName, prefix } = parseAddress(env["METAHUMAN_WORKSPACE"] ?? "");
  const options: BucketOptions = {
    bucket: bucketName,
    endpoint: readVariable(env, "AWS_ENDPOINT_URL_S3") ?? readVariable(env, "AWS_ENDPOINT_URL"),
    region: readVariable(env, "AWS_REGION") ?? readVariable(env, "AWS_DEFAULT_REGION"),
    credentials: credentialsIn(env),
  };
  return ({ ownFolder, clock }) => openSharedObjects(openBucket(options), { prefix, ownFolder, clock });
}

function openSharedObjects(
  bucket: Bucket,
  { prefix, ownFolder, clock }: { prefix: string; ownFolder: string; clock: () => Date },
): SharedFiles {
  return {
    profilesHome: ownFolder,
    hasFolders: false,
    async requireSame(database) {
      const store = bucket.below(prefix);
      const { mark, isNew } = await readOrCreateMark(store, SHARED_MARK, randomUUID());
      try {
        await checkSharedFolder(database, mark);
      } catch (error) {
        if (isNew) await store.remove(SHARED_MARK);
        throw error;
      }
    },
    requireNone: async () => undefined,
    remove: (username) => rm(profilePaths(ownFolder, username).root, { recursive: true, force: true }),
    open(rows, exclusively) {
      const store = bucket.below(`${prefix}profiles/${rows}/`);
      const { amount, ...workspace } = openObjectWorkspace(store, { exclusively, now: clock });
      return { workspace, amount, stored: objectStoredFiles(store) };
    },
    close: () => bucket.close(),
  };
}

function readVariable(env: InstallationOptions["env"], name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function credentialsIn(env: InstallationOptions["env"]) {
  const accessKeyId = readVariable(env, "AWS_ACCESS_KEY_ID");
  const secretAccessKey = readVariable(env, "AWS_SECRET_ACCESS_KEY");
  const sessionToken = readVariable(env, "AWS_SESSION_TOKEN");
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

function parseAddress(text: string): { bucketName: string; prefix: string } {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/u.exec(text.trim());
  const [, bucketName, prefix = ""] = match ?? [];
  if (bucketName === undefined || prefix.split("/").some((part) => part === "." || part === ".."))
    throw new ConfigInvalidError("METAHUMAN_WORKSPACE is not the address of a bucket.", {
      suggestions: ["Use the form s3://bucket/prefix."],
    });
  return { bucketName, prefix: prefix === "" ? "" : `${prefix}/` };
}
