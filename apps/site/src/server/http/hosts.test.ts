import { describe, expect, it } from "vitest";
import { isLoopback, isServedHost, urlHost } from "./hosts.ts";

const local = { host: "127.0.0.1", port: 4321, allowed: [] };

describe("the Host header", () => {
  it.each([
    ["127.0.0.1:4321", local],
    ["localhost:4321", local],
    ["LOCALHOST:4321", local],
    ["[::1]:4321", local],
    ["127.0.0.2:4321", { ...local, host: "127.0.0.2" }],
    ["192.168.1.5:4321", { ...local, host: "192.168.1.5" }],
    ["localhost", { ...local, port: 80 }],
    ["box.local", { ...local, allowed: ["box.local"] }],
    ["Box.Local:8443", { ...local, allowed: ["box.local"] }],
    ["box.local:8443", { ...local, allowed: ["box.local:8443"] }],
  ])("%s is accepted", (header, served) => {
    expect(isServedHost(header, served)).toBe(true);
  });

  it.each([
    [undefined, local],
    ["", local],
    ["evil.example:4321", local],
    ["evil.example", local],
    ["localhost", local],
    ["localhost:4322", local],
    ["localhost.evil.example:4321", local],
    ["localhost:4321.evil.example", local],
    ["127.0.0.1:4321@evil.example", local],
    ["evil.example, localhost:4321", local],
    ["localhost:4321 ", local],
    ["192.168.1.5:4321", { ...local, host: "0.0.0.0" }],
    ["0.0.0.0:4321", { ...local, host: "0.0.0.0" }],
    ["[::]:4321", { ...local, host: "::" }],
    ["box.local:9000", { ...local, allowed: ["box.local:8443"] }],
    ["sub.box.local", { ...local, allowed: ["box.local"] }],
  ])("%s is refused", (header, served) => {
    expect(isServedHost(header, served)).toBe(false);
  });
});

it.each(["127.0.0.1", "127.8.9.1", "::1", "[::1]", "::ffff:127.0.0.1", "localhost"])(
  "%s is this machine",
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each(["0.0.0.0", "::", "192.168.1.5", "128.0.0.1", "127.evil.example", "::ffff:10.0.0.1", ""])(
  "%s may be another machine",
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

it("formats an address as in a URL", () => {
  expect(urlHost("::1")).toBe("[::1]");
  expect(urlHost("127.0.0.1")).toBe("127.0.0.1");
});
