import type { Logger } from "@metahuman/boot/log";

/** One Ctrl-C can arrive twice, from the terminal and from npm; a person does not press it again as fast as that. */
const SAME_PRESS_MS = 300;

/** Closes cleanly on SIGTERM, SIGINT and SIGHUP, then exits with 0. Asked again, exits at once. */
export function onEnding(close: () => Promise<void>, log: Pick<Logger, "error">): void {
  let askedAt: number | undefined;
  const end = () => {
    const now = performance.now();
    if (askedAt !== undefined) {
      if (now - askedAt > SAME_PRESS_MS) process.exit(1);
      return;
    }
    askedAt = now;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "Closing failed.");
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, end);
}
