import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import {
  allCalledFunctions,
  calledFunctions,
  type CalledFunction,
  checkCalls,
} from "@metahuman/core/functions/called-functions";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import { readCalledSkills } from "@metahuman/sandbox/code/inspect-code";
import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import type { SandboxLimits } from "@metahuman/sandbox/sandbox";
import { formatCount } from "@metahuman/core/text/format";
import { callBullets } from "@metahuman/skills/support/code-outcome";
import { isForCode } from "@metahuman/skills/execute-code/skill";
import type { CodeCall, CodeOutcome, CodePort, SkillPorts } from "@metahuman/skills/ports";
import { z } from "zod";
import type { RunContext } from "../../loop/run-context.ts";
import { type ParentCall, nestedCalls } from "./nested-calls.ts";

/** The limit for code that calls skills, which have time limits of their own. */
const WITH_SKILLS: Partial<SandboxLimits> = { wallMs: 45_000 };

const NO_USES = { grants: [], files: [] };
const ReadFile = z.object({ content: z.string() });
const LoadedFunction = z.object({ function: z.object({ id: z.string() }) });

/** The sandbox for one call of a run; `depth` is the number of functions around it that wait for its result. */
export function codePort(
  parent: ParentCall,
  context: RunContext,
  ports: () => SkillPorts,
  depth = 0,
): CodePort {
  const { sandbox, tools } = context.code;
  const skills = context.skills.map(({ id }) => id);
  const limits = { wallMs: context.config.functions.timeLimitMs };
  const isDirect = context.request.direct !== undefined;
  const functionsOf = (agentId: string): FunctionsPort => context.functionsOf(agentId);
  const ownFunctions = (): FunctionsPort => functionsOf(isDirect ? EVERY_AGENT : context.run().agentId);

  /** Throws `InvalidArgsError` for a function that the run has not loaded, because its planner cannot know it. */
  function assertLoaded(called: readonly CalledFunction[]): void {
    if (isDirect) return;
    const loaded = new Set(
      [...context.continued, ...context.run().scratchpad].flatMap(({ action, observation }) => {
        if (action?.tool !== "function_load") return [];
        return LoadedFunction.safeParse(observation?.outputs).data?.function.id ?? [];
      }),
    );
    const missing = called.find(({ function: { id } }) => !loaded.has(id));
    if (!missing) return;
    throw new InvalidArgsError(`${missing.function.name} is not loaded in this run.`, {
      suggestions: [`Call function_load with the id ${missing.function.name}, then run the code again.`],
    });
  }

  async function execution(
    compiled: Awaited<ReturnType<typeof tools.compile>>,
    parameters: Record<string, unknown>,
    signal: AbortSignal,
    { callSkill, called, hasGrants }: Execution,
  ) {
    const { result, logs } = await sandbox.run({
      ...compiled,
      parameters,
      skills: [...skills, ...called.map(({ callable }) => `function.${callable}`)],
      callSkill,
      limits: hasGrants || called.length > 0 ? WITH_SKILLS : limits,
      depth,
      signal,
    });
    return { result, logs };
  }

  /** The ports for a called function, whose code runs one level deeper. */
  function portsWithin(): SkillPorts {
    const within: SkillPorts = { ...ports(), code: codePort(parent, context, () => within, depth + 1) };
    return within;
  }

  /** Executes the calls of code, and records those that change something. */
  function recordedCalls(grants: readonly string[], called: readonly CalledFunction[]) {
    const changes: CodeCall[] = [];
    const callSkill = nestedCalls(parent, grants, context, {
      ports: ports(),
      portsWithin,
      called,
      onChange: (call) => changes.push(call),
    });
    return { callSkill, changes };
  }

  return {
    async execute(code, input, signal, { grants, files } = NO_USES) {
      const compiled = await tools.compileSnippet(code, signal);
      const called = await calledFunctions(code, ownFunctions());
      assertLoaded(called);
      const { callSkill, changes } = recordedCalls(grants, called);
      const texts: Record<string, string> = {};
      for (const path of files)
        texts[path] = ReadFile.parse(await callSkill("fs_read", { path }, signal)).content;
      const parameters = files.length > 0 ? { ...input, files: texts } : input;
      const uses = { callSkill, called, hasGrants: grants.length > 0 };
      const outcome = execution(compiled, parameters, signal, uses).catch((error: unknown) => {
        throw error instanceof FunctionError ? withAdvice(error, grants, context) : error;
      });
      return withChanges(outcome, changes);
    },
    async check(code, parameters, signal, name) {
      const calls = await checkCalls({ ...code, ...(name !== undefined && { name }) }, ownFunctions());
      return verifyCode(
        { code, parameters },
        { sandbox, tools, skills: context.skills.filter(isForCode), calls, limits },
        signal,
      );
    },
    async run({ source, grants }, parameters, signal, self) {
      const compiled = await tools.compile({ source }, signal);
      const called = self ? await calledFunctions(source, functionsOf(self.scope.agentId)) : [];
      const { callSkill, changes } = recordedCalls(grants, called);
      const uses = { callSkill, called, hasGrants: grants.length > 0 };
      return withChanges(execution(compiled, parameters, signal, uses), changes);
    },
    calledSkills: (code, signal) => readCalledSkills(tools, code, signal),
    async calledFunctions(caller) {
      if ("scope" in caller) {
        const { name, scope, code } = caller;
        return code ? allCalledFunctions({ ...code, name }, functionsOf(scope.agentId)) : [];
      }
      if (!caller.isSaved) assertLoaded(await calledFunctions(caller.source, ownFunctions()));
      return allCalledFunctions({ source: caller.source }, ownFunctions());
    },
  };
}

