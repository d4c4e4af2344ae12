/** A success with a status or headers of its own. */
export class Reply<Value> {
  readonly value: Value;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    value: Value,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> },
  ) {
    this.value = value;
    this.status = status;
    this.headers = headers;
  }
}
