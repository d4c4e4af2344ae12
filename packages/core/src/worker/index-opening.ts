import { z } from "zod";
import { FunctionIndexSettings } from "../functions/index/protocol.ts";
import { IndexSettings } from "../memory/index/protocol.ts";

/** What the index thread is asked to open. */
export const IndexOpening = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("memory"), settings: IndexSettings }),
  z.strictObject({ kind: z.literal("functions"), settings: FunctionIndexSettings }),
]);
export type IndexOpening = z.infer<typeof IndexOpening>;
