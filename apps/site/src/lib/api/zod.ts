import { z } from "zod";

// What the browser loads for "zod" (astro.config.mjs): the content policy refuses the `new Function` of compiled validators.
z.config({ jitless: true });

export * from "zod";
