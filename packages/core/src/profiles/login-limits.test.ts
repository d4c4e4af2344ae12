import { describe, expect, it } from "vitest";
import { networkOf } from "./login-limits.ts";

describe("what counts as one address", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:192.168.1.7", "192.168.1.7"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["cli", "cli"],
  ])("%s → %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
