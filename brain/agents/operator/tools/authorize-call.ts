import type { Approval, ReviewedContent, ActionPreview } from "@metahuman/core/contract/approval";
import { ApprovalDeniedError, PolicyDeniedError } from "@metahuman/core/errors/access-errors";
import { type CallPolicy, decide, type Decision, isAtMost } from "@metahuman/core/policy/decide";
import { callHash, canonicalJson } from "@metahuman/core/runs/canonical-json";
import type { FollowingCall } from "@metahuman/core/language/grammar/phrase";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { ulid } from "@metahuman/core/text/ulid";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { TargetNaming } from "@metahuman/core/policy/target-source";
import type { Assessment, Skill } from "@metahuman/skills/define-skill";
import { isDeepStrictEqual } from "node:util";
import { targetNamingOf, targetSourceOf, withSource } from "./target-naming.ts";
import type { PreparedCall } from "./execute-call.ts";
import type { RunContext, EffectivePolicy } from "../loop/run-context.ts";
import type { Risk } from "@metahuman/core/contract/trust";

/** A prepared call and the step of the run that makes it, directly or inside another call. */
interface AssessedCall extends PreparedCall {
  step: number;
}

export interface AllowedCall {
  kind: "allowed";
  by: "policy" | "grant" | "approval";
  reason: string;
  grantId?: string;
  approvalId?: string;
  /** The hash of the content that a person approved. */
  approvedContent?: string;
}

export type Permission = AllowedCall | { kind: "ask"; approval: Approval };

/**
 * Decides whether the call may run now: by the policy, a grant, or an approval of exactly this call. Throws
 * `PolicyDeniedError`, or `ApprovalDeniedError` with the person's reason. An approval is bound to the exact arguments;
 * when the call would now do something else than the preview showed, it asks again.
 */
export async function authorizeCall(assessed: AssessedCall, context: RunContext): Promise<Permission> {
  const naming = await targetNamingOf(assessed, context);
  const call = naming.named ? assessed : { ...assessed, assessment: withSource(assessed.assessment, naming) };
  const { skill, assessment } = call;
  const currentPolicy = await context.currentPolicy();
  const override = currentPolicy.overrides[skill.id];
  const policy = {
    mode: currentPolicy.mode,
    trustLevel: currentPolicy.trustLevel,
    override,
    grants: currentPolicy.grants,
    now: context.now(),
  };
  const ownDecision = decide(
    {
      skill: skill.id,
      effect: assessment.effect ?? skill.effects,
      risk: assessment.risk,
      requiresApproval: skill.requiresApproval,
      asksPerHost: skill.asksPerHost,
      paths: assessment.paths,
      hosts: assessment.hosts,
      target: await targetOf(naming, call, context),
    },
    policy,
  );
  const { decision, reason, isOverridden, grantId } =
    ownDecision.decision === "allow"
      ? (nestedDecision(assessment, currentPolicy, policy) ?? ownDecision)
      : ownDecision;
  if (decision === "deny") {
    throw new PolicyDeniedError(reason, {
      suggestions: ["Do without this call, or say what the person could change."],
      ...(isOverridden && { context: { isOverridden } }),
    });
  }
  if (decision === "allow") {
    return {
      kind: "allowed",
      by: grantId === undefined ? "policy" : "grant",
      reason,
      ...(grantId !== undefined && { grantId }),
    };
  }

  const content = await assessment.content?.(context.signal);
  const argsHash = callHash(skill.id, call.args);
  const earlierApprovals = (await context.approvals()).reverse();
  const sameCall = earlierApprovals.filter((approval) => approval.argsHash === argsHash);
  const denied = sameCall.find(({ status }) => status === "denied" || status === "expired");
  if (denied) throw deniedBy(denied);
  const allowed =
    sameCall.find((approval) => covers(approval, call, content)) ??
    earlierApprovals.find((approval) => coversHost(approval, call, naming)) ??
    earlierApprovals.find(
      (approval) => approval.decision === "run" && !naming.named && coversSet(approval, naming.set, call),
    );
  if (allowed) {
    return {
      kind: "allowed",
      by: "approval",
      reason: "A person allowed this call.",
      approvalId: allowed.id,
      ...(allowed.step === call.step && content && { approvedContent: content.hash }),
    };
  }
  const grantable =
    naming.named && !skill.requiresApproval && override !== "ask" && assessment.risk !== "critical";
  const before = sameCall.find(({ step, status }) => step === call.step && status === "allowed");
  const undone = undoneRequest(call, await context.earlier(), context.skills);
  const approval = {
    ...createApproval(call, argsHash, grantable, context),
    ...(canBeUndone(call) && { canBeUndone: true }),
    ...(undone !== undefined && { undoes: undone }),
    ...(content && { content }),
    ...(!naming.named && { targetSource: targetSourceOf(naming) }),
    ...(before && { changedSince: changedSince(before, { ...assessment, content }) }),
  };
  return { kind: "ask", approval };
}

