/** What every list of the server takes. */
export interface ListQuery {
  query?: string | undefined;
  cursor?: string | undefined;
  limit?: number;
}
