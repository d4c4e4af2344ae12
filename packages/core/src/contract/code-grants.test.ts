import { expect, it } from "vitest";
import { grantsNeeded, HostGrant } from "./code-grants.ts";

const parameter = (name: string, description: string) => ({
  name,
  type: "string" as const,
  description,
  required: true,
});

it("reads a host without the punctuation of its sentence", () => {
  const source = "// see https://example.com, and https://b.org.\nskills.http_get({});";
  expect(grantsNeeded(source, [], ["http_get"])).toEqual(["http_get", "host:b.org", "host:example.com"]);
});

it("confines a function to its hosts although a parameter is an e-mail address", () => {
  const source = 'skills.http_get({ url: "https://example.com/a" });';
  expect(
    grantsNeeded(source, [parameter("mail", "The e-mail address of the person")], ["http_get"]),
  ).toContain("host:example.com");
});

it("leaves a function unconfined when a parameter may be the address to request", () => {
  const source = 'skills.http_get({ url: "https://example.com/a" });';
  expect(grantsNeeded(source, [parameter("baseURL", "where to look")], ["http_get"])).toEqual(["http_get"]);
});

it.each(["host:[::1]:8080", "host:my_host", "host:example.com:80", "host:*"])(
  "accepts %s as a grant",
  (grant) => {
    expect(HostGrant.safeParse(grant).success).toBe(true);
  },
);

it("accepts no path as a host", () => {
  expect(HostGrant.safeParse("host:example.com/a").success).toBe(false);
});
