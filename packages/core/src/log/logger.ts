import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";
import { z } from "zod";
import { redact } from "./redact.ts";
import { redactText } from "./secret-patterns.ts";

export type Logger = PinoLogger;

export const LogLevel = z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]);
export type LogLevel = z.infer<typeof LogLevel>;

/** Log lines repeat what others wrote; no field needs more than this to be recognised. */
const MAX_TEXT = 4_000;
const MAX_ITEMS = 200;

/** The level asked for by `LOG_LEVEL`; `info` when it is unset or no level. */
export function logLevel(env: Readonly<Record<string, string | undefined>>): LogLevel {
  return LogLevel.safeParse(env["LOG_LEVEL"]?.trim().toLowerCase()).data ?? "info";
}

/** Why `LOG_LEVEL` is not followed, in a sentence; undefined when it is. */
export function logLevelProblem(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const asked = env["LOG_LEVEL"]?.trim() ?? "";
  if (asked === "" || LogLevel.safeParse(asked.toLowerCase()).success) return undefined;
  return `LOG_LEVEL is none of ${LogLevel.options.join(", ")}: it is taken as info.`;
}

/**
 * A logger that writes one JSON object a line to standard error. Secrets are taken out of the finished line, so none
 * can slip in through a child logger or appear when a message is put together. Lines are written before the call
 * returns: the last ones before a crash are there.
 */
export function createLogger(options: { level: LogLevel; to?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: cleanLine },
    },
    options.to ?? pino.destination({ fd: 2, sync: true }),
  );
}

function cleanLine(line: string): string {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    // Nothing that is logged may end the process, not even a line that cannot be taken apart.
    return redactText(line);
  }
  return `${JSON.stringify(redact(fields, { maxText: MAX_TEXT, maxItems: MAX_ITEMS }))}\n`;
}
