import type { IncomingMessage, ServerResponse } from "node:http";
import { BlockList, isIP } from "node:net";
import { isLoopback } from "./hosts.ts";

/** The connection of a request, as handlers see it. */
export interface Connection {
  /** The address of the client, or the one that a trusted proxy forwards; for limits per address. */
  readonly address: string;
  /** Whether client and server are on this machine, with no proxy in between. */
  readonly fromLoopback: boolean;
  /** Whether the client used HTTPS, which a proxy terminates. */
  readonly secure: boolean;
  /** Resolves when the write buffer is empty, so that a slow reader slows its writer down. */
  drained(): Promise<void>;
}

export function connectionFor(
  request: IncomingMessage,
  response: ServerResponse,
  trustedProxies: readonly string[],
): Connection {
  const connected = request.socket.remoteAddress ?? "unknown";
  const address = clientAddress(connected, request.headersDistinct["x-forwarded-for"], trustedProxies);
  const {
    host = "",
    forwarded,
    "x-forwarded-for": forwardedFor,
    "x-forwarded-proto": forwardedScheme,
  } = request.headers;
  const isDirect = forwarded === undefined && forwardedFor === undefined;
  return {
    address,
    fromLoopback: isDirect && isLoopback(connected) && isLoopback(host.replace(/:\d+$/, "")),
    // Trusting this header can only make a cookie stricter.
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

/**
 * Returns the address of the client. `X-Forwarded-For` counts only if a trusted proxy (an address or a range) sends
 * it. It is read from the right up to the first address that is not a trusted proxy, because a client can write
 * anything to the left of it.
 */
export function clientAddress(
  connected: string,
  forwardedFor: readonly string[] | undefined,
  trustedProxies: readonly string[],
): string {
  const trusted = addressList(trustedProxies);
  let client = plainAddress(connected);
  const hops = forwardedFor?.join(",").split(",") ?? [];
  while (trusted(client)) {
    const hop = plainAddress(hops.pop() ?? "");
    if (isIP(hop) === 0) break;
    client = hop;
  }
  return client;
}

function addressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Removes port, brackets and zone, and converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(text: string): string {
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? withPort ?? text.trim()).replace(/%.*$/, "");
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
