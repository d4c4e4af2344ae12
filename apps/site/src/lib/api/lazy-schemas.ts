import type { z } from "zod";

/** The form in which an answer is expected, made when the first such answer is read: no page waits for all forms at once. */
export type LazySchema<Schema extends z.ZodType> = () => Promise<Schema>;

/** The forms of one part of the contract, by the names they have there. */
export function lazySchemas<Part extends object>(load: () => Promise<Part>) {
  return <Name extends keyof Part>(name: Name) =>
    async (): Promise<Part[Name]> =>
      (await load())[name];
}
