import { MetahumanError } from "./metahuman-error.ts";

/** The request's body, query or parameters do not match their schema. */
export class InvalidRequestError extends MetahumanError {
  override readonly name = "InvalidRequestError";
  readonly code = "INVALID_REQUEST";
}

/** The arguments do not match the schema. The message names every problem and the valid values. */
export class InvalidArgsError extends MetahumanError {
  override readonly name = "InvalidArgsError";
  readonly code = "INVALID_ARGS";
}

/** The body exceeds the size limit; the rest was not read. */
export class BodyTooLargeError extends MetahumanError {
  override readonly name = "BodyTooLargeError";
  readonly code = "BODY_TOO_LARGE";
}

/** The path exists but does not support this method. */
export class MethodNotAllowedError extends MetahumanError {
  override readonly name = "MethodNotAllowedError";
  readonly code = "METHOD_NOT_ALLOWED";
}

/** The content type is not supported. */
export class UnsupportedMediaTypeError extends MetahumanError {
  override readonly name = "UnsupportedMediaTypeError";
  readonly code = "UNSUPPORTED_MEDIA_TYPE";
}

/** The target already exists and was not changed. Suggests a free name. */
export class AlreadyExistsError extends MetahumanError {
  override readonly name = "AlreadyExistsError";
  readonly code = "ALREADY_EXISTS";
}

/** The current state does not allow this. */
export class ConflictError extends MetahumanError {
  override readonly name = "ConflictError";
  readonly code = "CONFLICT";
}

/** The change is based on an outdated version; nothing was merged. */
export class StaleVersionError extends MetahumanError {
  override readonly name = "StaleVersionError";
  readonly code = "STALE_VERSION";
}

/** A configuration file is invalid; names the file, the position and the reason. */
export class ConfigInvalidError extends MetahumanError {
  override readonly name = "ConfigInvalidError";
  readonly code = "CONFIG_INVALID";
}

/** An import stopped after part of it was written; `context.report` lists what was imported. */
export class ImportIncompleteError extends MetahumanError {
  override readonly name = "ImportIncompleteError";
  readonly code = "IMPORT_INCOMPLETE";
}

/** The path is outside the workspace or protected. */
export class PathOutsideWorkspaceError extends MetahumanError {
  override readonly name = "PathOutsideWorkspaceError";
  readonly code = "PATH_OUTSIDE_WORKSPACE";
}
