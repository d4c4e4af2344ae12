import { describe, expect, it } from "vitest";
import { MetahumanError } from "./metahuman-error.ts";
import { fromNodeError } from "./node-error.ts";

const failed = (code: string): Error =>
  fromNodeError(Object.assign(new Error("/home/ada"), { code }), "a.md");

describe("a failed system call", () => {
  it.each(["EACCES", "ENOSPC", "SQLITE_FULL", "EROFS", "EIO", "ECONNREFUSED"])(
    "that a person can correct says what to do next: %s",
    (code) => {
      const error = failed(code);
      expect(error).toBeInstanceOf(MetahumanError);
      expect(error).toMatchObject({ suggestions: [expect.stringMatching(/^[A-Z].*\.$/u)] });
    },
  );

  it("names the subject and not the path of the machine", () => {
    expect(failed("ENOENT").message).toBe("There is nothing at a.md.");
  });

  it("stays unchanged if its code is unknown", () => {
    expect(failed("EUNKNOWN").message).toBe("/home/ada");
  });
});
