/** Something a person can repair; shown as its sentence, without a stack trace. */
export class Failure extends Error {
  /** @override */
  name = "Failure";
}
