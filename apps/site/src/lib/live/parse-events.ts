import type { z } from "zod";
import { ApiProblem } from "../api/api-problem.ts";
import type { LazySchema } from "../api/lazy-schemas.ts";
import { parseServerSentEvents } from "./server-sent-events.ts";

/** The events of a stream, parsed; one that tells of a problem is thrown as `ApiProblem`. */
export async function* parseEvents<Schema extends z.ZodType>(
  expected: LazySchema<Schema>,
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<z.output<Schema>> {
  const schema = await expected();
  const { Problem } = await import("@metahuman/core/contract/problem");
  for await (const { data } of parseServerSentEvents(stream)) {
    const value: unknown = JSON.parse(data);
    const problem = Problem.safeParse(value);
    if (problem.success) throw new ApiProblem(200, problem.data.error);
    yield schema.parse(value);
  }
}
