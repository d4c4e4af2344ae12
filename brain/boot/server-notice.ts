import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { replaceFile } from "@metahuman/core/files/durable-file";
import { homePaths } from "@metahuman/core/paths/data-root";

/** The address of the server of a data root; stored next to the data while it runs. */
const ServerNotice = z.strictObject({ url: z.url(), pid: z.int() });
type ServerNotice = z.infer<typeof ServerNotice>;

const SUBJECT = "the note of where the server answers";
const noticeOf = (home: string): string => join(homePaths(home).profiles, ".server.json");

/** Announces the server's address to commands on this data root. Returns a function that removes the announcement. */
export async function announceServer(home: string, url: string): Promise<() => Promise<void>> {
  const notice: ServerNotice = { url, pid: process.pid };
  await replaceFile(noticeOf(home), `${JSON.stringify(notice)}\n`, SUBJECT);
  return async () => {
    // Another server on the same data may have announced itself meanwhile.
    if ((await read(home))?.pid === notice.pid) await rm(noticeOf(home), { force: true });
  };
}

/**
 * Returns the announced address of a data root's server, which may have crashed since. Undefined if none is announced.
 */
export async function announcedServer(home: string): Promise<string | undefined> {
  return (await read(home))?.url;
}

async function read(home: string): Promise<ServerNotice | undefined> {
  try {
    return ServerNotice.safeParse(JSON.parse(await readFile(noticeOf(home), "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === "ENOENT") return undefined;
    throw fromNodeError(error, SUBJECT);
  }
}
