import { Risk } from "../contract/trust.ts";

/** True if a risk is no greater than another. */
export function isAtMost(risk: Risk, most: Risk): boolean {
  return Risk.options.indexOf(risk) <= Risk.options.indexOf(most);
}
