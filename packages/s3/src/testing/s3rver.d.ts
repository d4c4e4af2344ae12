declare module "@20minutes/s3rver" {
  import type { IncomingHttpHeaders } from "node:http";
  import type { AddressInfo } from "node:net";

  /** The part of a Koa context that the tests use. */
  export interface RequestContext {
    method: string;
    path: string;
    querystring: string;
    headers: IncomingHttpHeaders;
    status: number;
    body: unknown;
    length: number;
    type: string;
  }

  /** A server with the protocol of S3, which stores objects in a folder. */
  export default class S3rver {
    /** The handlers of each request, the first one outermost. */
    middleware: ((context: RequestContext, next: () => Promise<void>) => Promise<void>)[];
    store: {
      existsObject(bucket: string, key: string): Promise<boolean>;
      getMetadata(bucket: string, key: string): Promise<{ etag: string }>;
    };
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      allowMismatchedSignatures: boolean;
      directory: string;
      configureBuckets: { name: string; configs: [] }[];
    });
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
