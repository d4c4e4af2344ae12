import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver, { type RequestContext } from "@20minutes/s3rver";
import type { BucketOptions } from "../object-store.ts";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";

/** A server with the protocol of S3 on this machine, with one bucket. */
export interface S3Server {
  /** The address and credentials of the bucket. */
  options: BucketOptions & { endpoint: string };
  /** Requests so far, such as "PUT /bucket/key". */
  requests: string[];
  /** Makes requests fail with 503 from the one after `count` further ones on; undefined ends that. */
  failAfter(count: number | undefined): void;
  close(): Promise<void>;
}

const BUCKET = "files";

/**
 * Starts s3rver. It knows no conditional writes, shows objects before they are complete, and fails to continue a list. A
 * layer before it handles one request at a time, refuses writes as Amazon documents it
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html), and asks for long lists.
 */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), "mh-s3-"));
  const requests: string[] = [];
  let left: number | undefined;
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    // It computes other signatures than the SDK for some queries.
    allowMismatchedSignatures: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const queue = createSerialQueue();
  server.middleware.unshift((context, next) => {
    requests.push(`${context.method} ${decodeURIComponent(context.path)}`);
    return queue(async () => {
      if (left !== undefined && (left -= 1) < 0) return refuse(context, 503, "ServiceUnavailable");
      if (!(await isConditionMet(context))) return refuse(context, 412, "PreconditionFailed");
      context.querystring = context.querystring.replace(/&?max-keys=\d+/, "");
      await next();
      // While a body is sent, the next request must not replace its file.
      if (isStream(context.body)) {
        const { length } = context;
        context.body = Buffer.concat(await Array.fromAsync(context.body));
        context.length = length;
      }
    });
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

  /** Asks the server itself for the object that is there. */
  async function isConditionMet({ method, path, headers }: RequestContext): Promise<boolean> {
    const etag = headers["if-match"];
    const isNew = headers["if-none-match"] === "*";
    if (method !== "PUT" || (etag === undefined && !isNew)) return true;
    const key = decodeURIComponent(path).slice(BUCKET.length + 2);
    const found = await etagOf(server, key);
    return isNew ? found === undefined : found === etag;
  }

  return {
    options: { bucket: BUCKET, endpoint, region: "us-east-1", credentials },
    requests,
    failAfter: (count) => (left = count),
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function etagOf({ store }: S3rver, key: string): Promise<string | undefined> {
  if (!(await store.existsObject(BUCKET, key))) return undefined;
  return (await store.getMetadata(BUCKET, key)).etag;
}

function refuse(context: RequestContext, status: number, code: string): void {
  context.status = status;
  context.type = "application/xml";
  context.body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}
