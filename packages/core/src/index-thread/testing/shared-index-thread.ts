import { createIndexThread } from "../index-thread.ts";

/** One for all tests of a file: starting a thread takes longer than most tests. */
export const sharedIndexThread = createIndexThread();
