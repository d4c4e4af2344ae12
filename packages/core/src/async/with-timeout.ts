/**
 * Resolves or rejects like `work`, or resolves to `late` after `ms` milliseconds. Late work continues and its result is
 * ignored. Clears its timer.
 */
export async function withTimeout<Value, Late>(
  ms: number,
  work: Promise<Value>,
  late: Late,
): Promise<Value | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(resolve, ms, late);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
