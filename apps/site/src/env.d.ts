/// <reference types="astro/client" />

declare namespace App {
  /** The values that every page and endpoint receives. */
  interface Locals {
    brain: import("@metahuman/boot/brain").Brain;
    live: import("./server/http/live-streams.ts").LiveStreams;
    log: Pick<import("@metahuman/core/log/logger").Logger, "error">;
    connection: import("./server/http/connection.ts").Connection;
    /** Opens a profile, which stays open until the response has ended. */
    openProfile: import("./server/api/caller.ts").OpenProfile;
    /** Who is signed in; absent for anonymous requests. */
    caller?: import("./server/api/caller.ts").Caller;
    /** The reason why the session or token of the request is not valid. */
    refusal?: Error;
  }
}

declare module "*?minified" {
  /** The minified text of a script (apps/site/build/minified-scripts.mjs). */
  const text: string;
  export default text;
}
