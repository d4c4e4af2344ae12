import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { NotFoundError } from "@metahuman/boot/errors";
import { loadStaticFiles } from "./static-files.ts";
import type { ServeStatic } from "./static-files.ts";

/** Answers with what was built from `pages/`; calls `next` when no page and no endpoint has the path. */
export type SiteHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => unknown,
  locals: object,
) => Promise<void>;

export interface SiteBuild {
  handler: SiteHandler;
  serveStatic: ServeStatic;
}

const BUILD = resolve(import.meta.dirname, "../../../dist");
const Entry = z.object({ handler: z.custom<SiteHandler>((value) => typeof value === "function") });

/** Loads the built site; throws `NotFoundError` where it was not built. */
export async function loadSiteBuild(): Promise<SiteBuild> {
  const entry = resolve(BUILD, "server/programs/site.mjs");
  if (!existsSync(entry)) {
    throw new NotFoundError("The site is not built yet.", {
      suggestions: ["Run npm start, which builds it, or npm run build."],
    });
  }
  const module: Promise<unknown> = import(pathToFileURL(entry).href);
  const serveStatic = await loadStaticFiles(resolve(BUILD, "client"));
  return { handler: Entry.parse(await module).handler, serveStatic };
}
