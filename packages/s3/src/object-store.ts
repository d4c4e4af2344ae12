import { randomUUID } from "node:crypto";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { StorageFullError, StorageUnavailableError } from "@metahuman/core/errors/storage-errors";

export interface StoredObject {
  key: string;
  bytes: number;
  modified: Date;
  /** Changes with the content. */
  etag: string;
}

/** The condition for writing an object: that there is none, or that it has not changed. */
export type WriteCondition = { isAbsent: true } | { etag: string };

/** The object is not, or no longer, what the writer or reader expects. */
export class ObjectChangedError extends Error {
  override readonly name = "ObjectChangedError";
}

/**
 * The objects of one bucket below a prefix. Keys are relative to the prefix. Writes are atomic and durable; the server
 * checks their condition. All methods reject with the signal's reason, `StorageUnavailableError`, `StorageFullError`,
 * `PermissionDeniedError` and `ConfigInvalidError`.
 */
export interface ObjectStore {
  head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined>;
  /** Reads bytes of an object. Throws `ObjectChangedError` if it was changed meanwhile. */
  read(
    object: Pick<StoredObject, "key" | "etag">,
    range?: { from: number; length: number },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Throws `ObjectChangedError` if the condition is not met. */
  write(
    key: string,
    bytes: Uint8Array | string,
    condition?: WriteCondition,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Replaces the object at `to`. Throws `ObjectChangedError` if the source was changed meanwhile. */
  copy(from: Pick<StoredObject, "key" | "etag">, to: string): Promise<void>;
  /** Does nothing for keys without an object. */
  remove(...keys: readonly string[]): Promise<void>;
  /** Lists objects in the order of their keys. */
  list(prefix: string, options?: { limit?: number; signal?: AbortSignal }): AsyncGenerator<StoredObject>;
  /** Lists objects and folders whose keys have no slash after the prefix, except at the end of a folder. */
  listFolder(prefix: string, signal?: AbortSignal): AsyncGenerator<StoredObject | { folder: string }>;
}

/** A bucket, or a part of one. */
export interface Bucket {
  /** The objects below a prefix, which is empty or ends with a slash. */
  below(prefix: string): ObjectStore;
  close(): void;
}

export interface BucketOptions {
  bucket: string;
  /** Another server than that of Amazon. */
  endpoint?: string | undefined;
  region?: string | undefined;
  /** Default: what the AWS SDK finds, such as the role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  /** How often a request is sent before it fails. */
  attempts?: number;
  /** How long the server may send nothing before a request is sent again, or fails, in milliseconds. */
  answerWithinMs?: number;
}

const KEYS_PER_REQUEST = 1_000;
/** Where an object names the write that made it. */
const WRITE = "write";
const ANSWER_WITHIN_MS = 15_000;
const PARALLEL_REMOVALS = 16;

export function openBucket(options: BucketOptions): Bucket {
  const client = createClient(options);
  return {
    below: (prefix) => openObjectStore(client, options.bucket, prefix),
    close: () => client.destroy(),
  };
}

function openObjectStore(client: S3Client, bucket: string, prefix: string): ObjectStore {
  const at = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` });

  async function* pages(below: string, request: { delimiter?: string; limit: number; signal?: AbortSignal }) {
    const { delimiter, limit, signal } = request;
    let token: string | undefined;
    let left = limit;
    do {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: `${prefix}${below}`,
        MaxKeys: Math.min(KEYS_PER_REQUEST, left),
        ...(delimiter !== undefined && { Delimiter: delimiter }),
        ...(token !== undefined && { ContinuationToken: token }),
      });
      const page = await withTypedErrors(signal, () => client.send(command, abortable(signal)));
      yield page;
      left -= page.KeyCount ?? 0;
      token = page.NextContinuationToken;
    } while (token !== undefined && left > 0);
  }
  /** Identifies the write that created an object, if known. */
  async function lastWrite(key: string): Promise<string | undefined> {
    try {
      return (await client.send(new HeadObjectCommand(at(key)))).Metadata?.[WRITE];
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
  const found = ({ Key = "", ...object }: { Key?: string | undefined } & ObjectFacts) =>
    describe(Key.slice(prefix.length), object);

  return {
    head: (key, signal) =>
      withTypedErrors(signal, async () => {
        try {
          return describe(key, await client.send(new HeadObjectCommand(at(key)), abortable(signal)));
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      }),
    async read({ key, etag }, range, signal) {
      if (range?.length === 0) return noBytes();
      const Range = range && `bytes=${range.from}-${range.from + range.length - 1}`;
      const command = new GetObjectCommand({
        ...at(key),
        IfMatch: etag,
        ...(Range !== undefined && { Range }),
      });
      const { ETag, Body, ContentRange } = await withTypedErrors(signal, async () => {
        try {
          return await client.send(command, abortable(signal));
        } catch (error) {
          if (isMissing(error)) throw new ObjectChangedError("The object was removed.", { cause: error });
          throw error;
        }
      });
      if (ETag !== etag) throw new ObjectChangedError("The object changed.");
      const bytes = typedBytes(Body?.transformToWebStream() ?? noBytes(), signal);
      // A server may ignore the range, or send more.
      return range
        ? sliceBytes(bytes, { ...range, start: ContentRange === undefined ? 0 : range.from })
        : bytes;
    },
    async write(key, bytes, condition, signal) {
      const expected =
        condition === undefined
          ? {}
          : "etag" in condition
            ? { IfMatch: condition.etag }
            : { IfNoneMatch: "*" };
      const write = randomUUID();
      const command = new PutObjectCommand({
        ...at(key),
        Body: Buffer.from(bytes),
        Metadata: { [WRITE]: write },
        ...expected,
      });
      await withTypedErrors(signal, async () => {
        try {
          await client.send(command, abortable(signal));
        } catch (error) {
          // An attempt whose answer was lost may have written what the next one found.
          if (!isConditionUnmet(error) || !wasRepeated(error) || (await lastWrite(key)) !== write)
            throw error;
        }
      });
    },
    async copy({ key, etag }, to) {
      const CopySource = `${bucket}/${prefix}${key}`.split("/").map(encodeURIComponent).join("/");
      const command = new CopyObjectCommand({ ...at(to), CopySource, CopySourceIfMatch: etag });
      await withTypedErrors(undefined, () => client.send(command));
    },
    async remove(...keys) {
      // Not every server removes several with one request.
      for (let next = 0; next < keys.length; next += PARALLEL_REMOVALS)
        await Promise.all(
          keys
            .slice(next, next + PARALLEL_REMOVALS)
            .map((key) => withTypedErrors(undefined, () => client.send(new DeleteObjectCommand(at(key))))),
        );
    },
    async *list(below, { limit = Infinity, signal } = {}) {
      let left = limit;
      for await (const { Contents = [] } of pages(below, { limit, ...(signal && { signal }) }))
        for (const object of Contents) if ((left -= 1) >= 0) yield found(object);
    },
    async *listFolder(below, signal) {
      const request = { delimiter: "/", limit: Infinity, ...(signal && { signal }) };
      for await (const { Contents = [], CommonPrefixes = [] } of pages(below, request)) {
        for (const object of Contents) yield found(object);
        for (const { Prefix = "" } of CommonPrefixes) yield { folder: Prefix.slice(prefix.length) };
      }
    },
  };
}

function createClient({
  endpoint,
  region,
  credentials,
  attempts = 3,
  answerWithinMs = ANSWER_WITHIN_MS,
}: BucketOptions): S3Client {
  return new S3Client({
    region: region ?? "us-east-1",
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: attempts,
    // Some servers support no checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // A limit on the whole request would end large ones on slow connections.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: answerWithinMs },
  });
}

interface ObjectFacts {
  ContentLength?: number | undefined;
  Size?: number | undefined;
  LastModified?: Date | undefined;
  ETag?: string | undefined;
}

function describe(key: string, { Size, ContentLength, LastModified, ETag }: ObjectFacts): StoredObject {
  return { key, bytes: Size ?? ContentLength ?? 0, modified: LastModified ?? new Date(0), etag: ETag ?? "" };
}

const abortable = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

/** Sends a request and types its errors. */
async function withTypedErrors<Result>(
  signal: AbortSignal | undefined,
  request: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  try {
    return await request();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ObjectChangedError) throw error;
    if (isConditionUnmet(error)) throw new ObjectChangedError("The object changed.", { cause: error });
    throw toObjectStoreError(error);
  }
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    error.$metadata.httpStatusCode === 404 &&
    error.name !== "NoSuchBucket"
  );
}

/** 412: the condition is not met. 409: another writer was quicker while the server checked it. */
function isConditionUnmet(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    (error.$metadata.httpStatusCode === 412 || error.name === "ConditionalRequestConflict")
  );
}

const wasRepeated = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.attempts ?? 1) > 1;

async function* noBytes(): AsyncGenerator<Uint8Array> {
  // An object without bytes has no range.
}

/** The part of bytes that begin at `start` of an object. */
async function* sliceBytes(
  bytes: AsyncIterable<Uint8Array>,
  { start, from, length }: { start: number; from: number; length: number },
): AsyncGenerator<Uint8Array> {
  let index = start;
  for await (const chunk of bytes) {
    const part = chunk.subarray(Math.max(0, from - index), Math.max(0, from + length - index));
    if (part.length > 0) yield part;
    index += chunk.length;
    if (index >= from + length) return;
  }
}

async function* typedBytes(
  stream: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of stream) {
      signal?.throwIfAborted();
      yield bytes;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw toObjectStoreError(error);
  }
}

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
function toObjectStoreError(error: unknown): Error {
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
