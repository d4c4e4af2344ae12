import type { ActionPreview, Approval, ReviewedContent } from "@metahuman/core/contract/approval";
import type { Risk } from "@metahuman/core/contract/trust";

interface Reviewed {
  risk: Risk;
  preview: ActionPreview;
  content?: ReviewedContent | undefined;
}

/** The differences between a call as a person approved it and the same call now. */
export function changedSince(allowed: Approval, now: Reviewed): NonNullable<Approval["changedSince"]> {
  const diff = shownDiff(allowed.preview, now.preview);
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
function otherChanges({ risk, preview }: Approval, now: Reviewed): string[] {
  const before = new Map(preview.facts.map(({ label, value }) => [label, value]));
  return [
    ...(risk === now.risk ? [] : [`risk: ${risk}, now ${now.risk}`]),
    ...(preview.title === now.preview.title ? [] : [now.preview.title]),
    ...now.preview.facts
      .filter(({ label, value }) => before.get(label) !== value)
      .map(({ label, value }) => `${label}: ${before.get(label) ?? "nothing"}, now ${value}`),
  ];
}

function shownDiff(before: ActionPreview, after: ActionPreview): ActionPreview["diff"] {
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
