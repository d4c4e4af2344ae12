/** The fields of `T` that may be left out but not be `undefined`. */
export type OmitUndefined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** Returns a copy without the fields that are `undefined`, which a parser produces for absent values. */
export function omitUndefined<T extends object>(value: T): OmitUndefined<T>;
export function omitUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}
