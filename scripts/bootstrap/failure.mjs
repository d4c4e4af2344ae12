/** An error that a person can correct; only its message is shown, without a stack trace. */
export class Failure extends Error {
  /** @override */
  name = "Failure";
}
