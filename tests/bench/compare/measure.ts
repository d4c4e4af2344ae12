import { on } from "node:events";
import { comparedTexts, QUESTIONS_PER_TURN } from "./questions.ts";
import { systems } from "./systems.ts";
import { timed } from "../statistics.ts";

/** Measures one system in its own process: `measure.ts build|ask <system> <folder> <records> <questions>`. */
const [step, name = "", folder = "", records, questions] = process.argv.slice(2);
const system = systems[name];
if (!system) throw new Error(`There is no system ${name}.`);
const texts = comparedTexts(Number(records));

/** The other questions that each system answers first. */
const WARM_UP = 400;

if (step === "build") {
  await system.build(
    folder,
    texts.map(({ text }) => text),
  );
} else {
  const asked = spread(texts, Number(questions));
  const started = performance.now();
  const startedAt = process.cpuUsage();
  const opened = await system.open(folder);
  await opened.recall(asked[0]?.question ?? "");
  const firstMs = performance.now() - started;
  const firstProcessorMs = milliseconds(process.cpuUsage(startedAt));
  // Until code is compiled, caches are filled and background work is done, as in a server that runs for some minutes.
  for (const { question } of spread(texts, 2 * WARM_UP).filter((_text, index) => index % 2 === 1))
    await opened.recall(question);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  process.send?.({ firstMs, firstProcessorMs });
  // The systems take turns, so that other work on the machine slows all of them alike.
  for await (const [turn] of on(process, "message")) {
    const some = typeof turn === "number" ? asked.slice(turn, turn + QUESTIONS_PER_TURN) : [];
    if (some.length === 0) break;
    const found: boolean[] = [];
    const before = process.cpuUsage();
    const durations = await timed(some.length, async (at) => {
      const { question = "", text } = some[at] ?? {};
      found.push((await opened.recall(question)).some((result) => result === text));
    });
    const processorMs = milliseconds(process.cpuUsage(before));
    process.send?.({ durations, processorMs, found: found.filter(Boolean).length });
  }
  await opened.close();
  process.disconnect();
}

function spread<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from(
    { length: count },
    (_, index) => items[Math.floor((index * items.length) / count)],
  ).filter((item) => item !== undefined);
}

function milliseconds({ user, system: inSystem }: NodeJS.CpuUsage): number {
  return (user + inSystem) / 1_000;
}
