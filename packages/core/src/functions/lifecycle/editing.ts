import type { FunctionChange, FunctionEdit } from "../../contract/function.ts";
import { AlreadyExistsError, StaleVersionError } from "../../errors/request-errors.ts";
import { NotFoundError } from "../../errors/not-found-errors.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";
import type { FunctionActor, FunctionsPort, UpdatedFunction } from "../functions-port.ts";
import { contentHash } from "../store/content-hash.ts";
import { applyChange, changeSentence, descriptiveFields } from "../store/content-change.ts";
import { withFieldsOfCalls } from "../store/fields-of-calls.ts";
import { assertSound } from "../store/content-rules.ts";
import { contentOf, type StoredFunction } from "../store/stored-function.ts";
import { createAuditWriter, type LifecycleDependencies } from "./lifecycle-parts.ts";
import type { Proposing } from "./proposing.ts";
import { firstOf } from "./saving.ts";

type Editing = Pick<FunctionsPort, "updateFunction" | "versions" | "restoreVersion">;

/** Edits functions. A change of a verified function's behavior becomes a proposal; any other applies at once. */
export function createEditMethods(parts: LifecycleDependencies, proposing: Proposing): Editing {
  const { scope, store, lock, summaryOf } = parts;
  const note = createAuditWriter(parts);

  async function update(
    id: string,
    { version, ...change }: FunctionEdit,
    actor: FunctionActor,
    sentence?: string,
  ): Promise<UpdatedFunction> {
    const { stored, proposed } = await lock.hold(async () => {
      const { function: now, path } = await store.find(scope, id);
      if (version !== now.version) throw staleVersionError(now, version, change);
      const before = contentOf(now);
      const wanted = withFieldsOfCalls(applyChange(before, change), { before, summaryOf });
      await assertNameFree(now, wanted.name);
      assertSound(wanted);
      if (canonicalJson(wanted) === canonicalJson(before)) return { stored: now, proposed: undefined };
      const waits = now.trust === "verified" && contentHash(wanted) !== contentHash(before);
      const atOnce = waits ? { ...before, ...descriptiveFields(wanted) } : wanted;
      const isSame = canonicalJson(atOnce) === canonicalJson(before);
      const next = isSame
        ? now
        : await store.revise(path, {
            stored: now,
            content: atOnce,
            actor,
            change: sentence ?? changeSentence(before, atOnce),
          });
      return {
        stored: next,
        proposed: waits
          ? await proposing.createProposal(
              next,
              wanted,
              { origin: "edit", reason: sentence ?? changeSentence(before, wanted) },
              actor,
            )
          : undefined,
      };
    });
    await note("function_updated", stored, actor, proposed ? { proposalId: proposed.id } : {});
    return { function: firstOf(await store.withEvidence([stored])), ...(proposed && { proposal: proposed }) };
  }

  async function assertNameFree(now: StoredFunction, name: string): Promise<void> {
    if (name === now.name) return;
    if (await store.findByName(now.scope, name))
      throw new AlreadyExistsError(`A function named ${name} already exists.`);
  }

  return {
    updateFunction: update,
    async versions(id) {
      return store.versions((await store.find(scope, id)).function);
    },
    async restoreVersion(id, version, actor) {
      const { function: now } = await store.find(scope, id);
      const wanted = (await store.versions(now)).find((each) => each.version === version);
      if (!wanted) throw new NotFoundError(`This function has no version ${version}.`);
      const { recipe = null, code = null, ...content } = wanted.content;
      const edit = { ...content, recipe, code, version: now.version };
      return update(id, edit, actor, `Went back to version ${version}.`);
    },
  };
}

function staleVersionError(now: StoredFunction, version: number, yours: FunctionChange): StaleVersionError {
  return new StaleVersionError(
    `The function is at version ${now.version}; this change is based on version ${version}.`,
    {
      suggestions: ["Review the changes, then save again from the current version."],
      context: { currentVersion: now.version, current: contentOf(now), yours },
    },
  );
}
