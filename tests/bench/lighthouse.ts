import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Client } from "../support/client.ts";
import { quantile } from "./statistics.ts";

/** Null if a page could not be scored. */
const Score = z.object({ score: z.number().nullable() });
/** Lighthouse varies: https://github.com/GoogleChrome/lighthouse/blob/main/docs/variability.md */
const TURNS = 3;
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
 * Runs Lighthouse from a folder that has it installed, because its hundred packages are not dependencies of this
 * project. Emulates a slow phone, in the browser that listens on `port`. Scores from 0 to 100, medians.
 */
export async function openLighthouse(folder: string, port: number): Promise<Judge> {
  const entry = createRequire(join(folder, "package.json")).resolve("lighthouse");
  const { default: judge } = Lighthouse.parse(await import(pathToFileURL(entry).href));
  const judgeOnce = async (owner: Client, path: string) => {
    const report = await judge(owner.url + path, {
      port,
      output: "json",
      logLevel: "error",
      onlyCategories: ["performance", "accessibility"],
      // Clearing the storage would sign out.
      disableStorageReset: true,
      extraHeaders: owner.credentials,
      // The event stream of a page never ends; nothing else takes this long.
      maxWaitForLoad: 15_000,
    });
    return Report.parse(report).lhr.categories;
  };
  return async (owner, path) => {
    const turns: Awaited<ReturnType<typeof judgeOnce>>[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) turns.push(await judgeOnce(owner, path));
    const median = (category: "performance" | "accessibility") => {
      const scores = turns.flatMap((turn) => turn[category].score ?? []);
      if (scores.length === 0) throw new Error(`Lighthouse could not judge ${path}.`);
      return Math.round(quantile(scores, 0.5) * 100);
    };
    return { performance: median("performance"), accessibility: median("accessibility") };
  };
}
