import { fileURLToPath } from "node:url";

/**
 * `client:turn`: a room comes to life once its code is there, as `client:load` does, but its code is read in one task and the page
 * taken over in the next. In one, keys and taps would wait for both.
 * @returns {import("astro").AstroIntegration}
 */
export function inTurn() {
  return {
    name: "metahuman:in-turn",
    hooks: {
      "astro:config:setup": ({ addClientDirective }) => {
        const entrypoint = fileURLToPath(new URL("in-turn-directive.mjs", import.meta.url));
        addClientDirective({ name: "turn", entrypoint });
      },
    },
  };
}
