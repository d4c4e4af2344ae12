import type { APIContext } from "astro";
import { z } from "zod";
import type { Brain } from "@metahuman/boot/brain";
import { ForbiddenError, NotSignedInError } from "@metahuman/core/errors/access-errors";
import { type Permission, scopeFor, scopeIncludes } from "@metahuman/core/policy/security-policy";
import type { TokenScope } from "@metahuman/core/contract/account";
import type { Connection } from "../http/connection.ts";
import type { Caller, OpenProfile } from "./caller.ts";
import { checkOrigin } from "./origin.ts";
import { problemResponse } from "../http/problem.ts";
import { eventStream, type ServerSentEvent } from "./event-stream.ts";
import { createInputReader, type Input, type InputSchemas } from "./read-input.ts";

/** The requirement of a route: none, a sign-in, or a permission of the policy. */
export type Need = "nothing" | "sign-in" | Permission;

/** The output of a route that answers with 204. */
export const Nothing = z.void();

/** The input, access rules and output of one method of one path. The OpenAPI document is generated from it. */
export interface RouteDefinition<
  Parts extends InputSchemas = InputSchemas,
  Output extends z.ZodType = z.ZodType,
> {
  summary: string;
  needs: Need;
  /** The token scope required if `needs` does not imply one. Default: `manage`. */
  scope?: TokenScope;
  /** Whether guests of a public profile may call it. Default: false. */
  guests?: boolean;
  input: Parts;
  /** The JSON of a success; `Nothing` answers with 204. */
  output: Output;
  /** The media type of a body that the handler streams from the request itself. */
  upload?: string;
  /** The media type of an output that is not JSON. */
  media?: string;
  /** The status of a success. Default: 200. */
  status?: 200 | 201 | 202;
  /** Whether the response is, or on request can be, a stream of server-sent events. */
  events?: boolean;
}

export interface RouteContext {
  brain: Brain;
  openProfile: OpenProfile;
  connection: Connection;
  request: Request;
  log: App.Locals["log"];
}

/** The arguments of handlers for signed-in callers besides the input. */
export interface SignedInContext extends RouteContext {
  caller: Caller;
  /** Responds with server-sent events until the source, the reader or the session ends. */
  stream: (open: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>) => Response;
}

/** An endpoint as Astro calls it, with its definition. */
export interface Route {
  (context: APIContext): Promise<Response>;
  readonly definition: RouteDefinition;
}

type HandlerResult<Output extends z.ZodType> = z.input<Output> | Reply<z.input<Output>> | Response;

/**
 * An endpoint for signed-in callers. Checks the origin, the sign-in and the permission, parses the input, then calls
 * the handler. Errors become problem responses. Nothing is allowed by default: `needs` is required and is checked here,
 * independent of earlier checks.
 */
export function route<Parts extends InputSchemas, Output extends z.ZodType>(
  definition: RouteDefinition<Parts, Output> & { needs: Exclude<Need, "nothing"> },
  handle: (input: Input<Parts> & SignedInContext) => HandlerResult<Output> | Promise<HandlerResult<Output>>,
): Route {
  const readInput = createInputReader(definition.input);
  return endpoint(definition, async (context) => {
    const caller = authorize(definition, context.locals);
    const input = await readInput(context);
    return handle(Object.assign(input, signedInContext(context, caller)));
  });
}

/** An endpoint that needs no sign-in. */
export function publicRoute<Parts extends InputSchemas, Output extends z.ZodType>(
  definition: RouteDefinition<Parts, Output> & { needs: "nothing" },
  handle: (input: Input<Parts> & RouteContext) => HandlerResult<Output> | Promise<HandlerResult<Output>>,
): Route {
  const readInput = createInputReader(definition.input);
  return endpoint(definition, async (context) =>
    handle(Object.assign(await readInput(context), routeContext(context))),
  );
}

function endpoint(definition: RouteDefinition, execute: (context: APIContext) => Promise<unknown>): Route {
  const respond = async (context: APIContext): Promise<Response> => {
    try {
      checkOrigin(context.request, context.locals.caller);
      return forMethod(context.request, toResponse(await execute(context), definition.status));
    } catch (error) {
      return problemResponse(error, context.locals.log);
    }
  };
  return Object.assign(respond, { definition });
}

/** Cancels the body for HEAD: a stream must not keep running. */
function forMethod({ method }: Request, response: Response): Response {
  if (method === "HEAD") void response.body?.cancel();
  return response;
}

/** The token scope that a route requires. */
export function scopeOf({ needs, scope }: Pick<RouteDefinition, "needs" | "scope">): TokenScope {
  return scope ?? (needs === "nothing" || needs === "sign-in" ? "manage" : scopeFor(needs));
}

function authorize(
  definition: Pick<RouteDefinition, "scope" | "guests"> & { needs: Exclude<Need, "nothing"> },
  { caller, refusal }: App.Locals,
): Caller {
  if (caller === undefined) throw refusal ?? new NotSignedInError("Sign in first.");
  const { needs, guests = false } = definition;
  const { me, policy } = caller;
  if (me.role === "guest" && !guests)
    throw new ForbiddenError("Guests can only chat.", { context: { needs, role: me.role } });
  const scope = scopeOf(definition);
  if (!scopeIncludes(policy.scope, scope))
    throw new ForbiddenError(`This needs a token with the scope ${scope}.`, {
      context: { needs, scope: policy.scope },
      suggestions: [`Create one: mh token create <name> --scope ${scope}`],
    });
  if (needs === "sign-in" || policy[needs]) return caller;
  const { role, mode } = me;
  const isChatOnly = mode === "emulation";
  throw new ForbiddenError(
    isChatOnly ? "In emulation, nothing is changed or decided." : `The role ${role} cannot do this.`,
    {
      context: { needs, role, mode },
      ...(isChatOnly && { suggestions: ["Choose another mode in the top bar, or with mh mode dual."] }),
    },
  );
}

function routeContext({ locals, request }: APIContext): RouteContext {
  const { brain, openProfile, connection, log } = locals;
  return { brain, openProfile, connection, request, log };
}

function signedInContext(context: APIContext, caller: Caller): SignedInContext {
  const { live, connection } = context.locals;
  const { credentialId } = caller;
  const { signal } = context.request;
  return {
    ...routeContext(context),
    caller,
    stream: (open) => eventStream(open, { live, connection, credentialId, signal }),
  };
}

function toResponse(result: unknown, status = 200): Response {
  if (result instanceof Response) return result;
  if (result instanceof Reply) return jsonResponse(result.value, result);
  return jsonResponse(result, { status });
}

function jsonResponse(
  value: unknown,
  { status, headers = {} }: { status: number; headers?: Readonly<Record<string, string>> },
): Response {
  return value === undefined
    ? new Response(null, { status: 204, headers })
    : Response.json(value, { status, headers });
}

/** A success with its own status or headers. */
export class Reply<Value> {
  readonly value: Value;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    value: Value,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> },
  ) {
    this.value = value;
    this.status = status;
    this.headers = headers;
  }
}
