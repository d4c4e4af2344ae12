import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { z } from "zod";

const Manifest = z.looseObject({ version: z.string() });

let known: string | undefined;

/** Returns the running version from package.json. */
export function version(): string {
  known ??= Manifest.parse(JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"))).version;
  return known;
}
