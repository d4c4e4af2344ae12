import { lookup as systemLookup } from "node:dns";
import type { Socket } from "node:net";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { NetworkError } from "@metahuman/core/errors/service-errors";
import { isLocalName, isPublicAddress, literalAddress, privateAddress } from "./address-guard.ts";
import { connectTo, exchange, type Lookup, type WebResponse, type WebRequest } from "./exchange.ts";

export interface WebRules {
  /** Hosts (`box.lan`, `127.0.0.1:8080`; without a port: every port) whose address may be private. */
  privateHosts: readonly string[];
  /** The time limit for a request including redirects, in milliseconds. */
  timeoutMs: number;
}

/** Access to the public web and to the private hosts of the rules. */
export interface Web {
  /** Parses a URL. Throws `InvalidArgsError`, and `PermissionDeniedError` if its host name is private. */
  check(url: string): URL;
  /**
   * Gets one address. The check applies to the IP address of the connection, so a host name cannot bypass it. Follows
   * redirects within one host. Throws what `check` throws, `NetworkError`, `TimeoutError`, and the reason of
   * `signal`.
   */
  get(url: string, request: Omit<WebRequest, "method" | "body">): Promise<WebResponse>;
  /** Sends a body to one address, with the same check. A redirect is an error. */
  post(url: string, request: WebRequest & { body: string }): Promise<WebResponse>;
  /** Opens a connection to a host that speaks another protocol, with the same check. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>;
}

const MAX_REDIRECTS = 5;

/** Reads `rules` at every request, so that a changed configuration applies to the next one. */
export function createWeb(rules: () => WebRules, lookup: Lookup = systemLookup): Web {
  const mayBePrivate = (url: URL): boolean =>
    rules().privateHosts.some((known) => [url.host, url.hostname].includes(known.toLowerCase()));

  function check(text: string): URL {
    const url = URL.parse(text);
    if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
      throw new InvalidArgsError("This is not a web address.", {
        suggestions: ["Give the full address: https://example.org/page"],
        context: { url: text.slice(0, 200) },
      });
    }
    if (url.username !== "" || url.password !== "")
      throw new InvalidArgsError("Web addresses that contain a username or password are not accepted.");
    const literal = literalAddress(url);
    const isPrivate = literal === undefined ? isLocalName(url.hostname) : !isPublicAddress(literal);
    if (isPrivate && !mayBePrivate(url)) throw privateAddress(url);
    url.hash = "";
    return url;
  }

  return {
    check,
    async get(text, request) {
      const deadline = AbortSignal.timeout(rules().timeoutMs);
      let url = check(text);
      for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
        const allows = mayBePrivate(url) ? () => true : isPublicAddress;
        const { location, ...answer } = await exchange(url, { ...request, allows, deadline, lookup });
        if (location === undefined) return { ...answer, finalUrl: url.href };
        url = followRedirect(url, location);
      }
      throw new NetworkError(`${url.host} redirects too often.`, { context: { url: url.href } });
    },
    async post(text, request) {
      const deadline = AbortSignal.timeout(rules().timeoutMs);
      const url = check(text);
      const allows = mayBePrivate(url) ? () => true : isPublicAddress;
      const { location, ...answer } = await exchange(url, {
        ...request,
        method: "POST",
        allows,
        deadline,
        lookup,
      });
      if (location !== undefined)
        throw new InvalidArgsError(
          `${url.host} redirects, and data is only sent to the address that you gave.`,
          {
            suggestions: ["Give the address that it redirects to."],
          },
        );
      return { ...answer, finalUrl: url.href };
    },
    async connect(host, port, signal) {
      const url = URL.parse(`tcp://${host}:${port}`);
      if (!url) throw new InvalidArgsError(`${host} is not a host name.`);
      if (isLocalName(url.hostname) && !mayBePrivate(url)) throw privateAddress(url);
      const allows = mayBePrivate(url) ? () => true : isPublicAddress;
      return await connectTo(url, {
        allows,
        lookup,
        signal: AbortSignal.any([signal, AbortSignal.timeout(rules().timeoutMs)]),
      });
    },
  };

  function followRedirect(from: URL, location: string): URL {
    const target = URL.parse(location, from.href);
    if (!target) throw new NetworkError(`${from.host} redirects to something that is not a web address.`);
    const to = check(target.href);
    if (to.host !== from.host) {
      throw new NetworkError(`${from.host} redirects to another host, ${to.host}.`, {
        suggestions: [`If you want that page, get ${to.href} instead.`],
        context: { location: to.href },
      });
    }
    if (from.protocol === "https:" && to.protocol === "http:")
      throw new NetworkError(`${from.host} redirects from an encrypted connection to an unencrypted one.`);
    return to;
  }
}
