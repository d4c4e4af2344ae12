import { regionOf } from "@metahuman/core/contract/region";
import type { Clock } from "@metahuman/core/language/dates/clock";
import type { FollowedOffer } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { OperatorOptions } from "./operator-options.ts";
import { loadFollowed } from "./planners/replay/load-followed.ts";
import type { RunAccess } from "./run-access.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";

const YES = "yes|y|yep|yeah|sure|ok|okay|exactly|right|correct|ja|oui|sí";
/** A whole message that only agrees: "yes please", "ok, do it". */
const ONLY_AGREES = new RegExp(
  String.raw`^\W*(?:(?:${YES})\W+)?(?:please|please do|(?:please )?do (?:it|that|so)|go ahead|${YES})\W*$`,
  "iu",
);
/** No message that only agrees is longer. */
const MAX_CHARACTERS = 40;

/** Accepts and refuses offers of functions. */
export interface OfferDecisions {
  /** The only offer of the last run of this conversation, if a message only agrees: "yes". Undefined otherwise. */
  acceptedBy(goal: string, conversationId: string, storage: RunStorage): Promise<FollowedOffer | undefined>;
  /**
   * Checks an offer that a person accepts, and adds the request to the function's templates. Throws as `loadFollowed`
   * does.
   */
  accept(follow: FollowedOffer, agentId: string | undefined, by: string): Promise<void>;
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

  return {
    async acceptedBy(goal, conversationId, { store }) {
      if (goal.length > MAX_CHARACTERS || !ONLY_AGREES.test(goal)) return undefined;
      const [last] = (await store.runs({ conversationId, limit: 1 })).items;
      const { offers = [] } = last === undefined ? {} : await store.run(last.id);
      const [offer] = offers;
      if (last === undefined || offer === undefined || offers.length > 1) return undefined;
      const { functionId, version, values } = offer;
      return { functionId, version, values, runId: last.id };
    },
    async accept(follow, agentId, by) {
      const functions = services.functionsOf(agentId);
      await loadFollowed(functions, follow);
      const { functionId, values, runId } = follow;
      if (runId === undefined) return;
      const run = await (await storageOf(runId)).store.run(runId);
      if (run.offers?.some((offer) => offer.functionId === functionId) !== true) return;
      const actor = { by, isPerson: true, isOwner: false, runId };
      await functions.teachTemplate(
        functionId,
        { prompt: run.goal, values, clock: await clockOf(run) },
        actor,
      );
    },
    async refuse(run, functionId) {
      const offer = run.offers?.find((one) => one.functionId === functionId);
      if (!offer) throw new ConflictError("This run did not offer that function.");
      const actor = { by: username, isPerson: true, isOwner: false, runId: run.id };
      const example = { prompt: run.goal, values: offer.values, clock: await clockOf(run) };
      await services.functionsOf(run.agentId).refuseTemplate(functionId, example, actor);
    },
  };
}
