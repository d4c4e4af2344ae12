import type { FunctionMemory } from "../../contract/function.ts";
import { NotFoundError } from "../../errors/not-found-errors.ts";
import { readUnits } from "../matching/request-units.ts";
import { templateOf } from "../matching/request-templates.ts";
import type { FunctionActor, FunctionsPort } from "../functions-port.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { holdsSecret } from "../../log/redact.ts";
import { ulid } from "../../text/ulid.ts";
import { createAuditWriter, type LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";

type WordingMethods = Pick<FunctionsPort, "teachWording" | "refuseWording" | "forgetWording">;

/** The maximum number of wordings of each kind in a function; the oldest are removed first. */
const MAX_WORDINGS = 100;
const MAX_PROMPT_LENGTH = 4_000;

/**
 * The wordings that people accepted and refused, stored apart from the verified content: they create no new version, need
 * no verification and apply at once.
 */
export function createWordingMethods(parts: LifecycleDependencies): WordingMethods {
  const { scope, store, lock, clock } = parts;
  const note = createAuditWriter(parts);

  async function change(
    id: string,
    actor: FunctionActor,
    event: string,
    edit: (stored: StoredFunction) => StoredFunction,
  ): Promise<FunctionMemory> {
    const stored = await lock.hold(async () => {
      const { function: now, path } = await store.find(scope, id);
      const next = edit(now);
      return next === now ? now : store.replace(path, next);
    });
    await note(event, stored, actor);
    return firstOf(await store.withEvidence([stored]));
  }

  const origin = (actor: FunctionActor) => ({
    id: `tmpl-${ulid()}`,
    by: actor.by,
    at: clock().toISOString(),
    ...(actor.runId !== undefined && { runId: actor.runId }),
  });

  return {
    async teachWording(id, { prompt, values, clock: requestClock }, actor) {
      const units = readUnits(prompt, requestClock)?.units;
      const template = prompt.length <= MAX_PROMPT_LENGTH ? templateOf(prompt, values, units) : undefined;
      if (template === undefined || holdsSecret(prompt))
        return firstOf(await store.withEvidence([(await store.find(scope, id)).function]));
      return change(id, actor, "function_taught", (now) => {
        const { taught = [], refused = [] } = now;
        if (taught.some((one) => one.template === template)) return now;
        return {
          ...now,
          taught: [...taught, { ...origin(actor), template, prompt, values }].slice(-MAX_WORDINGS),
          // Accepting a wording removes its earlier refusal.
          refused: refused.filter((one) => one.prompt !== prompt && one.template !== template),
        };
      });
    },
    async refuseWording(id, { prompt, values, clock: requestClock }, actor) {
      if (prompt.length > MAX_PROMPT_LENGTH || holdsSecret(prompt))
        return firstOf(await store.withEvidence([(await store.find(scope, id)).function]));
      const units = readUnits(prompt, requestClock)?.units;
      const template = templateOf(prompt, values, units) ?? prompt;
      return change(id, actor, "function_refused", (now) => {
        const { taught = [], refused = [] } = now;
        if (refused.some((one) => one.prompt === prompt)) return now;
        return {
          ...now,
          taught: taught.filter((one) => one.prompt !== prompt && one.template !== template),
          refused: [...refused, { ...origin(actor), template, prompt }].slice(-MAX_WORDINGS),
        };
      });
    },
    forgetWording: (id, wordingId, actor) =>
      change(id, actor, "function_template_forgotten", (now) => {
        const { taught = [], refused = [] } = now;
        const others = {
          taught: taught.filter((one) => one.id !== wordingId),
          refused: refused.filter((one) => one.id !== wordingId),
        };
        if (others.taught.length + others.refused.length === taught.length + refused.length)
          throw new NotFoundError("This function has no such wording.");
        return { ...now, ...others };
      }),
  };
}
