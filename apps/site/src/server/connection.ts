import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback } from "./hosts.ts";

/** What a handler may know of, and do with, the connection behind its request. */
export interface Connection {
  /** The connected address, for limits per address. */
  readonly address: string;
  /** Made on this machine, to this machine, with no proxy in between that could speak for somebody else. */
  readonly fromLoopback: boolean;
  /** Whether the sender reached us over HTTPS, through a proxy that ends it. */
  readonly secure: boolean;
  /** Resolves once what was written has left for the network: a slow reader slows its writer down. */
  drained(): Promise<void>;
}

export function connectionOf(request: IncomingMessage, response: ServerResponse): Connection {
  const address = request.socket.remoteAddress ?? "unknown";
  const {
    host = "",
    forwarded,
    "x-forwarded-for": forwardedFor,
    "x-forwarded-proto": forwardedScheme,
  } = request.headers;
  const direct = forwarded === undefined && forwardedFor === undefined;
  return {
    address,
    fromLoopback: direct && isLoopback(address) && isLoopback(host.replace(/:\d+$/, "")),
    // Believing this header can only make a cookie stricter.
    secure: forwardedScheme === "https" || request.headers.origin?.startsWith("https://") === true,
    drained: async () => {
      if (!response.writableNeedDrain || response.destroyed) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          response.off("drain", done);
          response.off("close", done);
          resolve();
        };
        response.on("drain", done);
        response.on("close", done);
      });
    },
  };
}
