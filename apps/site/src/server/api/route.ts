import type { APIContext } from "astro";
import { z } from "zod";
import type { Brain } from "@metahuman/boot/brain";
import { ForbiddenError, NotSignedInError } from "@metahuman/boot/errors";
import { scopeFor, scopeIncludes } from "@metahuman/boot/security-policy";
import type { Permission } from "@metahuman/boot/security-policy";
import type { TokenScope } from "@metahuman/core/contract/account";
import type { Connection } from "../http/connection.ts";
import type { Caller } from "./caller.ts";
import { checkOrigin } from "./origin.ts";
import { problemResponse } from "./problem-response.ts";
import { Reply } from "./reply.ts";
import { eventStream } from "./event-stream.ts";
import type { ServerSentEvent } from "./event-stream.ts";
import { inputReader } from "./read-input.ts";
import type { Input, Takes } from "./read-input.ts";

/** What one must be or have: nobody in particular, somebody signed in, or one permission of the policy. */
export type Need = "nothing" | "sign-in" | Permission;

/** The answer of a success that has nothing to say. */
export const Nothing = z.void();

/** One method of one path: what it takes, who may, what it answers. The OpenAPI document is made from the same. */
export interface RouteDefinition<Parts extends Takes = Takes, Answer extends z.ZodType = z.ZodType> {
  summary: string;
  needs: Need;
  /** The least scope of a token, where `needs` does not say it: `manage`, when missing. */
  scope?: TokenScope;
  /** Guests of a public profile may, too; they are refused everywhere else. */
  guests?: boolean;
  takes: Parts;
  /** The JSON of a success; `Nothing` when there is none, which is answered with 204. */
  answer: Answer;
  /** The media type of a body that the handler itself takes from the request, piece by piece. */
  upload?: string;
  /** The media type of an answer that is not JSON. */
  media?: string;
  /** Of a success; 200 unless said otherwise. */
  status?: 200 | 201 | 202;
  /** The answer is, or when asked for can be, a stream of server-sent events. */
  events?: boolean;
}

export interface RouteContext {
  brain: Brain;
  connection: Connection;
  request: Request;
}

/** What endpoints get beside, when somebody is signed in. */
export interface SignedInContext extends RouteContext {
  caller: Caller;
  /** Answers with server-sent events, for as long as the source, the reader and the session last. */
  stream: (open: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>) => Response;
}

/** An endpoint as Astro calls it, with what it was made from. */
export interface Route {
  (context: APIContext): Promise<Response>;
  readonly definition: RouteDefinition;
}

type Answered<Answer extends z.ZodType> = z.input<Answer> | Reply<z.input<Answer>> | Response;

/**
 * An endpoint for people who are signed in. In this order: origin, sign-in, permission, then everything it takes; then the
 * handler, with all of it parsed. Whatever is thrown is answered in the one shape of problems. Nothing is allowed by
 * default: `needs` must be said and is checked here, whatever stood in front of this handler.
 */
export function route<Parts extends Takes, Answer extends z.ZodType>(
  definition: RouteDefinition<Parts, Answer> & { needs: Exclude<Need, "nothing"> },
  handle: (input: Input<Parts> & SignedInContext) => Answered<Answer> | Promise<Answered<Answer>>,
): Route {
  const readInput = inputReader(definition.takes);
  return endpoint(definition, async (context) => {
    const caller = permitted(definition, context.locals);
    const input = await readInput(context);
    return handle(Object.assign(input, signedInContextOf(context, caller)));
  });
}

/** The same for people who are not, or not yet. */
export function openRoute<Parts extends Takes, Answer extends z.ZodType>(
  definition: RouteDefinition<Parts, Answer> & { needs: "nothing" },
  handle: (input: Input<Parts> & RouteContext) => Answered<Answer> | Promise<Answered<Answer>>,
): Route {
  const readInput = inputReader(definition.takes);
  return endpoint(definition, async (context) =>
    handle(Object.assign(await readInput(context), contextOf(context))),
  );
}

function endpoint(definition: RouteDefinition, work: (context: APIContext) => Promise<unknown>): Route {
  const respond = async (context: APIContext): Promise<Response> => {
    try {
      checkOrigin(context.request, context.locals.caller);
      return forMethod(context.request, toResponse(await work(context), definition.status));
    } catch (error) {
      return problemResponse(error, context.locals.log);
    }
  };
  return Object.assign(respond, { definition });
}

/** Whoever asks for the head alone takes no body: a stream must not be left running for them. */
function forMethod({ method }: Request, response: Response): Response {
  if (method === "HEAD") void response.body?.cancel();
  return response;
}

/** The least scope of a token that a route takes. */
export function scopeOf({ needs, scope }: Pick<RouteDefinition, "needs" | "scope">): TokenScope {
  return scope ?? (needs === "nothing" || needs === "sign-in" ? "manage" : scopeFor(needs));
}

function permitted(
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
    throw new ForbiddenError(`This needs a token of the scope ${scope}.`, {
      context: { needs, scope: policy.scope },
      suggestions: [`Make one: mh token create <name> --scope ${scope}`],
    });
  if (needs === "sign-in" || policy[needs]) return caller;
  const { role, mode } = me;
  throw new ForbiddenError(`In mode ${mode} this is not open to the role ${role}.`, {
    context: { needs, role, mode },
  });
}

function contextOf({ locals: { brain, connection }, request }: APIContext): RouteContext {
  return { brain, connection, request };
}

function signedInContextOf(context: APIContext, caller: Caller): SignedInContext {
  const { live, connection } = context.locals;
  const { credentialId } = caller;
  const { signal } = context.request;
  return {
    ...contextOf(context),
    caller,
    stream: (open) => eventStream(open, { live, connection, credentialId, signal }),
  };
}

function toResponse(answer: unknown, status = 200): Response {
  if (answer instanceof Response) return answer;
  if (answer instanceof Reply) return jsonResponse(answer.value, answer);
  return jsonResponse(answer, { status });
}

function jsonResponse(
  value: unknown,
  { status, headers = {} }: { status: number; headers?: Readonly<Record<string, string>> },
): Response {
  return value === undefined
    ? new Response(null, { status: 204, headers })
    : Response.json(value, { status, headers });
}
