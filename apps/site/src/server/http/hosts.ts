import { isIP } from "node:net";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Whether an address or a name, as `HOST` or a socket gives it, is this machine talking to itself. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "").replace(/^::ffff:/i, "");
  return address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

/** An address in the form in which a URL holds it. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

export interface ServedHosts {
  /** As it was bound: an address, or a name. */
  host: string;
  port: number;
  /** `server.allowedHosts`: names without a port (any port will do) or with one. */
  allowed: readonly string[];
}

/**
 * Whether a `Host` header names what is served here, so that another site's name pointing at this machine (DNS
 * rebinding) leads nowhere. Loopback names and the bound address count on the bound port; other names must be listed.
 */
export function isServedHost(header: string | undefined, { host, port, allowed }: ServedHosts): boolean {
  const named = header?.toLowerCase();
  if (named === undefined || !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(named)) return false;
  const [, name = "", given] = /^(.*?)(?::(\d+))?$/.exec(named) ?? [];
  if (allowed.some((entry) => entry.toLowerCase() === named || entry.toLowerCase() === name)) return true;
  const own = isWildcard(host) ? loopbackNames : [...loopbackNames, urlHost(host).toLowerCase()];
  return own.includes(name) && Number(given ?? 80) === port;
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
