import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsSecret, redact, REDACTED, redactText } from "./redact.ts";

const filler = "x".repeat(40);

describe("keys that name a secret", () => {
  it.each([
    "password",
    "Password",
    "dbPassword",
    "db_password",
    "DB-PASSWORD",
    "passphrase",
    "pwd",
    "secret",
    "client_secret",
    "authorization",
    "Authorization",
    "cookie",
    "set-cookie",
    "Set-Cookie",
    "apiKey",
    "api_key",
    "API_KEY",
    "apikey",
    "x-api-key",
    "OPENAI_API_KEY",
    "privateKey",
    "secretAccessKey",
    "accessKey",
    "credentials",
    "token",
    "accessToken",
    "refresh_token",
    "csrfToken",
    "setupCode",
  ])("%s", (key) => {
    expect(redact({ [key]: "hunter2" })).toEqual({ [key]: REDACTED });
  });

  it("also hide lists, objects and numbers", () => {
    expect(redact({ password: 12345, credentials: { user: "greg", pin: 1 }, cookie: ["a=b"] })).toEqual({
      password: REDACTED,
      credentials: REDACTED,
      cookie: REDACTED,
    });
  });

  it.each([
    ["promptTokens", 340],
    ["completionTokens", 12],
    ["tokens", 352],
    ["token", 7],
    ["tokenName", "laptop"],
    ["key", "notes/today.md"],
    ["keyboard", "qwerty"],
    ["passed", true],
    ["secretary", "Ms Moneypenny"],
    ["cookieless", true],
    ["bypass", "no"],
    ["password", null],
    ["password", ""],
  ])("do not match %s: %j", (key, value) => {
    expect(redact({ [key]: value })).toEqual({ [key]: value });
  });
});

