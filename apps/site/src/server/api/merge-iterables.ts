/**
 * Yields the values of all sources in the order of their arrival, with backpressure: a source is asked for its next
 * value after the previous one was consumed. Ends when all sources have ended, and throws the first error of a
 * source. When the consumer stops, all sources are closed.
 */
export async function* mergeIterables<Value>(
  sources: readonly AsyncIterable<Value>[],
): AsyncGenerator<Value> {
  const arrived: { value: Value; taken: () => void }[] = [];
  const failures: unknown[] = [];
  let running = sources.length;
  let notify = () => {};

  const pump = async (iterator: AsyncIterator<Value>): Promise<void> => {
    try {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        const { value } = next;
        await new Promise<void>((taken) => {
          arrived.push({ value, taken });
          notify();
        });
      }
    } catch (error) {
      failures.push(error);
    }
    running -= 1;
    notify();
  };
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  for (const iterator of iterators) void pump(iterator);

  try {
    for (;;) {
      const next = arrived.shift();
      if (next !== undefined) {
        yield next.value;
        next.taken();
      } else if (failures.length > 0) {
        throw failures[0];
      } else if (running === 0) {
        return;
      } else {
        await new Promise<void>((resolve) => (notify = resolve));
      }
    }
  } finally {
    // Releases the sources that wait for their value to be consumed.
    for (const iterator of iterators) void iterator.return?.();
  }
}
