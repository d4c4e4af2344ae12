import "astro";

declare module "astro" {
  interface AstroClientDirectives {
    /** build/in-turn.mjs */
    "client:turn"?: boolean;
  }
}
