import { once } from "node:events";
import type { LookupAddress, LookupOptions } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, type LookupFunction, type Socket } from "node:net";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { NetworkError } from "@metahuman/core/errors/service-errors";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import { privateAddress } from "./address-guard.ts";

/** Resolves a host name, like `dns.lookup`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface WebRequest {
  /** GET if absent. */
  method?: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** The maximum size of the decompressed body, in bytes. */
  maxBytes: number;
  signal: AbortSignal;
}

export interface WebResponse {
  status: number;
  /** As sent by the server; empty if absent. */
  contentType: string;
  body: Buffer;
  /** Whether the body was longer. */
  truncated: boolean;
  finalUrl: string;
}

interface Exchange extends WebRequest {
  /** Whether a connection to this address is allowed. */
  allows: (address: string) => boolean;
  deadline: AbortSignal;
  lookup: Lookup;
}

type Answer = Omit<WebResponse, "finalUrl"> & {
  /** The target of a redirect; then there is no body. */
  location: string | undefined;
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Makes one request on a new connection, without proxy, cookies or connection reuse. */
export async function exchange(url: URL, webRequest: Exchange): Promise<Answer> {
  const { signal, deadline } = webRequest;
  signal.throwIfAborted();
  const stop = AbortSignal.any([signal, deadline]);
  try {
    const response = await respond(url, webRequest, stop);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (REDIRECTS.has(status) && location !== undefined) {
      response.destroy();
      return { status, contentType: "", body: Buffer.alloc(0), truncated: false, location };
    }
    const contentType = response.headers["content-type"] ?? "";
    return { status, contentType, location: undefined, ...(await bodyOf(response, webRequest.maxBytes)) };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new TimeoutError(`${url.host} did not answer in time.`, { suggestions: ["Try again later."] });
    if (error instanceof MetahumanError) throw error;
    throw new NetworkError(`${url.host} could not be reached${reasonOf(error)}.`, {
      cause: error,
      context: { host: url.host },
    });
  }
}

function respond(
  url: URL,
  { method = "GET", headers, body, allows, lookup }: Exchange,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const make = url.protocol === "https:" ? requestHttps : requestHttp;
  const request: ClientRequest = make(url, {
    agent: false,
    method,
    headers: { accept: "*/*", "user-agent": "MetaHuman-OS", ...headers, "accept-encoding": "identity" },
    lookup: guardedLookup(url, allows, lookup),
    signal,
    maxHeaderSize: 32_768,
  });
  request.on("socket", (socket: Socket) => {
    // The address of the actual peer is checked before any part of the answer is read, whatever the lookup returned.
    socket.once("connect", () => {
      if (!allows(socket.remoteAddress ?? "")) request.destroy(privateAddress(url));
    });
  });
  request.once("response", resolve);
  request.once("error", reject);
  request.end(body);
  return promise;
}

/** Opens a connection on a new socket. Throws `PermissionDeniedError`, `NetworkError`, `TimeoutError`. */
export async function connectTo(
  url: URL,
  { allows, lookup, signal }: Pick<Exchange, "allows" | "lookup" | "signal">,
): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/gu, "");
  const socket = connect({ host, port: Number(url.port), lookup: guardedLookup(url, allows, lookup) });
  const stop = () => void socket.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    await once(socket, "connect", { signal });
    // The lookup may have returned another address.
    if (!allows(socket.remoteAddress ?? "")) throw privateAddress(url);
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new TimeoutError(`${url.host} did not answer in time.`, { cause: error });
    if (error instanceof MetahumanError) throw error;
    throw new NetworkError(`${url.host} could not be reached${reasonOf(error)}.`, {
      cause: error,
      context: { host: url.host },
    });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Looks up a host name for a connection; rejects it if any of its addresses is private, whichever is tried first. */
function guardedLookup(url: URL, allows: Exchange["allows"], lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const [first] = addresses;
      if (!first || addresses.some(({ address }) => !allows(address)))
        return callback(privateAddress(url), "");
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Returns the decompressed body up to `maxBytes`. Does not decompress further, so that a small response cannot expand
 * without limit.
 */
async function bodyOf(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const unpacked = unpack(response);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let isTruncated = false;
  for await (const piece of unpacked) {
    if (!(piece instanceof Uint8Array)) continue;
    pieces.push(piece.subarray(0, maxBytes - bytes));
    bytes += piece.length;
    isTruncated = bytes > maxBytes;
    if (isTruncated) break;
  }
  response.destroy();
  return { body: Buffer.concat(pieces), truncated: isTruncated };
}

function unpack(response: IncomingMessage): Readable {
  const packer = unpackerFor(response.headers["content-encoding"]);
  if (!packer) return response;
  response.once("error", (error) => packer.destroy(error));
  response.once("aborted", () => packer.destroy(new Error("the connection was lost")));
  return response.pipe(packer);
}

function unpackerFor(encoding: string | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case "":
    case "identity":
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new NetworkError("The response uses a compression that was not requested.");
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof PermissionDeniedError) return "";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? ` (${code})` : "";
}
