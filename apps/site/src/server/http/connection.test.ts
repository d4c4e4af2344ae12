import { describe, expect, it } from "vitest";
import { clientAddress } from "./connection.ts";

const proxies = ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"];

describe("the client address of a request", () => {
  it.each<[string, string, string[] | undefined, string]>([
    ["the connected one", "203.0.113.9", undefined, "203.0.113.9"],
    ["the connected one, whatever a stranger claims", "203.0.113.9", ["198.51.100.1"], "203.0.113.9"],
    ["whom a trusted proxy forwards", "127.0.0.1", ["203.0.113.9"], "203.0.113.9"],
    ["the nearest that is no trusted proxy", "127.0.0.1", ["203.0.113.9, 10.1.2.3"], "203.0.113.9"],
    ["never what a client wrote before it", "127.0.0.1", ["10.9.9.9, 1.1.1.1, 203.0.113.9"], "203.0.113.9"],
    ["the last of several headers", "127.0.0.1", ["1.1.1.1", "203.0.113.9"], "203.0.113.9"],
    ["the proxy where it forwards nobody", "127.0.0.1", undefined, "127.0.0.1"],
    ["the proxy where it forwards nonsense", "10.0.0.1", ["1.1.1.1, unknown"], "10.0.0.1"],
    ["the first where all are trusted", "127.0.0.1", ["10.0.0.7, 10.0.0.8"], "10.0.0.7"],
    ["without a port", "127.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"],
    ["without brackets", "::1", ["[2001:db8::7]:4711"], "2001:db8::7"],
    ["as IPv4 where it is mapped", "::ffff:127.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"],
    ["behind a proxy in an IPv6 range", "fd12::3", ["2001:db8::7"], "2001:db8::7"],
  ])("is %s", (_what, connected, forwarded, address) => {
    expect(clientAddress(connected, forwarded, proxies)).toBe(address);
  });

  it("is the connected address without a trusted proxy", () => {
    expect(clientAddress("127.0.0.1", ["203.0.113.9"], [])).toBe("127.0.0.1");
  });
});
