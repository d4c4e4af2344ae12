import { isIP } from "node:net";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** True for an address or name, from `HOST` or a socket, that is a loopback address of this machine. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "").replace(/^::ffff:/i, "");
  return address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

/** Formats an address for a URL: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

export interface ServedHosts {
  /** The bound address or name. */
  host: string;
  port: number;
  /** `server.allowedHosts`: names with a port, or without one for any port. */
  allowed: readonly string[];
}

/**
 * True if a `Host` header names this server. Prevents DNS rebinding, in which the name of another site resolves to
 * this machine. Loopback names and the bound address count with the bound port; other names must be listed.
 */
export function isServedHost(header: string | undefined, { host, port, allowed }: ServedHosts): boolean {
  const named = header?.toLowerCase();
  if (named === undefined || !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(named)) return false;
  const [, name = "", namedPort] = /^(.*?)(?::(\d+))?$/.exec(named) ?? [];
  if (allowed.some((entry) => entry.toLowerCase() === named || entry.toLowerCase() === name)) return true;
  const own = isWildcard(host) ? loopbackNames : [...loopbackNames, urlHost(host).toLowerCase()];
  return own.includes(name) && Number(namedPort ?? 80) === port;
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
