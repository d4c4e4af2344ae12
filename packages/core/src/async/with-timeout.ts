/**
 * What the work ends with, or `late` where that takes longer than `ms` milliseconds: late work goes on, and nobody hears
 * of its end any more. Leaves no timer behind.
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
