import { monitorEventLoopDelay } from "node:perf_hooks";
import { Readable } from "node:stream";
import { testRecord } from "@metahuman/core/memory/testing/test-record";
import { openSpace, zipOf } from "@metahuman/core/transfer/testing/open-space";
import type { Row } from "./row.ts";
import { seededRandom } from "./statistics.ts";

export const name = "restore";

const RECORDS = 10_000;
/** The length of each memory in characters; 64 MB in total. */
const LENGTH = 6_100;
const WORDS =
  "garage notebook ferry harbour boiler drawer window garden fence posts market rye bread tide".split(" ");
const NANOSECONDS = 1e6;

/** Measures previewing and restoring a backup of many large memories, and the delay for other requests. */
export async function run(): Promise<Row[]> {
  const zip = await backup();
  const to = await openSpace();
  try {
    const preview = await measured(() => restore(false));
    const restored = await measured(() => restore(true));
    return [
      { what: `preview of a backup, ${RECORDS} memories, 64 MB`, figure: preview.seconds, unit: "s" },
      { what: "event-loop delay meanwhile, p99", figure: preview.delay, unit: "ms", target: 10 },
      { what: "the same restored, durably", figure: restored.seconds, unit: "s" },
      { what: "event-loop delay meanwhile, p99", figure: restored.delay, unit: "ms", target: 10 },
    ];
  } finally {
    await to.close();
  }

  async function restore(apply: boolean): Promise<void> {
    const { signal } = new AbortController();
    const options = { apply, replace: false, mayOpenFolders: false, signal };
    const { totals } = await to.transfer.import(Readable.from([zip]), options);
    if (totals["added"] !== RECORDS) throw new Error(`restored ${JSON.stringify(totals)}`);
  }
}

async function measured(work: () => Promise<void>): Promise<{ seconds: number; delay: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1_000;
  delay.disable();
  return { seconds, delay: delay.percentile(99) / NANOSECONDS };
}

function backup(): Promise<Buffer> {
  const random = seededRandom(11);
  const files = Array.from({ length: RECORDS }, (_, index): [string, string] => {
    const id = `evt-20260101T${String(index).padStart(9, "0")}Z-memory-${index}`;
    let content = "";
    while (content.length < LENGTH)
      content += `${WORDS[Math.floor(random() * WORDS.length)] ?? ""} ${random().toString(36).slice(2)} `;
    return [`memory/curated/2026/${id}.json`, JSON.stringify(testRecord({ type: "curated", id, content }))];
  });
  return zipOf(Object.fromEntries(files));
}
