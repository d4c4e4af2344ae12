import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createLogger, logLevel, logLevelProblem, type Logger } from "./logger.ts";

const Line = z.looseObject({ level: z.string(), time: z.iso.datetime() });

function record(write: (logger: Logger) => void, level: "info" | "warn" = "info"): z.infer<typeof Line>[] {
  const lines: string[] = [];
  write(createLogger({ level, to: { write: (line) => void lines.push(line) } }));
  return lines.map((line) => Line.parse(JSON.parse(line)));
}

describe("the log", () => {
  it("writes one JSON object per line with level name and time", () => {
    expect(record((logger) => logger.info({ port: 4321 }, "listening"))).toEqual([
      { level: "info", time: expect.any(String) as unknown, port: 4321, msg: "listening" },
    ]);
  });

  it("redacts secrets in fields, messages, joined values, errors and child loggers", () => {
    const secret = "abcdef1234567890";
    const lines = record((logger) => {
      logger.info(
        { headers: { authorization: `Bearer ${secret}` }, url: `http://greg:${secret}@host` },
        `password=${secret}`,
      );
      logger.info("password=%s for %s", secret, "greg");
      logger.info("answer %o", { apiKey: secret });
      logger.error(new Error(`refused Bearer ${secret}`));
      logger.error({ err: new Error(`refused Bearer ${secret}`, { cause: { token: secret } }) }, "failed");
      logger.child({ token: secret, surface: "api" }).warn("from a child");
    });
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "password=[redacted]",
      "password=[redacted] for greg",
      'answer {"apiKey":"[redacted]"}',
      "refused Bearer [redacted]",
      "failed",
      "from a child",
    ]);
    expect(lines[5]).toMatchObject({ surface: "api" });
  });

  it("keeps the message and stack of an error", () => {
    const [line] = record((logger) => logger.error(Object.assign(new TypeError("odd"), { code: "EODD" })));
    expect(line).toMatchObject({
      msg: "odd",
      err: {
        type: "TypeError",
        message: "odd",
        code: "EODD",
        stack: expect.stringContaining("logger.test") as unknown,
      },
    });
  });

  it("omits entries below its level", () => {
    expect(record((logger) => logger.info("chatter"), "warn")).toEqual([]);
  });

  it("clips long fields", () => {
    const [line] = record((logger) => logger.info({ body: "a".repeat(100_000) }, "received"));
    expect(JSON.stringify(line).length).toBeLessThan(5_000);
  });
});

it.each([
  ["loud", "LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent. Using info."],
  [" WARN ", undefined],
  [" ", undefined],
  [undefined, undefined],
])("describes the invalid LOG_LEVEL=%s", (value, problem) => {
  expect(logLevelProblem({ LOG_LEVEL: value })).toBe(problem);
});

it.each([
  ["debug", "debug"],
  [" WARN ", "warn"],
  ["loud", "info"],
  [undefined, "info"],
])("parses LOG_LEVEL=%s as %s", (value, level) => {
  expect(logLevel({ LOG_LEVEL: value })).toBe(level);
});
