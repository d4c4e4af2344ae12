import { S3ServiceException } from "@aws-sdk/client-s3";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { StorageFullError, StorageUnavailableError } from "@metahuman/core/errors/storage-errors";

const RETRY_AFTER_MS = 2_000;
const CREDENTIALS: ReadonlySet<string> = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "InvalidToken",
  "CredentialsProviderError",
]);
const FULL: ReadonlySet<string> = new Set(["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage"]);

/** Maps an error of the client to a typed error. Messages contain neither keys nor the address. */
export function toObjectStoreError(error: unknown): Error {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  const name = error instanceof Error ? error.name : "";
  const context = { name, ...(status !== undefined && { status }) };
  const facts = { cause: error, context };
  if (name === "NoSuchBucket")
    return new ConfigInvalidError("The bucket named in METAHUMAN_WORKSPACE does not exist.", {
      ...facts,
      suggestions: ["Create it, or correct the address."],
    });
  if (CREDENTIALS.has(name))
    return new ConfigInvalidError("The object store rejects the credentials of this server.", {
      ...facts,
      suggestions: ["Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."],
    });
  if (FULL.has(name) || status === 507)
    return new StorageFullError("The object store has no space left; nothing was changed.", facts);
  if (status === 403)
    return new PermissionDeniedError("The object store denies this server access.", {
      ...facts,
      suggestions: ["Allow reading, writing, deleting and listing below the prefix of METAHUMAN_WORKSPACE."],
    });
  return new StorageUnavailableError("The object store cannot be used now.", {
    cause: error,
    suggestions: ["Try again in a moment."],
    context: { ...context, retryAfterMs: RETRY_AFTER_MS },
  });
}
