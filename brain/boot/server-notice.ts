import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { replaceFile } from "@metahuman/core/memory/store/durable-file";
import { homePaths } from "@metahuman/core/paths/data-root";

/** Where the server of a data root answers; kept beside the data for as long as it runs. */
const ServerNotice = z.strictObject({ url: z.url(), pid: z.int() });
type ServerNotice = z.infer<typeof ServerNotice>;

const SUBJECT = "the note of where the server answers";
const noticeOf = (home: string): string => join(homePaths(home).profiles, ".server.json");

/** Lets commands on this data root know where its server answers. Returns the way to take that back. */
export async function announceServer(home: string, url: string): Promise<() => Promise<void>> {
  const notice: ServerNotice = { url, pid: process.pid };
  await replaceFile(noticeOf(home), `${JSON.stringify(notice)}\n`, SUBJECT);
  return async () => {
    // Another server on the same data may have announced itself meanwhile.
    if ((await read(home))?.pid === notice.pid) await rm(noticeOf(home), { force: true });
  };
}

/** Where the server of a data root said that it answers; it may be gone without a word. Undefined when none did. */
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
