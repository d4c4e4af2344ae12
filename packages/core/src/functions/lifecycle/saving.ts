import type { FunctionContent, FunctionMemory } from "../../contract/function.ts";
import { powersOf } from "../../contract/powers.ts";
import { AlreadyExistsError } from "../../errors/already-exists-error.ts";
import { ConflictError } from "../../errors/conflict-error.ts";
import type { FunctionActor, FunctionsPort } from "../functions-port.ts";
import { assertSound, completed } from "../store/content-rules.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { createNotes, ownScope } from "./lifecycle-parts.ts";
import type { LifecycleParts } from "./lifecycle-parts.ts";
import type { Verifying } from "./verifying.ts";

/** Takes in new functions. */
export function createSaving(
  parts: LifecycleParts,
  verifying: Verifying,
): Pick<FunctionsPort, "saveFunction"> {
  const { store, index, lock, settings, clock } = parts;
  const scope = ownScope(parts.scope);
  const note = createNotes(parts);

  /** What an agent registers waits for a person, unless the settings let checks decide. Drafts it learned serve nobody yet. */
  function statusFor(
    actor: FunctionActor,
    origin: string,
    content: FunctionContent,
  ): StoredFunction["status"] {
    const wantsSecret = powersOf(content).some((power) => power.startsWith("secret:"));
    const waits = !actor.isPerson && origin !== "learned" && (settings().requireApproval || wantsSecret);
    return waits ? "pending_approval" : "active";
  }

  return {
    async saveFunction(draft, actor, provenance = {}): Promise<FunctionMemory> {
      const { origin = "written", ...source } = provenance;
      const saved = await lock.hold(async () => {
        const most = settings().maxPerProfile;
        if ((await index.call("count", null)) >= most) {
          throw new ConflictError(`This profile has ${most} functions, which is as many as it may have.`, {
            suggestions: [
              "Delete some with mh functions maintain.",
              "Raise functions.maxPerProfile in etc/operator.json.",
            ],
          });
        }
        if (draft.name !== undefined && (await store.findByName(scope, draft.name)))
          throw new AlreadyExistsError(`A function named ${draft.name} is there already.`);
        const content = completed(draft, draft.name ?? (await store.freeName(scope, draft.title)));
        assertSound(content);
        const now = clock().toISOString();
        return store.create({
          ...content,
          trust: "draft",
          status: statusFor(actor, origin, content),
          origin,
          ...source,
          createdBy: actor.by,
          createdAt: now,
          updatedAt: now,
          version: 1,
          scope,
        });
      });
      await note("function_saved", saved, actor, { origin, kind: saved.kind, status: saved.status });
      const settled = actor.isPerson ? saved : await verifying.verifiedByItself(saved, actor);
      return firstOf(await store.withEvidence([settled]));
    },
  };
}

/** The one that was asked for. */
export function firstOf(functions: readonly FunctionMemory[]): FunctionMemory {
  const [only] = functions;
  if (!only) throw new Error("a function was lost between its file and its counters");
  return only;
}
