import { regionOf } from "@metahuman/core/contract/region";
import type { Clock } from "@metahuman/core/language/dates/clock";
import type { AcceptedOffer } from "@metahuman/core/contract/http";
import type { FunctionOffer, Run } from "@metahuman/core/contract/run";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { OperatorOptions } from "./operator-options.ts";
import { assertUsablePaths, loadAcceptedOffer } from "./planners/replay/load-accepted-offer.ts";
import { findOfferReply, readOfferReply } from "./planners/replay/offer-reply.ts";
import type { RunAccess } from "./run-access.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";

/** How many runs of a conversation are read to find the request that an offer was first made for. */
const MAX_REPLIES = 10;

/** Accepts and refuses offers of functions. */
export interface OfferDecisions {
  /**
   * Reads a message that only replies to the offers of the last run of its conversation: "yes", "the second", "no". Returns the offer
   * that it accepts; refuses the offers that it refuses. Undefined unless it accepts one.
   */
  acceptedBy(goal: string, conversationId: string, storage: RunStorage): Promise<AcceptedOffer | undefined>;
  /**
   * Checks an offer that a person accepts, and teaches the function this wording, if the run that the offer names made it. Throws as
   * `loadAcceptedOffer` and `assertUsablePaths` do.
   */
  accept(offer: AcceptedOffer, agentId: string | undefined, by: string): Promise<void>;
  /** Stops offers of a function for the request of this run. Throws `ConflictError` if it was not offered. */
  refuse(run: Run, functionId: string): Promise<void>;
}

export function createOfferDecisions(
  { services, username }: Pick<OperatorOptions, "services" | "username">,
  { storageOf }: Pick<RunAccess, "storageOf">,
): OfferDecisions {
  /** The time and time zone of a run's request. */
  async function clockOf({ id, createdAt }: Run): Promise<Clock> {
    const { request } = await (await storageOf(id)).store.request(id);
    return { now: new Date(createdAt), timeZone: regionOf(request).timeZone };
  }

  /** The run with the request that this run's offers were made for: a reply that does not say which offer is meant repeats them. */
  async function originOf(run: Run): Promise<Run> {
    if (readOfferReply(run.goal, run.offers) === undefined) return run;
    const { store } = await storageOf(run.id);
    const { items } = await store.runs({ conversationId: run.conversationId, limit: MAX_REPLIES });
    for (const { id, goal } of items.filter((one) => one.id < run.id))
      if (readOfferReply(goal, run.offers) === undefined) return store.run(id);
    return run;
  }

  async function refuseOffer(run: Run, { functionId, values }: FunctionOffer): Promise<void> {
    const asked = await originOf(run);
    const actor = { by: username, isPerson: true, isOwner: false, runId: run.id };
    const example = { prompt: asked.goal, values, clock: await clockOf(asked) };
    await services.functionsOf(run.agentId).refuseWording(functionId, example, actor);
  }

  return {
    async acceptedBy(goal, conversationId, { store }) {
      const reply = await findOfferReply(goal, async () => {
        const [newest] = (await store.runs({ conversationId, limit: 1 })).items;
        return newest && (await store.run(newest.id));
      });
      if (reply?.kind === "refused")
        for (const offer of reply.last.offers ?? []) await refuseOffer(reply.last, offer);
      if (reply?.kind !== "accepted") return undefined;
      const { functionId, version, values } = reply.offer;
      return { functionId, version, values, runId: reply.last.id };
    },
    async accept(offer, agentId, by) {
      const functions = services.functionsOf(agentId);
      assertUsablePaths(await loadAcceptedOffer(functions, offer), (path) =>
        services.ports.files.resolve(path),
      );
      const { functionId, values, runId } = offer;
      if (runId === undefined) return;
      const run = await (await storageOf(runId)).store.run(runId);
      if (run.offers?.some((one) => one.functionId === functionId) !== true) return;
      const asked = await originOf(run);
      const actor = { by, isPerson: true, isOwner: false, runId };
      await functions.teachWording(
        functionId,
        { prompt: asked.goal, values, clock: await clockOf(asked) },
        actor,
      );
    },
    async refuse(run, functionId) {
      const offer = run.offers?.find((one) => one.functionId === functionId);
      if (!offer) throw new ConflictError("This run did not offer that function.");
      await refuseOffer(run, offer);
    },
  };
}
