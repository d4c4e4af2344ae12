import type { FunctionsPort } from "./functions-port.ts";

/** A port each of whose calls is made by `call`, which chooses the port that it is made on, and when. */
export function forwardFunctionCalls(
  call: <Value>(work: (port: FunctionsPort) => Promise<Value>) => Promise<Value>,
): FunctionsPort {
  return {
    saveFunction: (...args) => call((port) => port.saveFunction(...args)),
    loadFunction: (...args) => call((port) => port.loadFunction(...args)),
    findByName: (...args) => call((port) => port.findByName(...args)),
    listFunctions: (...args) => call((port) => port.listFunctions(...args)),
    nearestRecipes: (...args) => call((port) => port.nearestRecipes(...args)),
    queryFunctions: (...args) => call((port) => port.queryFunctions(...args)),
    updateFunction: (...args) => call((port) => port.updateFunction(...args)),
    versions: (...args) => call((port) => port.versions(...args)),
    restoreVersion: (...args) => call((port) => port.restoreVersion(...args)),
    proposeRevision: (...args) => call((port) => port.proposeRevision(...args)),
    listProposals: (...args) => call((port) => port.listProposals(...args)),
    acceptProposal: (...args) => call((port) => port.acceptProposal(...args)),
    rejectProposal: (...args) => call((port) => port.rejectProposal(...args)),
    deleteFunction: (...args) => call((port) => port.deleteFunction(...args)),
    restoreFunction: (...args) => call((port) => port.restoreFunction(...args)),
    listDeleted: (...args) => call((port) => port.listDeleted(...args)),
    deletedFunctions: (...args) => call((port) => port.deletedFunctions(...args)),
    verifyFunction: (...args) => call((port) => port.verifyFunction(...args)),
    promoteFunction: (...args) => call((port) => port.promoteFunction(...args)),
    demoteFunction: (...args) => call((port) => port.demoteFunction(...args)),
    approveFunction: (...args) => call((port) => port.approveFunction(...args)),
    rejectFunction: (...args) => call((port) => port.rejectFunction(...args)),
    disableFunction: (...args) => call((port) => port.disableFunction(...args)),
    enableFunction: (...args) => call((port) => port.enableFunction(...args)),
    teachTemplate: (...args) => call((port) => port.teachTemplate(...args)),
    refuseTemplate: (...args) => call((port) => port.refuseTemplate(...args)),
    forgetTemplate: (...args) => call((port) => port.forgetTemplate(...args)),
    recordFunctionUse: (...args) => call((port) => port.recordFunctionUse(...args)),
  };
}
