import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";
import { z } from "zod";
import { redact, redactText } from "./redact.ts";

export type Logger = PinoLogger;

export const LogLevel = z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]);
export type LogLevel = z.infer<typeof LogLevel>;

/** The maximum length of a logged field, in characters. */
const MAX_TEXT = 4_000;
const MAX_ITEMS = 200;

/** Returns the level of `LOG_LEVEL`; `info` if it is unset or invalid. */
export function logLevel(env: Readonly<Record<string, string | undefined>>): LogLevel {
  return LogLevel.safeParse(env["LOG_LEVEL"]?.trim().toLowerCase()).data ?? "info";
}

/** Describes an invalid `LOG_LEVEL`; undefined if it is valid. */
export function logLevelProblem(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const level = env["LOG_LEVEL"]?.trim() ?? "";
  if (level === "" || LogLevel.safeParse(level.toLowerCase()).success) return undefined;
  return `LOG_LEVEL must be one of ${LogLevel.options.join(", ")}. Using info.`;
}

/**
 * Creates a logger that writes one JSON object per line to standard error. It redacts the finished line, so that no secret
 * passes through a child logger or a formatted message. Lines are written before the call
 * returns, so that none are lost in a crash.
 */
export function createLogger(options: { level: LogLevel; to?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: redactLine },
    },
    options.to ?? pino.destination({ fd: 2, sync: true }),
  );
}

function redactLine(line: string): string {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    // A line that cannot be parsed must not end the process.
    return redactText(line);
  }
  return `${JSON.stringify(redact(fields, { maxText: MAX_TEXT, maxItems: MAX_ITEMS }))}\n`;
}