/**
 * `denied` after a person denied another call on the same target: a file that may not be deleted is not moved away unasked either.
 * Otherwise `named` if the person named the target or approved, in this run, a call of the same skill on another part of the same set.
 */
async function targetOf(
  naming: TargetNaming,
  { skill, assessment }: AssessedCall,
  context: RunContext,
): Promise<"named" | "unnamed" | "denied"> {
  if ((assessment.effect ?? skill.effects) === "read") return naming.named ? "named" : "unnamed";
  // A run in which nothing was denied needs no look at its approvals for a target that the person named.
  const hadDenial = context
    .state()
    .scratchpad.some(({ observation }) => observation?.error?.code === "APPROVAL_DENIED");
  if (naming.named && !hadDenial) return "named";
  const approvals = await context.approvals();
  if (approvals.some((approval) => approval.status === "denied" && hasSameTarget(approval, assessment)))
    return "denied";
  return naming.named || approvals.some((approval) => coversSet(approval, naming.set, { skill, assessment }))
    ? "named"
    : "unnamed";
}

/**
 * True when the two calls have a path or a record in common, or one's folder contains the other's path; unless the reason for the denial
 * names another path of this call: "move it to old/poem.md instead".
 */
function hasSameTarget({ args, preview, reason = "" }: Approval, { paths, record }: Assessment): boolean {
  const denied = [preview.target, ...leavesOf(args).map(({ value }) => value)]
    .filter((value) => typeof value === "string")
    .filter((value) => value !== "" && value !== "out/" && value !== "inbox/");
  const isWanted = paths.some(
    (path) => !denied.includes(path) && reason.includes(path.replace(/^out\//u, "").replace(/\/$/u, "")),
  );
  if (isWanted) return false;
  const contains = (folder: string, path: string): boolean => folder.endsWith("/") && path.startsWith(folder);
  return denied.some(
    (value) =>
      value === record?.id ||
      paths.some((path) => path === value || contains(value, path) || contains(path, value)),
  );
}

function coversSet(
  { tool, status, targetSource, risk }: Approval,
  set: string | undefined,
  { skill, assessment }: Pick<AssessedCall, "skill" | "assessment">,
): boolean {
  return (
    set !== undefined &&
    tool === skill.id &&
    status === "allowed" &&
    targetSource?.set === set &&
    isAtMost(assessment.risk, risk)
  );
}

/** The first nested call that needs approval: the person is asked now, once for all of them. */
function nestedDecision(
  { nested = [] }: Pick<Assessment, "nested">,
  { overrides }: EffectivePolicy,
  policy: CallPolicy,
): Decision | undefined {
  return nested
    .map((call) => decide(call, { ...policy, override: overrides[call.skill] }))
    .find(({ decision }) => decision === "ask");
}

function covers(
  approval: Approval,
  { step, skill, assessment }: AssessedCall,
  content: ReviewedContent | undefined,
): boolean {
  if (approval.status !== "allowed" || approval.effect !== (assessment.effect ?? skill.effects)) return false;
  if (approval.step === step)
    return (
      approval.risk === assessment.risk &&
      approval.content?.hash === content?.hash &&
      canonicalJson(reviewed(approval.preview)) === canonicalJson(reviewed(assessment.preview))
    );
  // Approved for this run: the same call may show another diff but must not have a higher risk.
  return approval.decision === "run" && isAtMost(assessment.risk, approval.risk);
}

/** What an approval covers of a preview: all but the facts that change with time alone. */
const reviewed = (preview: ActionPreview): ActionPreview => ({
  ...preview,
  facts: preview.facts.filter(({ varies }) => varies !== true),
});

/**
 * Approved for this run, for a skill that asks once per host: covers its other calls to that host alone. A call that sends
 * data is covered only if the approved one sent some, too.
 */
function coversHost(approval: Approval, { skill, assessment }: AssessedCall, naming: TargetNaming): boolean {
  const host = approval.grantOffer?.host ?? hostOf(approval.args["url"]);
  if (!naming.named && approval.targetSource === undefined) return false;
  return (
    skill.asksPerHost &&
    approval.tool === skill.id &&
    approval.status === "allowed" &&
    approval.decision === "run" &&
    host !== undefined &&
    assessment.paths.length === 0 &&
    assessment.hosts.length > 0 &&
    assessment.hosts.every((one) => one === host) &&
    isAtMost(assessment.risk, approval.risk)
  );
}

function hostOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).host : undefined;
}

function deniedBy({ status, reason, preview: { title } }: Approval): ApprovalDeniedError {
  if (status === "expired") {
    return new ApprovalDeniedError("Nobody decided on this call in time, so it is denied.", {
      suggestions: ["Do without this call, and say that it still needs a person."],
      context: { title },
    });
  }
  const givenReason = reason?.trim();
  return new ApprovalDeniedError(
    givenReason
      ? `The person denied this call: ${givenReason}`
      : "The person denied this call and gave no reason.",
    {
      suggestions: ["Do not repeat the call; do what the reason asks for, or finish without it."],
      context: { isDecided: true, title, ...(givenReason && { reason: givenReason }) },
    },
  );
}

