import { BlockList, isIP } from "node:net";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";

/**
 * Every range that is not one host of the public internet (IANA special-purpose registries). `ipaddr.js` does not
 * replace it: it takes `::7f00:1` (loopback) and the unassigned `4000::1` for public addresses.
 */
const SPECIAL_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by providers
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, metadata services
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // automatic multicast tunneling
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];
/** Ranges inside global unicast that contain other addresses or are unassigned. */
const SPECIAL_V6 = [
  "2001::/23", // protocol assignments, Teredo
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: an IPv4 address inside
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
];

function listOf(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix = ""] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

const specialV4 = listOf(SPECIAL_V4, "ipv4");
const specialV6 = listOf(SPECIAL_V6, "ipv6");
const globalV6 = listOf(["2000::/3"], "ipv6");
const mappedV4 = /^::ffff:(?<dotted>\d+\.\d+\.\d+\.\d+)$/iu;

/**
 * True for an address, in the form of the system, of a single host on the public internet. False for loopback,
 * private, link-local and metadata addresses, for every IPv6 form that contains an IPv4 address, and for text that is
 * not an address.
 */
export function isPublicAddress(address: string): boolean {
  const plain = mappedV4.exec(address)?.groups?.dotted ?? address;
  switch (isIP(plain)) {
    case 4:
      return !specialV4.check(plain, "ipv4");
    case 6:
      return globalV6.check(plain, "ipv6") && !specialV6.check(plain, "ipv6");
    default:
      return false;
  }
}

/** Returns the address in a URL's host; undefined for a name. `URL` has already converted `0x7f.1` to `127.0.0.1`. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/gu, "");
  return isIP(host) === 0 ? undefined : host;
}

/** Whether a name always refers to this machine. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/u, "");
  return name === "localhost" || name.endsWith(".localhost");
}

export function privateAddress(url: URL): PermissionDeniedError {
  return new PermissionDeniedError(`${url.host} is not on the public internet, so it is not contacted.`, {
    suggestions: [
      "The owner can name hosts of their own network under network.privateHosts in etc/skills.json.",
    ],
    context: { host: url.host },
  });
}
