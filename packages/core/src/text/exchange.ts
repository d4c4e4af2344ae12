/**
 * The content of the memory of a request and what was said to it. `outcome` is that of a run without an answer.
 * `splitExchange` parses it.
 */
export function formatExchange({
  asked,
  said,
  outcome,
}: {
  asked: string;
  said: string;
  outcome?: string;
}): string {
  const verb = outcome === undefined ? "Answered" : `Not answered (the run ended ${outcome})`;
  return `Asked: ${asked}\n${verb}: ${said}`;
}

/**
 * Parses what `formatExchange` wrote; undefined for other text. `outcome` is that of a run without an answer.
 */
export function splitExchange(
  content: string,
): { asked: string; said: string; outcome?: string } | undefined {
  const [, asked, outcome, said] =
    /^Asked: ([\s\S]*?)\n(?:Answered|Not answered \((?:the run ended )?([^)]*)\)): ([\s\S]*)$/u.exec(
      content,
    ) ?? [];
  if (asked === undefined || said === undefined) return undefined;
  return { asked: asked.trim(), said, ...(outcome !== undefined && { outcome }) };
}
