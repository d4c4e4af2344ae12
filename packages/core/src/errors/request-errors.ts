import { MetahumanError } from "./metahuman-error.ts";

/** The request's body, query or parameters do not fit their schema. */
export class InvalidRequestError extends MetahumanError {
  override readonly name = "InvalidRequestError";
  readonly code = "INVALID_REQUEST";
}

/** The arguments do not fit the schema. Names every problem and the values that would be valid. */
export class InvalidArgsError extends MetahumanError {
  override readonly name = "InvalidArgsError";
  readonly code = "INVALID_ARGS";
}

/** The body is larger than the door admits; it was not read to its end. */
export class BodyTooLargeError extends MetahumanError {
  override readonly name = "BodyTooLargeError";
  readonly code = "BODY_TOO_LARGE";
}

/** The path exists but does not take this method. */
export class MethodNotAllowedError extends MetahumanError {
  override readonly name = "MethodNotAllowedError";
  readonly code = "METHOD_NOT_ALLOWED";
}

/** The content is of a type that is not accepted here. */
export class UnsupportedMediaTypeError extends MetahumanError {
  override readonly name = "UnsupportedMediaTypeError";
  readonly code = "UNSUPPORTED_MEDIA_TYPE";
}

/** Something is already there and was left untouched. Suggests a free name. */
export class AlreadyExistsError extends MetahumanError {
  override readonly name = "AlreadyExistsError";
  readonly code = "ALREADY_EXISTS";
}

/** The state of the thing does not allow this now. */
export class ConflictError extends MetahumanError {
  override readonly name = "ConflictError";
  readonly code = "CONFLICT";
}

/** The change starts from a version that is no longer the current one; nothing was merged. */
export class StaleVersionError extends MetahumanError {
  override readonly name = "StaleVersionError";
  readonly code = "STALE_VERSION";
}

/** A configuration file cannot be used; names the file, the place in it and the reason. */
export class ConfigInvalidError extends MetahumanError {
  override readonly name = "ConfigInvalidError";
  readonly code = "CONFIG_INVALID";
}

/** An import stopped after some of it was written; `context.report` lists what is in place. */
export class ImportIncompleteError extends MetahumanError {
  override readonly name = "ImportIncompleteError";
  readonly code = "IMPORT_INCOMPLETE";
}

/** The path leads out of the workspace, or to something in it that is kept out of reach. */
export class PathOutsideWorkspaceError extends MetahumanError {
  override readonly name = "PathOutsideWorkspaceError";
  readonly code = "PATH_OUTSIDE_WORKSPACE";
}
