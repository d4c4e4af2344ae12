import { z } from "zod";

// The browser loads this for "zod" (astro.config.mjs).
z.config({
  // The content security policy forbids `new Function`.
  jitless: true,
  // The page parses JSON, which has no cycles. The default checks for cycles and would create every schema for that.
  memoizer: { alloc: (_schema, _payload, empty) => empty, guard: () => undefined, attach: () => undefined },
});

export * from "zod";
