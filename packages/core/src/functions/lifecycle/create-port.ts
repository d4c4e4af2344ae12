import type { FunctionsPort } from "../functions-port.ts";
import { createDeciding } from "./deciding.ts";
import { createEditing } from "./editing.ts";
import type { LifecycleDependencies } from "./lifecycle-parts.ts";
import { createProposing } from "./proposing.ts";
import { createReading } from "./reading.ts";
import { createRecording } from "./recording.ts";
import { createRemoving } from "./removing.ts";
import { createTeaching } from "./teaching.ts";
import { createSaving } from "./saving.ts";
import { createVerifying } from "../verify/verify-function.ts";

/** Creates the port of one scope. `tracked` wraps each call, so that closing waits for it. */
export function createPort(
  parts: LifecycleDependencies,
  search: Parameters<typeof createReading>[1],
  tracked: <Value>(work: () => Promise<Value>) => Promise<Value>,
): FunctionsPort {
  const verifying = createVerifying(parts);
  const proposing = createProposing(parts, verifying);
  const saving = createSaving(parts, verifying);
  const editing = createEditing(parts, proposing);
  const removing = createRemoving(parts);
  const deciding = createDeciding(parts, verifying);
  const reading = createReading(parts, search);
  const teaching = createTeaching(parts);
  const recording = createRecording(parts, deciding);
  return {
    saveFunction: (...args) => tracked(() => saving.saveFunction(...args)),
    loadFunction: (...args) => tracked(() => reading.loadFunction(...args)),
    findByName: (...args) => tracked(() => reading.findByName(...args)),
    listFunctions: (...args) => tracked(() => reading.listFunctions(...args)),
    nearestRecipes: (...args) => tracked(() => reading.nearestRecipes(...args)),
    queryFunctions: (...args) => tracked(() => reading.queryFunctions(...args)),
    updateFunction: (...args) => tracked(() => editing.updateFunction(...args)),
    versions: (...args) => tracked(() => editing.versions(...args)),
    restoreVersion: (...args) => tracked(() => editing.restoreVersion(...args)),
    proposeRevision: (...args) => tracked(() => proposing.proposeRevision(...args)),
    listProposals: (...args) => tracked(() => proposing.listProposals(...args)),
    acceptProposal: (...args) => tracked(() => proposing.acceptProposal(...args)),
    rejectProposal: (...args) => tracked(() => proposing.rejectProposal(...args)),
    deleteFunction: (...args) => tracked(() => removing.deleteFunction(...args)),
    restoreFunction: (...args) => tracked(() => removing.restoreFunction(...args)),
    listDeleted: (...args) => tracked(() => removing.listDeleted(...args)),
    deletedFunctions: (...args) => tracked(() => removing.deletedFunctions(...args)),
    verifyFunction: (...args) => tracked(() => verifying.verifyFunction(...args)),
    promoteFunction: (...args) => tracked(() => deciding.promoteFunction(...args)),
    demoteFunction: (...args) => tracked(() => deciding.demoteFunction(...args)),
    approveFunction: (...args) => tracked(() => deciding.approveFunction(...args)),
    rejectFunction: (...args) => tracked(() => deciding.rejectFunction(...args)),
    disableFunction: (...args) => tracked(() => deciding.disableFunction(...args)),
    enableFunction: (...args) => tracked(() => deciding.enableFunction(...args)),
    teachTemplate: (...args) => tracked(() => teaching.teachTemplate(...args)),
    refuseTemplate: (...args) => tracked(() => teaching.refuseTemplate(...args)),
    forgetTemplate: (...args) => tracked(() => teaching.forgetTemplate(...args)),
    recordFunctionUse: (...args) => tracked(() => recording.recordFunctionUse(...args)),
  };
}
