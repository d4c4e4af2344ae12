import type { FunctionMemory } from "../contract/function.ts";
import { ANY_HOST, hostGrants, skillGrants } from "../contract/code-grants.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { FunctionError } from "../errors/sandbox-errors.ts";
import { FunctionNotFoundError } from "../errors/not-found-errors.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { nearest } from "../errors/nearest.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import type { FunctionsPort } from "./functions-port.ts";

/** A code function and its callable name: `skills.function.<callable>(args)`. */
export interface CalledFunction {
  callable: string;
  function: FunctionMemory & { code: NonNullable<FunctionMemory["code"]> };
}

/** The calling code. One-off code has neither a name nor grants. */
export interface CallingCode {
  source: string;
  name?: string;
  grants?: readonly string[];
}

/** The maximum nesting depth of calls, including the outermost. */
const MAX_CALL_DEPTH = 5;

/** `weekly-report` becomes `weeklyReport`, `2nd-word` becomes `_2ndWord`. */
export function callableName(name: string): string {
  const camel = name.replaceAll(/-+([a-z0-9])/gu, (_dash, next: string) => next.toUpperCase());
  return (/^[0-9]/u.test(camel) ? `_${camel}` : camel).replaceAll("-", "");
}

const CALL = /\bskills\s*\.\s*function\s*\.\s*([A-Za-z_$][\w$]*)/gu;

/** The distinct names in `skills.function.<name>` of a source. */
function namesCalled(source: string): string[] {
  return [...new Set([...source.matchAll(CALL)].map(([, name = ""]) => name))];
}

/**
 * The functions that a source calls, in source order. Throws `FunctionNotFoundError` for an unknown name, and
 * `ConflictError` for an ambiguous one.
 */
export async function calledFunctions(
  source: string,
  functions: Pick<FunctionsPort, "listFunctions">,
): Promise<CalledFunction[]> {
  const names = namesCalled(source);
  if (names.length === 0) return [];
  const all = await codeFunctions(functions);
  return names.map((callable) => {
    const matching = all.filter((one) => one.callable === callable);
    const serving = matching.filter(
      ({ function: { trust, status } }) => trust === "verified" && status === "active",
    );
    const [found, other] = serving.length > 0 ? serving : matching;
    if (!found)
      throw new FunctionNotFoundError(`No code function can be called as skills.function.${callable}.`, {
        suggestions: nearest(
          callable,
          all.map((one) => one.callable),
        ),
      });
    if (other)
      throw new ConflictError(
        `${found.function.name} and ${other.function.name} would both be callable as skills.function.${callable}.`,
        { suggestions: ["Rename one of them, or disable it."] },
      );
    return found;
  });
}

/**
 * The functions that code calls, directly and transitively. Also throws `FunctionError` when the calls form a cycle or
 * exceed `MAX_CALL_DEPTH`, and `PermissionDeniedError` when a function needs a grant that its caller lacks.
 */
export async function allCalledFunctions(
  caller: CallingCode,
  functions: Pick<FunctionsPort, "listFunctions">,
): Promise<CalledFunction[]> {
  const found = new Map<string, CalledFunction>();
  await follow(caller, caller.name === undefined ? [] : [caller.name]);
  return [...found.values()];

  async function follow({ source, name, grants }: CallingCode, path: readonly string[]): Promise<void> {
    for (const called of await calledFunctions(source, functions)) {
      const { code, name: calledName } = called.function;
      const longer = [...path, calledName];
      if (path.includes(calledName))
        throw new FunctionError(`The calls form a cycle: ${longer.join(" → ")}.`, {
          suggestions: ["Remove one of these calls."],
        });
      if (longer.length > MAX_CALL_DEPTH)
        throw new FunctionError(`The calls are nested too deeply: ${longer.join(" → ")}.`, {
          suggestions: [`Functions can be nested at most ${MAX_CALL_DEPTH} deep.`],
        });
      const missing = grants && grantsMissing(grants, code.grants);
      if (missing && missing.length > 0)
        throw new PermissionDeniedError(
          `${name ?? "The code"} calls ${calledName}, which needs the grants ${missing.join(", ")}.`,
          { suggestions: [`Add ${missing.join(", ")} to the grants of ${name ?? "the code"}.`] },
        );
      found.set(called.callable, called);
      await follow({ source: code.source, name: calledName, grants: code.grants }, longer);
    }
  }
}

/** The functions that a source calls, for verification. */
export interface CallReport {
  /** The called functions that were found. */
  functions: (Pick<FunctionMemory, "summary" | "parameters"> & { callable: string })[];
  /** The problems of the calls, as sentences. */
  problems: string[];
}

/** As `allCalledFunctions`, but returns problems instead of throwing them. */
export async function checkCalls(
  caller: CallingCode,
  functions: Pick<FunctionsPort, "listFunctions">,
): Promise<CallReport> {
  try {
    const called = await calledFunctions(caller.source, functions);
    const unverified = called.filter(
      ({ function: { trust, status } }) => trust !== "verified" || status !== "active",
    );
    const signatures = called.map(({ callable, function: { summary, parameters } }) => ({
      callable,
      summary,
      parameters,
    }));
    try {
      await allCalledFunctions(caller, functions);
    } catch (error) {
      return { functions: signatures, problems: [messageOf(error)] };
    }
    return {
      functions: signatures,
      problems: unverified.map(
        ({ function: { name } }) => `The source calls ${name}, which is not verified and active.`,
      ),
    };
  } catch (error) {
    return { functions: [], problems: [messageOf(error)] };
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof MetahumanError)) throw error;
  return error.message;
}

/**
 * The grants of code together with those of the functions it calls. If one of them may reach any host, the result may.
 */
export function combinedGrants(own: readonly string[], called: readonly (readonly string[])[]): string[] {
  const all = [own, ...called];
  const united = [...new Set(all.flat())];
  const networked = all.filter((grants) => grants.includes("http_get"));
  const isConfined = networked.every((grants) => hostGrants(grants).length > 0);
  const hosts = isConfined ? [...new Set(networked.flatMap(hostGrants))] : [];
  return [
    ...skillGrants(united),
    ...(hosts.includes(ANY_HOST) ? [ANY_HOST] : hosts).map((host) => `host:${host}`),
    ...united.filter((grant) => grant.startsWith("secret:")),
  ];
}

/** The grants of a called function that its caller lacks. A caller limited to hosts cannot call an unlimited function. */
function grantsMissing(caller: readonly string[], called: readonly string[]): string[] {
  const missing = called.filter((grant) => !grant.startsWith("host:") && !caller.includes(grant));
  const [allowed, wanted] = [hostGrants(caller), hostGrants(called)];
  if (allowed.length === 0 || allowed.includes(ANY_HOST) || !called.includes("http_get")) return missing;
  const hosts = wanted.length === 0 ? [ANY_HOST] : wanted;
  return [...missing, ...hosts.filter((host) => !allowed.includes(host)).map((host) => `host:${host}`)];
}

const PAGE = 200;

async function codeFunctions({
  listFunctions,
}: Pick<FunctionsPort, "listFunctions">): Promise<CalledFunction[]> {
  const found: CalledFunction[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listFunctions>> = await listFunctions({
      kind: "code",
      limit: PAGE,
      ...(cursor !== null && { cursor }),
    });
    for (const { code, ...rest } of page.items)
      if (code) found.push({ callable: callableName(rest.name), function: { ...rest, code } });
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
