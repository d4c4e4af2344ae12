import { Risk } from "../contract/trust.ts";

/** Whether a risk is no greater than another. */
export function isAtMost(risk: Risk, most: Risk): boolean {
  return Risk.options.indexOf(risk) <= Risk.options.indexOf(most);
}
