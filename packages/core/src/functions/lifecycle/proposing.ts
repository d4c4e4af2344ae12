import {
  FunctionContent,
  type FunctionProposal,
  ProposalId,
  type Verification,
} from "../../contract/function.ts";
import { ConflictError, StaleVersionError } from "../../errors/request-errors.ts";
import { addedPermissions } from "../../contract/function-permissions.ts";
import { ForbiddenError } from "../../errors/access-errors.ts";
import { NotFoundError } from "../../errors/not-found-errors.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";
import { ulid } from "../../text/ulid.ts";
import type { FunctionActor, FunctionsPort, ProposedRevision } from "../functions-port.ts";
import { contentHash } from "../store/content-hash.ts";
import { applyChange, descriptiveFields } from "../store/content-change.ts";
import { withFieldsOfCalls } from "../store/fields-of-calls.ts";
import { assertSound } from "../store/content-rules.ts";
import { contentOf, type StoredFunction } from "../store/stored-function.ts";
import { changedResults, isProvenByBehavior } from "../verify/proof.ts";
import { createAuditWriter, type LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";
import { failedChecks, type Verifying } from "../verify/verify-function.ts";
import { isRecord } from "../../text/is-record.ts";

export interface Proposing extends Pick<
  FunctionsPort,
  "proposeRevision" | "listProposals" | "acceptProposal" | "rejectProposal"
> {
  /** Writes a proposal, or returns the pending one with the same content or learned from the same run. Callers hold the lock. */
  createProposal(
    stored: StoredFunction,
    content: FunctionContent,
    about: Omit<ProposedRevision, "change">,
    actor: FunctionActor,
  ): Promise<FunctionProposal>;
}

/** Manages proposals: pending revisions of functions. The live version stays in use until one is accepted. */
export function createProposalMethods(parts: LifecycleDependencies, verifying: Verifying): Proposing {
  const { scope, store, proposals, lock, settings, clock, summaryOf } = parts;
  const note = createAuditWriter(parts);
  const pending = createPendingProposals(parts);
  const merging = createProposalMerge(parts);
  const { accept, acceptIfProven } = createAcceptance(parts, verifying, pending, merging);

  /**
   * Pending proposals are changes of the current version; one that changes the same place as an accepted one keeps its
   * older `baseVersion`.
   */
  async function ofFunction(id: string): Promise<FunctionProposal[]> {
    const { function: stored } = await store.find(scope, id);
    const all = (await proposals.list(stored.id)).sort((a, b) => (a.id < b.id ? 1 : -1));
    return await Promise.all(
      all.map(async (each) => {
        const content = each.status === "pending" ? await merging.tryMerge(stored, each) : undefined;
        const base = { baseVersion: stored.version, baseContentHash: contentHash(contentOf(stored)) };
        return content ? { ...each, ...base, content } : each;
      }),
    );
  }

  async function createProposal(
    stored: StoredFunction,
    content: FunctionContent,
    { origin, reason, sourceOperatorRunId }: Omit<ProposedRevision, "change">,
    actor: FunctionActor,
  ): Promise<FunctionProposal> {
    assertSound(content);
    const waiting = (await proposals.list(stored.id)).find(
      (each) =>
        each.status === "pending" &&
        (canonicalJson(each.content) === canonicalJson(content) ||
          // The learner, and a person who has the same run learned from, propose the same.
          (origin === "learned" &&
            each.origin === origin &&
            each.sourceOperatorRunId === sourceOperatorRunId &&
            sourceOperatorRunId !== undefined)),
    );
    if (waiting) return waiting;
    const proposal: FunctionProposal = {
      id: `prop-${ulid()}`,
      functionId: stored.id,
      baseVersion: stored.version,
      baseContentHash: contentHash(contentOf(stored)),
      content,
      origin,
      reason,
      status: "pending",
      createdBy: actor.by,
      createdAt: clock().toISOString(),
      ...(sourceOperatorRunId !== undefined && { sourceOperatorRunId }),
    };
    await proposals.put(stored.id, proposal.id, proposal);
    return proposal;
  }

  return {
    createProposal,
    async proposeRevision(id, { change, ...about }, actor) {
      const { stored, proposal } = await lock.hold(async () => {
        const { function: now } = await store.find(scope, id);
        const before = contentOf(now);
        const content = withFieldsOfCalls(applyChange(before, change), { before, summaryOf });
        return { stored: now, proposal: await createProposal(now, content, about, actor) };
      });
      await note("function_proposed", stored, actor, { proposalId: proposal.id, origin: proposal.origin });
      const { content } = proposal;
      if (actor.isPerson || (await settings()).requireApproval || content.kind === "guide") return proposal;
      // A revision with additional grants always needs a person.
      if (stored.trust === "verified" && addedPermissions(stored, content).length > 0) return proposal;
      return acceptIfProven(stored, proposal, actor);
    },
    async listProposals(id, status) {
      const all = await ofFunction(id);
      return status === undefined ? all : all.filter((each) => each.status === status);
    },
    async acceptProposal(id, proposalId, actor, reason) {
      if (!actor.isPerson) throw new ForbiddenError("Only a person may accept a proposal.");
      const next = await accept(id, proposalId, actor, reason);
      await note("function_proposal_accepted", next, actor, { proposalId, ...(reason && { reason }) });
      return firstOf(await store.withEvidence([next]));
    },
    async rejectProposal(id, proposalId, actor, reason) {
      const { stored, rejected } = await lock.hold(async () => {
        const { function: now } = await store.find(scope, id);
        const proposal = await pending.load(now.id, proposalId);
        return { stored: now, rejected: await pending.decide(proposal, "rejected", actor, reason) };
      });
      await note("function_proposal_rejected", stored, actor, { proposalId, ...(reason && { reason }) });
      return rejected;
    },
  };
}

/** Loads pending proposals and stores what became of them. */
function createPendingProposals({ proposals, lock, clock }: LifecycleDependencies) {
  /** Throws `NotFoundError`, and `ConflictError` if it was decided. */
  async function load(functionId: string, proposalId: string): Promise<FunctionProposal> {
    const known = ProposalId.safeParse(proposalId).success
      ? await proposals.get(functionId, proposalId)
      : undefined;
    if (!known) throw new NotFoundError("This function has no such proposal.");
    if (known.status !== "pending") throw new ConflictError(`This proposal was ${known.status} before.`);
    return known;
  }

  /** Stores the report of a proposal unless a person decided meanwhile. Returns the current proposal. */
  function saveReport(report: Verification, { id, functionId }: FunctionProposal): Promise<FunctionProposal> {
    return lock.hold(async () => {
      const now = await proposals.get(functionId, id);
      if (!now) throw new NotFoundError("This function has no such proposal.");
      if (now.status !== "pending") return now;
      const checked = { ...now, verification: report };
      await proposals.put(functionId, id, checked);
      return checked;
    });
  }

  /** Stores a decision and returns the decided proposal. Callers hold the lock. */
  async function decide(
    proposal: FunctionProposal,
    status: "accepted" | "rejected",
    actor: FunctionActor,
    reason: string | undefined,
  ): Promise<FunctionProposal> {
    const decided: FunctionProposal = {
      ...proposal,
      status,
      decidedBy: actor.by,
      decidedAt: clock().toISOString(),
      ...(reason !== undefined && { decisionReason: reason }),
    };
    await proposals.put(decided.functionId, decided.id, decided);
    return decided;
  }

  return { load, saveReport, decide };
}

/** Applies the changes of proposals to content that may have changed since they were made. */
function createProposalMerge({ store }: Pick<LifecycleDependencies, "store">) {
  /** The current content with the changes of a proposal; undefined if they contradict later changes. */
  async function tryMerge(
    now: StoredFunction,
    { baseVersion, baseContentHash, content }: FunctionProposal,
  ): Promise<FunctionContent | undefined> {
    if (now.version === baseVersion) return content;
    const current = contentOf(now);
    // No behavior depends on the fields that may have changed since.
    if (contentHash(current) === baseContentHash) return { ...content, ...descriptiveFields(current) };
    const base = (await store.versions(now)).find(({ version }) => version === baseVersion)?.content;
    return base && mergeContent(base, current, content);
  }

  /** Like `tryMerge`, but throws `StaleVersionError`. */
  async function merge(now: StoredFunction, proposal: FunctionProposal): Promise<FunctionContent> {
    const merged = await tryMerge(now, proposal);
    if (merged) return merged;
    const current = contentOf(now);
    const { baseVersion, content } = proposal;
    throw new StaleVersionError(
      `The function changed in the same place after this was proposed: it is at version ${now.version}, and the proposal is based on version ${baseVersion}.`,
      {
        suggestions: ["Reject the proposal, and make its change in the function itself."],
        context: { currentVersion: now.version, current, yours: content },
      },
    );
  }

  return { tryMerge, merge };
}

/** Accepts proposals: a person does, or the settings and a passing verification. */
function createAcceptance(
  parts: LifecycleDependencies,
  verifying: Verifying,
  pending: ReturnType<typeof createPendingProposals>,
  merging: ReturnType<typeof createProposalMerge>,
) {
  const { scope, store, proposals, verifier, lock } = parts;
  const note = createAuditWriter(parts);

  /** Verifies the merged content of a verified function first, outside the lock, because that takes seconds. */
  async function accept(
    id: string,
    proposalId: string,
    actor: FunctionActor,
    reason: string | undefined,
  ): Promise<StoredFunction> {
    const { function: seen } = await store.find(scope, id);
    const proposal = await pending.load(seen.id, proposalId);
    const wanted = await merging.merge(seen, proposal);
    const options = {
      agentId: seen.scope.agentId,
      ...(proposal.origin === "edit" && { before: contentOf(seen) }),
    };
    const report = seen.trust === "verified" ? await verifier.verify(wanted, options) : undefined;
    if (report) {
      await pending.saveReport(report, proposal);
      verifying.assertPassed(report, actor, reason);
    }
    return lock.hold(async () => {
      const { function: now, path } = await store.find(scope, id);
      await pending.load(now.id, proposalId);
      if (contentHash(contentOf(now)) !== contentHash(contentOf(seen)))
        throw new ConflictError("The function changed while the proposal was verified. Review it again.");
      const [difference] = report?.ok ? changedResults(report) : [];
      const proven = { ...now, ...(report && { verification: report }) };
      const next = await store.revise(path, {
        stored: difference === undefined ? proven : asUnproven(now, `Changed, not proven: ${difference}`),
        content: await merging.merge(now, proposal),
        actor,
        change: difference === undefined ? proposal.reason : `${proposal.reason} Not proven: ${difference}`,
      });
      const checked = { ...proposal, ...(report && { verification: report }) };
      await pending.decide(checked, "accepted", actor, reason);
      await acceptContained(next, actor);
      return next;
    });
  }

  /** Accepts the pending proposals of which the new version contains every change. */
  async function acceptContained(now: StoredFunction, actor: FunctionActor): Promise<void> {
    for (const waiting of await proposals.list(now.id)) {
      if (waiting.status !== "pending") continue;
      const merged = await merging.tryMerge(now, waiting);
      if (!merged || canonicalJson(merged) !== canonicalJson(contentOf(now))) continue;
      await pending.decide(waiting, "accepted", actor, `Version ${now.version} contains it.`);
    }
  }

  /** Verifies a proposal and accepts it if its behavior is proven. Callers check that the settings require no approval. */
  async function acceptIfProven(
    stored: StoredFunction,
    proposal: FunctionProposal,
    actor: FunctionActor,
  ): Promise<FunctionProposal> {
    const report = await verifier.verify(await merging.merge(stored, proposal), {
      agentId: stored.scope.agentId,
    });
    const checked = await pending.saveReport(report, proposal);
    if (checked.status !== "pending") return checked;
    if (!isProvenByBehavior(report, proposal.content.kind)) {
      await note("function_verified", stored, actor, {
        proposalId: proposal.id,
        ok: false,
        failed: failedChecks(report),
      });
      return checked;
    }
    const next = await accept(stored.id, proposal.id, actor, undefined);
    await note("function_proposal_accepted", next, actor, { proposalId: proposal.id, byItself: true });
    return (await proposals.get(stored.id, proposal.id)) ?? checked;
  }

  return { accept, acceptIfProven };
}

/** The function as a draft without a report, until a person promotes it again. */
function asUnproven({ verification: _, ...stored }: StoredFunction, statusReason: string): StoredFunction {
  return { ...stored, trust: "draft", statusReason };
}

/** Lists of which each change may add items: no item depends on its place. */
const SETS: ReadonlySet<string> = new Set(["examples", "tags", "skillsUsed", "promptTemplates"]);
/** The field that is removed if both changes differ in it: it explains the calls, and no behavior depends on it. */
const EXPLANATION = "provenance";

const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null);

