import { z } from "zod";

// The browser loads this for "zod" (astro.config.mjs): the content security policy forbids `new Function`.
z.config({ jitless: true });

export * from "zod";