describe("secrets in running text", () => {
  it.each([
    ["curl -H 'Authorization: Bearer abcdef1234567890'", "abcdef1234567890"],
    ["bearer AbCdEf.123-456_789~+/==", "AbCdEf"],
    ["Basic Z3JlZzpodW50ZXIy", "Z3JlZzpodW50ZXIy"],
    ["key sk-proj-abcdefghijklmnop1234", "abcdefghijklmnop"],
    ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnop"],
    ["github_pat_11ABCDEFG0abcdefghijkl", "11ABCDEFG0"],
    ["glpat-abcdefghij0123456789", "abcdefghij"],
    ["xoxb-123456789012-abcdef", "123456789012"],
    ["AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"],
    ["AIzaSyA-abcdefghijklmnopqrstuvwxyz01234", "SyA-abcdef"],
    ["sk_live_abcdefghijklmnop", "abcdefghijklmnop"],
    ["hf_abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnop"],
    ["npm_abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnop"],
    ["mh_0123456789abcdefghijklmnopqrstuvwxyz", "0123456789abc"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123", "eyJzdWIiOiIxMjM0In0"],
    ["https://greg:hunter2@example.org/path", "hunter2"],
    ["https://example.org/?api_key=hunter2abc&x=1", "hunter2abc"],
    ["DATABASE_PASSWORD=hunter2", "hunter2"],
    ['{"password": "hunter2"}', "hunter2"],
    ["{ 'client_secret': 'hunter2' }", "hunter2"],
    ["password: hunter2", "hunter2"],
    [`-----BEGIN RSA PRIVATE KEY-----\n${filler}\n-----END RSA PRIVATE KEY-----`, filler],
    [`-----BEGIN PRIVATE KEY-----\n${filler}`, filler],
  ])("%s", (text, secret) => {
    const cleaned = redactText(text);
    expect(cleaned).not.toContain(secret);
    expect(cleaned).toContain(REDACTED);
  });

  it.each([
    "make sandwich file",
    'create a file called notes/today.md with the text "call the plumber"',
    "remember that the garage code is kept in the blue notebook",
    "the password is in the drawer",
    "340 tokens, 12 calls",
    "https://example.org/a?b=c",
    "greg@example.org",
    "task-20251114T093012123Z-buy-milk",
    "run-01jd0000000000000000000000",
    "sk-ill",
    "Basic rules of chess",
  ])("keeps: %s", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("redacts nested values, lists, keys and errors", () => {
    const error = Object.assign(
      new Error("failed with Bearer abcdef1234567890", { cause: { url: "http://a:hunter2@b" } }),
      { status: 401 },
    );
    const cleaned = JSON.stringify(
      redact({ list: [{ note: "password=hunter2" }], "Bearer abcdef1234567890": 1, error }),
    );
    expect(cleaned).not.toMatch(/hunter2|abcdef1234567890/);
    expect(cleaned).toContain('"status":401');
    expect(cleaned).toContain("failed with Bearer [redacted]");
  });
});

describe("any value", () => {
  const secret = fc.stringMatching(/^[a-z0-9]{24,40}$/);
  const secretKey = fc.constantFrom("password", "api_key", "Authorization", "clientSecret", "refreshToken");
  const secretHolder = fc.constantFrom(
    (found: string) => `Bearer ${found}`,
    (found: string) => `see sk-${found} there`,
    (found: string) => `https://greg:${found}@example.org`,
    (found: string) => `{"api_key":"${found}"}`,
    (found: string) => `mh_${found}`,
  );

  it("loses its secrets at any position", () => {
    const wrap = fc.array(
      fc.oneof(
        fc.constant("list" as const),
        fc.string().map((key) => ({ key })),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(
        secret,
        secretKey,
        secretHolder,
        wrap,
        fc.jsonValue(),
        (found, key, carry, wraps, sibling) => {
          const core = [{ [key]: found }, { note: carry(found) }, sibling];
          const value = wraps.reduce<unknown>(
            (inner, outer) => (outer === "list" ? [sibling, inner] : { beside: sibling, [outer.key]: inner }),
            core,
          );
          expect(JSON.stringify(redact(value))).not.toContain(found);
        },
      ),
    );
  });

  it("keeps everything else and is converted to JSON", () => {
    const plain = fc
      .jsonValue({ stringUnit: "binary" })
      .filter((value) => redactText(JSON.stringify(value)) === JSON.stringify(value));
    fc.assert(
      fc.property(plain, (value) => {
        expect(redact({ value })).toEqual({ value });
      }),
    );
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true }),
        (value) => void JSON.stringify(redact(value)),
      ),
    );
  });

  it("stays unchanged when redacted again", () => {
    fc.assert(
      fc.property(fc.string(), secret, secretHolder, (text, found, carry) => {
        const once = redactText(text + carry(found) + text);
        expect(redactText(once)).toBe(once);
      }),
    );
  });

  it("may be cyclic, throw when read, or have its own JSON form", () => {
    const circle: Record<string, unknown> = {
      at: new Date(0),
      url: new URL("https://greg:hunter2@example.org/"),
    };
    circle["self"] = circle;
    Object.defineProperty(circle, "trap", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(redact(circle)).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      url: "https://greg:[redacted]@example.org/",
      self: "[circular]",
      trap: "[unreadable]",
    });
  });

  it("is clipped if it is too long or too deep, without splitting a secret", () => {
    expect(redact({ text: "a".repeat(50) }, { maxText: 10 })).toEqual({
      text: "aaaaaaaaaa… (50 characters)",
    });
    expect(redact({ text: `${"a ".repeat(10)}Bearer abcdefgh12345678` }, { maxText: 30 })).not.toEqual(
      expect.objectContaining({ text: expect.stringContaining("abc") as unknown }),
    );
    expect(redact([1, 2, 3], { maxItems: 2 })).toEqual([1, 2, "… (3 in all)"]);
    expect(redact({ a: 1, b: 2, c: 3 }, { maxItems: 2 })).toEqual({ a: 1, b: 2, "…": "… (3 in all)" });
    let deep: unknown = "bottom";
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    expect(JSON.stringify(redact(deep))).toContain("[too deep]");
  });

  it("takes linear time, even for hostile text", () => {
    const hostile = [
      "a_".repeat(50_000),
      "-----BEGIN PRIVATE KEY-----".repeat(4_000),
      `http://${"a".repeat(100_000)}`,
      "eyJ".repeat(30_000),
      "-eyJ".repeat(250_000),
      `${"-eyJ".repeat(125_000)}.${"a".repeat(500_000)}`,
      "password=".repeat(10_000),
    ];
    for (const text of hostile) expect(typeof redactText(text)).toBe("string");
  });
});

describe("holdsSecret", () => {
  it("finds secrets in text and behind keys at any depth", () => {
    expect(holdsSecret({ steps: [{ text: "Use the password=walnut-77" }] })).toBe(true);
    expect(holdsSecret({ login: { password: "walnut" } })).toBe(true);
  });

  it("accepts a value without secrets, and fields that are undefined", () => {
    expect(holdsSecret({ title: "Water the rose", example: undefined, steps: [1, null, true] })).toBe(false);
  });
});