/**
 * Applies the changes that `proposed` makes to `base` to the current content, field by field. Both may have added to the
 * examples, tags, skills and the templates of the recipe. Undefined if they changed another field in different ways.
 */
function mergeContent(
  base: FunctionContent,
  now: FunctionContent,
  proposed: FunctionContent,
): FunctionContent | undefined {
  return FunctionContent.safeParse(mergeFields(base, now, proposed)).data;
}

/** The merged fields; undefined if a field has two changes. */
function mergeFields(base: object, now: object, proposed: object): Record<string, unknown> | undefined {
  const merged: Record<string, unknown> = {};
  for (const field of new Set([base, now, proposed].flatMap(Object.keys))) {
    const was: unknown = Reflect.get(base, field);
    const is: unknown = Reflect.get(now, field);
    const wanted: unknown = Reflect.get(proposed, field);
    const chosen = isSame(wanted, was) || isSame(wanted, is) ? is : isSame(is, was) ? wanted : undefined;
    if (chosen !== undefined) merged[field] = chosen;
    else if (isSame(wanted, is) || isSame(is, was) || isSame(wanted, was) || field === EXPLANATION) continue;
    else if (SETS.has(field)) merged[field] = mergeSets(was, is, wanted);
    else if (field === "recipe" && isRecord(was) && isRecord(is) && isRecord(wanted)) {
      const fields = mergeFields(was, is, wanted);
      if (!fields) return undefined;
      merged[field] = fields;
    } else return undefined;
  }
  return merged;
}

/** The current items without those that were removed, and with those that were added. */
function mergeSets(was: unknown, is: unknown, wanted: unknown): unknown[] {
  const [before, current, after] = [was, is, wanted].map((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  const has = (list: readonly unknown[] = [], item: unknown) => list.some((one) => isSame(one, item));
  return [
    ...(current ?? []).filter((item) => has(after, item) || !has(before, item)),
    ...(after ?? []).filter((item) => !has(before, item) && !has(current, item)),
  ];
}
