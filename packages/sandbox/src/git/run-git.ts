import { InvalidArgsError } from "@metahuman/core/errors/invalid-args-error";
import type { ProgramResult } from "../programs/run-program.ts";
import type { Repository } from "./repository.ts";
import { tameGit } from "./tame-git.ts";

export const DIFF_OPTIONS = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-renames",
  "--ignore-submodules=all",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** Git's output. Throws `InvalidArgsError` with what it complains about, which is the planner's to repair. */
export async function runGit(
  args: readonly string[],
  { call, path }: Repository,
  maxBytes?: number,
): Promise<ProgramResult> {
  const result = await tameGit(args, {
    ...call,
    ...(maxBytes !== undefined && { maxOutputBytes: maxBytes }),
  });
  if (result.exitCode === 0) return result;
  const said = result.stderr.trim().split("\n")[0]?.slice(0, 300) ?? "";
  throw new InvalidArgsError(`Git refused in ${path}/: ${said === "" ? `code ${result.exitCode}` : said}`, {
    context: { repository: path },
  });
}