/** Errors of code that expects another value than it has. */
const WRONG_VALUE = /not a function|cannot read propert|undefined|is not iterable|of null/iu;
const MAX_SHAPES = 3;

/** The error of code with how to read the files, and with what the skills that it calls return. */
function withAdvice(
  error: FunctionError,
  grants: readonly string[],
  { skills }: Pick<RunContext, "skills">,
): FunctionError {
  const isAboutFiles = /\bfiles'? is not defined|properties? '?files|'?\bfiles'? of undefined/iu.test(
    error.message,
  );
  const called = WRONG_VALUE.test(error.message) ? skills.filter(({ id }) => grants.includes(id)) : [];
  const advice = [
    ...(isAboutFiles
      ? ['Pass the paths in the argument `files` and read each text as parameters.files["out/a.csv"].']
      : []),
    ...called.slice(0, MAX_SHAPES).map(({ id, output }) => `${id} returns ${resultShape(output)}.`),
  ];
  if (advice.length === 0) return error;
  return new FunctionError(error.message, {
    suggestions: [...error.suggestions, ...advice],
    context: error.context,
    cause: error,
  });
}

/** The outcome of code, or its error, with what its calls changed. */
async function withChanges(outcome: Promise<CodeOutcome>, calls: readonly CodeCall[]): Promise<CodeOutcome> {
  try {
    const returned = await outcome;
    return calls.length > 0 ? { ...returned, calls: [...calls] } : returned;
  } catch (error) {
    throw error instanceof FunctionError ? withCalls(error, calls) : error;
  }
}

/** The error of code with what its calls changed before it, so that no change is made twice or forgotten. */
function withCalls(error: FunctionError, calls: readonly CodeCall[]): FunctionError {
  if (calls.length === 0) return error;
  const heading = `${formatCount(calls.length, "call")} changed something before that:`;
  return new FunctionError([error.message, heading, ...callBullets(calls)].join("\n"), {
    suggestions: [...error.suggestions, "Make only the calls that are missing."],
    context: error.context,
    cause: error,
  });
}

interface Execution {
  callSkill: ReturnType<typeof nestedCalls>;
  called: readonly CalledFunction[];
  hasGrants: boolean;
}

const Shape = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
/** How deep a shape of a result is shown. */
const SHOWN_DEPTH = 3;

/** The fields of what a skill returns to code: `{query, matches: [{id, score, task: {id, title}}]}`. */
function resultShape(output: z.ZodObject): string {
  return shapeText(z.toJSONSchema(output, { io: "output", unrepresentable: "any" }), SHOWN_DEPTH);
}

function shapeText(schema: unknown, depth: number): string {
  const { properties, items, anyOf = [] } = Shape.safeParse(schema).data ?? {};
  const branch = anyOf.map((one) => shapeText(one, depth)).find((text) => text !== "");
  if (branch !== undefined) return branch;
  if (items !== undefined) return `[${shapeText(items, depth) || "…"}]`;
  if (properties === undefined || depth === 0) return "";
  const fields = Object.entries(properties).map(([name, field]) => {
    const inner = shapeText(field, depth - 1);
    return inner === "" ? name : `${name}: ${inner}`;
  });
  return `{${fields.join(", ")}}`;
}
