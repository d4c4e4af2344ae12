import { describe, expect, it } from "vitest";
import { UnexpectedError } from "../errors/run-errors.ts";
import { createPasswords } from "./password.ts";
import { fastPasswordWork } from "./testing/test-accounts.ts";

const usual = createPasswords();
const light = createPasswords(fastPasswordWork);

describe("a stored password", () => {
  it("matches only itself", async () => {
    const stored = await light.hash("correct horse");
    expect(await light.check("correct horse", stored)).toBe("right");
    expect(await light.check("correct horses", stored)).toBe("wrong");
    expect(await light.check("", stored)).toBe("wrong");
  });

  it("contains its parameters and a salt, but not the password", async () => {
    const [one, two] = await Promise.all([usual.hash("correct horse"), usual.hash("correct horse")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain("correct");
  });

  it("matches as outdated if it was hashed with scrypt or other parameters", async () => {
    const scrypt = createPasswords(fastPasswordWork, "scrypt");
    const stored = await scrypt.hash("correct horse");
    expect(stored).toMatch(/^\$scrypt\$ln=10,r=8,p=1\$/);
    expect(await scrypt.check("correct horse", stored)).toBe("right");
    expect(await light.check("correct horse", stored)).toBe("outdated");
    expect(await light.check("wrong horse", stored)).toBe("wrong");
    expect(await usual.check("correct horse", await light.hash("correct horse"))).toBe("outdated");
  });

  it("is independent of Unicode composition", async () => {
    expect(await light.check("Zo\u00EB fine", await light.hash("Zoe\u0308 \uFB01ne"))).toBe("right");
  });

  it("throws an error for an unknown form", async () => {
    const salted = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA";
    for (const stored of [
      "",
      "plain",
      `$argon2id$v=19$m=99999999,t=1,p=1${salted}`,
      `$scrypt$ln=40,r=8,p=1${salted}`,
      "$2b$12$abc",
    ]) {
      await expect(light.check("x", stored)).rejects.toThrow(UnexpectedError);
    }
  });

  it("does not block the event loop", async () => {
    let turns = 0;
    let busy = true;
    const spin = (): void => {
      turns += 1;
      if (busy) setImmediate(spin);
    };
    spin();
    await Promise.all([usual.hash("a"), usual.hash("b"), usual.hash("c")]);
    busy = false;
    expect(turns).toBeGreaterThan(100);
  });
});
