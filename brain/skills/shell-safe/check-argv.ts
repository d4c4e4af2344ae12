import type { ProgramRule } from "@metahuman/core/contract/skills-config";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { nearest } from "@metahuman/core/errors/nearest";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";

/** An argument that names a workspace path, and its index. */
export interface PathOperand {
  index: number;
  path: string;
  /** Requires a file, because a program could reach protected files in a folder. */
  file: boolean;
}

/**
 * Validates a program call: the program and all its options must be on the list. Returns the arguments that name
 * files. Throws `PermissionDeniedError` with the allowed alternatives, `InvalidArgsError` for an invalid call.
 */
export function checkArgv(
  argv: readonly [string, ...string[]],
  rules: ReadonlyMap<string, ProgramRule>,
): PathOperand[] {
  const [program] = argv;
  if (argv.some((part) => part.includes("\0")))
    throw new InvalidArgsError("An argument contains a NUL character.");
  const rule = rules.get(program);
  if (!rule) {
    const names = [...rules.keys()];
    const near = nearest(program, names);
    throw new PermissionDeniedError(`${program} is not in the list of allowed programs.`, {
      suggestions: near.length > 0 ? near : names,
      context: { program },
    });
  }
  const operands: { index: number; text: string }[] = [];
  let isPastOptions = false;
  for (let index = 1; index < argv.length; index += 1) {
    const part = argv[index] ?? "";
    if (isPastOptions || part === "-" || !part.startsWith("-")) operands.push({ index, text: part });
    else if (part === "--") isPastOptions = true;
    else if (takesValue(part, program, rule)) {
      index += 1;
      if (index >= argv.length) throw new InvalidArgsError(`${program} ${part} needs a value.`);
    }
  }
  return operands.flatMap(({ index, text }, position) => {
    const kind = rule.operands[position] ?? (rule.repeats ? rule.operands.at(-1) : undefined);
    if (kind === undefined) {
      throw new PermissionDeniedError(`${program} may not be given ${JSON.stringify(text)} here.`, {
        suggestions: [
          `${program} takes ${rule.operands.length === 0 ? "no arguments" : rule.operands.join(", ")}.`,
        ],
      });
    }
    return kind === "text" || text === "-" ? [] : [{ index, path: text, file: kind === "file" }];
  });
}

/** Validates one option; returns true if its value is the next argument. */
function takesValue(part: string, program: string, { flags, values }: ProgramRule): boolean {
  if (flags.includes(part)) return false;
  if (values.includes(part)) return true;
  const [name = ""] = part.split("=", 1);
  if (part.startsWith("--")) {
    if (part.includes("=") && values.includes(name)) return false;
    throw refusedOptionError(part, program, { flags, values });
  }
  // `-la` is `-l -a`; `-n5` is `-n 5`.
  for (const [index, letter] of [...part.slice(1)].entries()) {
    const option = `-${letter}`;
    if (values.includes(option)) return index === part.length - 2;
    if (!flags.includes(option)) throw refusedOptionError(part, program, { flags, values });
  }
  return false;
}

function refusedOptionError(
  option: string,
  program: string,
  { flags, values }: Pick<ProgramRule, "flags" | "values">,
): PermissionDeniedError {
  const allowed = [...flags, ...values.map((name) => `${name} VALUE`)];
  return new PermissionDeniedError(`${program} may not be run with ${option}.`, {
    suggestions: [
      allowed.length === 0 ? `${program} takes no options here.` : `Allowed: ${allowed.join(" ")}`,
    ],
    context: { program, option },
  });
}
