import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { ErrorCode, ErrorDetail } from "../contract/problem.ts";
import { FileNotFoundError } from "./not-found-errors.ts";
import { type ErrorFacts, MetahumanError } from "./metahuman-error.ts";
import { fromNodeError, systemCode } from "./node-error.ts";
import { toErrorDetail } from "./to-error-detail.ts";

const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: no luck, open '/home/ada/secret-place/x.md'`), {
    code,
    path: "/home/ada/secret-place/x.md",
  });

type ErrorClass = new (message: string, facts: ErrorFacts) => MetahumanError;

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === "function" && value.prototype instanceof MetahumanError;
}

/** One error of every class in this folder, with the same facts. */
async function everyError(): Promise<MetahumanError[]> {
  const facts = { suggestions: ["try this"], context: { path: "out/x.md" }, cause: new Error("inner") };
  const errors: MetahumanError[] = [];
  for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith("-errors.ts"))) {
    const module: unknown = await import(pathToFileURL(join(import.meta.dirname, file)).href);
    const exported: unknown[] = typeof module === "object" && module !== null ? Object.values(module) : [];
    for (const Class of exported.filter(isErrorClass)) errors.push(new Class("It went wrong.", facts));
  }
  return errors;
}

describe("typed errors", () => {
  it("cover every code of the contract, one class each, named after its code", async () => {
    const errors = await everyError();
    expect(errors.map((error) => error.code).sort()).toEqual([...ErrorCode.options].sort());
    for (const error of errors) {
      const words = error.code
        .replace(/_ERROR$/u, "")
        .toLowerCase()
        .split("_");
      expect(error.name).toBe(
        `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Error`,
      );
    }
  });

  it("serialize message, context and suggestions, without stack or cause", async () => {
    for (const error of await everyError()) {
      const detail = ErrorDetail.parse(error.toDetail());
      expect(detail).toEqual({
        code: error.code,
        message: "It went wrong.",
        context: { path: "out/x.md" },
        suggestions: ["try this"],
      });
      expect(error.cause).toBeInstanceOf(Error);
    }
  });

  it("omit absent fields", () => {
    expect(new FileNotFoundError("There is nothing at out/x.md.").toDetail()).toEqual({
      code: "FILE_NOT_FOUND",
      message: "There is nothing at out/x.md.",
    });
  });
});

describe("fromNodeError", () => {
  it.each([
    ["ENOENT", "FILE_NOT_FOUND"],
    ["ENOTDIR", "FILE_NOT_FOUND"],
    ["EEXIST", "ALREADY_EXISTS"],
    ["ENOTEMPTY", "ALREADY_EXISTS"],
    ["EISDIR", "INVALID_ARGS"],
    ["ENAMETOOLONG", "INVALID_ARGS"],
    ["EACCES", "PERMISSION_DENIED"],
    ["EPERM", "PERMISSION_DENIED"],
    ["ENOSPC", "STORAGE_FULL"],
    ["EDQUOT", "STORAGE_FULL"],
    ["SQLITE_FULL", "STORAGE_FULL"],
    ["EROFS", "STORAGE_READ_ONLY"],
    ["EIO", "STORAGE_CORRUPT"],
    ["SQLITE_CORRUPT", "STORAGE_CORRUPT"],
    ["EADDRINUSE", "PORT_TAKEN"],
    ["ECONNREFUSED", "NETWORK_ERROR"],
    ["ECONNRESET", "NETWORK_ERROR"],
    ["ETIMEDOUT", "TIMEOUT"],
  ])("converts %s to %s with the subject instead of the machine's path", (code, expected) => {
    const cause = systemError(code);
    const error = fromNodeError(cause, "out/x.md");
    expect(error).toBeInstanceOf(MetahumanError);
    expect(error).toMatchObject({
      code: expected,
      cause,
      context: { subject: "out/x.md", systemCode: code },
    });
    expect(error.message).toContain("out/x.md");
    expect(JSON.stringify(toErrorDetail(error))).not.toContain("secret-place");
  });

  it("returns unknown and typed errors unchanged", () => {
    for (const error of [new Error("x"), systemError("EWHATEVER"), new FileNotFoundError("x")]) {
      expect(fromNodeError(error, "out/x.md")).toBe(error);
    }
  });

  it("wraps a thrown value that is not an error", () => {
    expect(fromNodeError("oops", "out/x.md")).toMatchObject({ code: "UNEXPECTED_ERROR", cause: "oops" });
    expect(systemCode("oops")).toBeUndefined();
    expect(systemCode(Object.assign(new Error("x"), { code: 7 }))).toBeUndefined();
  });
});

describe("toErrorDetail", () => {
  it("hides the message of an untyped error", () => {
    const detail = toErrorDetail(new RangeError("token sk-123 at /home/ada"));
    expect(detail).toEqual({
      code: "UNEXPECTED_ERROR",
      message: "Something unexpected went wrong.",
      context: { kind: "RangeError" },
    });
  });

  it("hides an unknown error name", () => {
    const error = new Error("x");
    error.name = "password=hunter2";
    expect(toErrorDetail(error)).not.toHaveProperty("context");
  });

  it("distinguishes a cancellation from an exceeded time limit", () => {
    const controller = new AbortController();
    controller.abort();
    expect(toErrorDetail(controller.signal.reason)).toMatchObject({ code: "CANCELLED" });
    expect(toErrorDetail(new DOMException("late", "TimeoutError"))).toMatchObject({ code: "TIMEOUT" });
  });

  it("types a failed system call without its path", () => {
    const detail = toErrorDetail(systemError("ENOSPC"));
    expect(detail).toMatchObject({ code: "STORAGE_FULL", context: { systemCode: "ENOSPC" } });
    expect(JSON.stringify(detail)).not.toContain("ada");
  });

  it.each([[undefined], [null], ["text"], [7], [{ code: "ENOENT" }]])("handles a thrown %j", (thrown) => {
    expect(ErrorDetail.parse(toErrorDetail(thrown))).toMatchObject({ code: "UNEXPECTED_ERROR" });
  });
});
