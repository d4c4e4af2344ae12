import type { FunctionContent, FunctionMemory, FunctionOrigin } from "../../contract/function.ts";
import type { OperatorConfig } from "../../contract/config.ts";
import { PolicyDeniedError } from "../../errors/access-errors.ts";
import { permissionsOf } from "../../contract/function-permissions.ts";
import { AlreadyExistsError, ConflictError } from "../../errors/request-errors.ts";
import type { FunctionActor, FunctionsPort } from "../functions-port.ts";
import { assertSound, withDefaults } from "../store/content-rules.ts";
import { withFieldsOfCalls } from "../store/fields-of-calls.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { createAuditWriter, type LifecycleDependencies, ownScope } from "./lifecycle-parts.ts";
import type { Verifying } from "../verify/verify-function.ts";

/** Saves new functions. */
export function createSaveMethods(
  parts: LifecycleDependencies,
  verifying: Verifying,
): Pick<FunctionsPort, "saveFunction"> {
  const { store, index, lock, settings, clock, summaryOf } = parts;
  const scope = ownScope(parts.scope);
  const note = createAuditWriter(parts);

  /** An agent's function waits for approval, unless the settings require none. Learned drafts are active but unused. */
  function statusFor(
    actor: FunctionActor,
    origin: string,
    content: FunctionContent,
    { requireApproval }: Pick<OperatorConfig["functions"], "requireApproval">,
  ): StoredFunction["status"] {
    const wantsSecret = permissionsOf(content).some((permission) => permission.startsWith("secret:"));
    const waits = !actor.isPerson && origin !== "learned" && (requireApproval || wantsSecret);
    return waits ? "pending_approval" : "active";
  }

  return {
    async saveFunction(draft, actor, provenance = {}): Promise<FunctionMemory> {
      const { origin = "written", ...source } = provenance;
      const current = await settings();
      if (!current.autoRegister && isUnrequested(actor, origin))
        throw new PolicyDeniedError("The operator cannot register functions by itself in this profile.", {
          suggestions: ["Ask the person to save it, or to switch on registering in Settings (autoRegister)."],
        });
      const saved = await lock.hold(async () => {
        const most = current.maxPerProfile;
        if ((await index.call("count", null)) >= most) {
          throw new ConflictError(`This profile has reached its limit of ${most} functions.`, {
            suggestions: [
              "Delete some with mh functions maintain.",
              "Raise maxPerProfile in the profile's settings, or functions.maxPerProfile in etc/operator.json.",
            ],
          });
        }
        if (draft.name !== undefined && (await store.findByName(scope, draft.name)))
          throw new AlreadyExistsError(`A function named ${draft.name} already exists.`);
        const given = withDefaults(draft, draft.name ?? (await store.freeName(scope, draft.title)));
        const content = withFieldsOfCalls(given, { summaryOf });
        assertSound(content);
        const now = clock().toISOString();
        return store.create({
          ...content,
          trust: "draft",
          status: statusFor(actor, origin, content, current),
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
      const settled = actor.isPerson ? saved : await verifying.promoteIfAllowed(saved, actor);
      return firstOf(await store.withEvidence([settled]));
    },
  };
}

/** True for a function that an agent wrote without a person's request; learned drafts do not count. */
function isUnrequested({ isPerson, surface }: FunctionActor, origin: FunctionOrigin): boolean {
  return !isPerson && surface === undefined && (origin === "written" || origin === "curated");
}

/** The first of the functions, which must exist. */
export function firstOf(functions: readonly FunctionMemory[]): FunctionMemory {
  const [only] = functions;
  if (!only) throw new Error("a stored function was not found");
  return only;
}
