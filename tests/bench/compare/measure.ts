import { comparedTexts } from "./questions.ts";
import { systems } from "./systems.ts";
import { quantile, timed } from "../statistics.ts";

/** One system in a process of its own: `measure.ts build|ask <system> <folder> <records> <questions>`. */
const [step, name = "", folder = "", records, questions] = process.argv.slice(2);
const system = systems[name];
if (!system) throw new Error(`There is no system ${name}.`);
const texts = comparedTexts(Number(records));

if (step === "build") {
  await system.build(
    folder,
    texts.map(({ text }) => text),
  );
} else {
  const asked = spread(texts, Number(questions));
  const started = performance.now();
  const opened = await system.open(folder);
  await opened.recall(asked[0]?.question ?? "");
  const firstMs = performance.now() - started;
  // Until caches are filled and background work is done.
  for (const { question } of spread(texts, 60)) await opened.recall(question);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  let found = 0;
  const durations = await timed(asked.length, async (turn) => {
    const { question = "", text } = asked[turn] ?? {};
    const results = await opened.recall(question);
    if (text !== undefined && results.includes(text)) found += 1;
  });
  await opened.close();
  console.log(
    JSON.stringify({
      firstMs,
      p50: quantile(durations, 0.5),
      p95: quantile(durations, 0.95),
      found: found / asked.length,
    }),
  );
}

function spread<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]).filter(
    (item) => item !== undefined,
  );
}