/** Whether nothing is lost by a call. What the calls of code do cannot be undone. */
function canBeUndone({ skill, assessment: { canBeUndone, nested } }: AssessedCall): boolean {
  return nested === undefined && (canBeUndone ?? skill.reverse !== undefined);
}

/** The newest request of the conversation that this call undoes; undefined if it undoes none. */
function undoneRequest(
  { skill, args }: Pick<AssessedCall, "skill" | "args">,
  earlier: readonly EarlierRequest[],
  skills: readonly Skill[],
): string | undefined {
  const isThisCall = (undoing: FollowingCall): boolean =>
    undoing.skill === skill.id &&
    Object.entries(undoing.args).every(([name, value]) => isDeepStrictEqual(args[name], value));
  return earlier.find(({ calls }) =>
    calls.some(({ skill: made, args: given, outputs }) => {
      const reverse = skills.find(({ id }) => id === made)?.reverse;
      return outputs !== undefined && reverse?.({ args: given, outputs })?.some(isThisCall) === true;
    }),
  )?.request;
}

function createApproval(
  { step, skill, args, assessment }: AssessedCall,
  argsHash: string,
  grantable: boolean,
  context: RunContext,
): Approval {
  const now = context.now();
  const { expireAfterMs, grantExpireAfterMs } = context.config.approvals;
  return {
    id: `appr-${ulid()}`,
    runId: context.run().id,
    step,
    tool: skill.id,
    args,
    argsHash,
    effect: assessment.effect ?? skill.effects,
    risk: assessment.risk,
    preview: assessment.preview,
    ...(grantable &&
      assessment.grant && {
        grantOffer: { ...assessment.grant, expires: addMilliseconds(now, grantExpireAfterMs) },
      }),
    status: "pending",
    createdAt: now.toISOString(),
    expiresAt: addMilliseconds(now, expireAfterMs),
  };
}

const addMilliseconds = (from: Date, milliseconds: number): string =>
  new Date(from.getTime() + milliseconds).toISOString();

interface ReviewedCall {
  risk: Risk;
  preview: ActionPreview;
  content?: ReviewedContent | undefined;
}

/** The differences between a call as a person approved it and the same call now. */
export function changedSince(allowed: Approval, now: ReviewedCall): NonNullable<Approval["changedSince"]> {
  const diff = diffBetween(allowed.preview, now.preview);
  const changes = fileChanges(allowed.content, now.content);
  return {
    approvalId: allowed.id,
    changes: changes.length > 0 ? changes : otherChanges(allowed, now),
    ...(diff && { diff }),
  };
}

function fileChanges(before: ReviewedContent | undefined, after: ReviewedContent | undefined): string[] {
  if (before?.hash === after?.hash) return [];
  const known = new Map(before?.files.map(({ path, hash }) => [path, hash]));
  const found = new Map(after?.files.map(({ path, hash }) => [path, hash]));
  const changes = [
    ...[...found].flatMap(([path, hash]) => {
      if (!known.has(path)) return [`${path} is new`];
      return known.get(path) === hash ? [] : [`${path} changed`];
    }),
    ...[...known.keys()].filter((path) => !found.has(path)).map((path) => `${path} is gone`),
  ];
  if (changes.length > 0) return changes;
  return [`something beyond the first ${found.size} files changed`];
}

/** Changes in the risk and preview of a call that acts on no files. */
function otherChanges({ risk, preview }: Approval, now: ReviewedCall): string[] {
  const before = new Map(preview.facts.map(({ label, value }) => [label, value]));
  return [
    ...(risk === now.risk ? [] : [`risk: ${risk}, now ${now.risk}`]),
    ...(preview.title === now.preview.title ? [] : [now.preview.title]),
    ...reviewed(now.preview)
      .facts.filter(({ label, value }) => before.get(label) !== value)
      .map(({ label, value }) => `${label}: ${before.get(label) ?? "nothing"}, now ${value}`),
  ];
}

function diffBetween(before: ActionPreview, after: ActionPreview): ActionPreview["diff"] {
  if (before.patch && after.patch && before.patch.text !== after.patch.text) {
    const clipped = before.patch.clipped || after.patch.clipped;
    return { before: before.patch.text, after: after.patch.text, clipped };
  }
  if (!before.diff || !after.diff) return undefined;
  const clipped = before.diff.clipped || after.diff.clipped;
  if (before.diff.before !== after.diff.before)
    return { before: before.diff.before, after: after.diff.before, clipped };
  if (before.diff.after !== after.diff.after)
    return { before: before.diff.after, after: after.diff.after, clipped };
  return undefined;
}
