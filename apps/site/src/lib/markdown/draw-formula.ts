import type { Formula } from "./math.ts";

let temml: typeof import("temml").default | undefined;

/** Loads the library that draws formulas. Rejects if it cannot be loaded. */
async function loadFormulas(): Promise<void> {
  temml ??= (await import("temml")).default;
}

/** Loads the library if one of the texts may have a formula, so that it is drawn with the text. */
export async function loadFormulasOf(texts: readonly string[]): Promise<void> {
  if (texts.some((text) => /\$|\\[[(]/.test(text))) await loadFormulas();
}

/** Returns a formula as MathML. Absent before the library is loaded. Throws if the formula is invalid. */
function markupOf({ tex, display }: Formula): string | undefined {
  const markup = temml?.renderToString(tex, { displayMode: display, throwOnError: true, trust: false });
  // An id in an answer could collide with an element of the page.
  return markup?.replaceAll(/ (?:id|href)="[^"]*"/g, "");
}

/** The HTML of a formula: its TeX, before the library is loaded and if it is invalid. */
export function formulaMarkup(formula: Formula, raw: string): string {
  try {
    return markupOf(formula) ?? escapeHtml(raw);
  } catch (error) {
    return `<span title="${escapeHtml(String(error))}">${escapeHtml(raw)}</span>`;
  }
}

/** Draws a formula that is still shown as its TeX. If the library cannot be loaded, it stays. */
export async function drawFormula(element: Element, formula: Formula, raw: string): Promise<void> {
  if (temml !== undefined || element.querySelector("math") !== null) return;
  const isLoaded = await loadFormulas().then(
    () => true,
    () => false,
  );
  if (isLoaded) element.innerHTML = formulaMarkup(formula, raw);
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
