import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { changeConfig } from "@metahuman/core/config/change-config";
import { loadConfig } from "@metahuman/core/config/load-config";
import { ModelRef, splitModelRef } from "@metahuman/core/contract/models";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { homePaths } from "@metahuman/core/paths/data-root";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { createModelEmbedder } from "@metahuman/models/embedder/follow-embedder";
import { openProvider } from "@metahuman/models/open-provider";
import { measure, similaritiesOf, type Spread } from "./calibrate.ts";
import { readLabelledSets } from "./labelled-sets.ts";
import type { Row } from "./row.ts";

export const name = "calibrate";

const DATA = process.env["METAHUMAN_BENCH_DATA"];
/** The embedder to measure, named as in `etc/models.json`: `ollama/nomic-embed-text`; default: the built-in one. */
const REF = process.env["METAHUMAN_BENCH_EMBEDDER"];
/** The data root with the models, whose `etc/memory.json` receives the measurements. */
const ROOT = join(import.meta.dirname, "../..");
const paths = { home: process.env["METAHUMAN_HOME"] ?? ROOT, shippedEtc: join(ROOT, "etc") };

/**
 * Measures the similarity thresholds of an embedder; returns no rows without labelled data (`METAHUMAN_BENCH_DATA`).
 */
export async function run(): Promise<Row[]> {
  if (DATA === undefined) return [];
  const embedder = REF === undefined ? createBuiltInEmbedder() : await modelEmbedder(ModelRef.parse(REF));
  const rows: Row[] = [];
  const spreads: Spread[] = [];
  for (const set of readLabelledSets(DATA)) {
    const spread = await measure(set, embedder);
    spreads.push(spread);
    const { chance, right, sure, texts } = spread;
    const of = (what: string, figure: number): Row => ({ what: `${set.name}: ${what}`, figure, unit: "" });
    rows.push(
      of("chance, 50 % below", chance.half),
      of("chance, 95 % below", chance.most),
      of("chance, 99.9 % below", chance.all),
      of("right, 10 % below", right.some),
      of("right, 50 % below", right.half),
      ...(Number.isNaN(sure) ? [] : [of("best is right in 90 % from", sure)]),
      of("two texts, 99.9 % below", texts),
    );
  }
  const similarities = similaritiesOf(spreads);
  if (REF !== undefined) {
    mkdirSync(homePaths(paths.home).profiles, { recursive: true });
    await changeConfig(paths, { section: "memory", keyPath: ["similarities", REF], value: similarities });
  }
  return [
    ...rows,
    ...Object.entries(similarities).map(([what, figure]): Row => ({
      what: `${embedder.id}: ${what}`,
      figure,
      unit: REF === undefined ? "" : "kept",
    })),
  ];
}

async function modelEmbedder(ref: ModelRef): Promise<Embedder> {
  const { models } = loadConfig([paths.shippedEtc, join(paths.home, "etc")]);
  const { provider, model } = splitModelRef(ref);
  const entry = models.providers[provider];
  if (!entry) throw new Error(`etc/models.json names no server ${provider}.`);
  const server = openProvider(provider, entry, models.limits, process.env);
  const [probe] = await server.embed(model, ["how long are its vectors?"], new AbortController().signal);
  if (!probe) throw new Error(`${ref} gave no vector.`);
  return createModelEmbedder({ ref, model, dimensions: probe.length, provider: () => server });
}
