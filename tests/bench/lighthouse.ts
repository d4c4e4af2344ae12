import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Client } from "../support/client.ts";

const Score = z.object({ score: z.number() });
const Report = z.object({
  lhr: z.object({ categories: z.object({ performance: Score, accessibility: Score }) }),
});
const Lighthouse = z.object({
  default: z.custom<(url: string, options: object) => Promise<unknown>>(
    (value) => typeof value === "function",
  ),
});

export type Judge = (owner: Client, path: string) => Promise<{ performance: number; accessibility: number }>;

/**
 * Lighthouse from a folder that has it installed: its hundred packages are no part of this project. It judges as on a slow
 * telephone, in the browser that listens on `port`. Scores from 0 to 100.
 */
export async function openLighthouse(folder: string, port: number): Promise<Judge> {
  const entry = createRequire(join(folder, "package.json")).resolve("lighthouse");
  const { default: judge } = Lighthouse.parse(await import(pathToFileURL(entry).href));
  return async (owner, path) => {
    const report = await judge(owner.url + path, {
      port,
      output: "json",
      logLevel: "error",
      onlyCategories: ["performance", "accessibility"],
      // The session would go with what is stored.
      disableStorageReset: true,
      extraHeaders: owner.credentials,
      // A page's stream of events never ends, and nothing else keeps it waiting for so long.
      maxWaitForLoad: 15_000,
    });
    const { performance, accessibility } = Report.parse(report).lhr.categories;
    return {
      performance: Math.round(performance.score * 100),
      accessibility: Math.round(accessibility.score * 100),
    };
  };
}
