/**
 * The content of the memory of a request and its answer. `outcome` is that of a run without an answer.
 * `splitExchange` parses it.
 */
export function formatExchange({
  asked,
  answered,
  outcome,
}: {
  asked: string;
  answered: string;
  outcome?: string;
}): string {
  const verb = outcome === undefined ? "Answered" : `Not answered (the run ended ${outcome})`;
  return `Asked: ${asked}\n${verb}: ${answered}`;
}

/**
 * Parses what `formatExchange` wrote; undefined for other text. `outcome` is that of a run without an answer.
 */
export function splitExchange(
  content: string,
): { asked: string; answered: string; outcome?: string } | undefined {
  const [, asked, outcome, answered] =
    /^Asked: ([\s\S]*?)\n(?:Answered|Not answered \((?:the run ended )?([^)]*)\)): ([\s\S]*)$/u.exec(
      content,
    ) ?? [];
  if (asked === undefined || answered === undefined) return undefined;
  return { asked: asked.trim(), answered, ...(outcome !== undefined && { outcome }) };
}
