import { z } from "zod";
import { InvalidArgsError } from "@metahuman/boot/errors";
import { plainIssue } from "@metahuman/core/contract/plain-issue";

/** Where to serve, as told from outside. The rest of the environment is the brain's. */
const Environment = z.object({
  HOST: z
    .string()
    .trim()
    .default("")
    .transform((host) => host || "127.0.0.1"),
  /** 0 lets the system choose. */
  PORT: z
    .string()
    .trim()
    .default("")
    .transform((port) => port || "4321")
    .pipe(z.string().regex(/^\d{1,5}$/, "write a number from 0 to 65535"))
    .transform(Number)
    .pipe(z.number().max(65_535, "write a number from 0 to 65535")),
});

export interface ServerEnvironment {
  host: string;
  port: number;
}

/** Throws `InvalidArgsError` with a sentence that names the variable. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): ServerEnvironment {
  const read = Environment.safeParse(env, { error: plainIssue });
  if (read.success) return { host: read.data.HOST, port: read.data.PORT };
  const [issue] = read.error.issues;
  throw new InvalidArgsError(
    `The environment variable ${issue?.path.join(".") ?? ""} is not usable: ${issue?.message ?? ""}.`,
  );
}
