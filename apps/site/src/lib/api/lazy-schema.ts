/**
 * A proxy for a schema that is created on first use; `lazySchemas` of the build wraps the schemas of the contract in
 * it. Schemas that contain the proxy do not create its schema until they validate that part.
 */
export function lazySchema<Schema extends object>(create: () => Schema): Schema;
export function lazySchema(create: () => object): object {
  let schema: object | undefined;
  const created = (): object => (schema ??= create());
  return new Proxy(
    {},
    {
      // Methods run on the schema itself, so that zod never stores state on the proxy.
      get(_, key): unknown {
        const value: unknown = Reflect.get(created(), key);
        return value instanceof Function ? Reflect.apply(Function.prototype.bind, value, [created()]) : value;
      },
      has: (_, key) => key in created(),
      set: (_, key, value) => Reflect.set(created(), key, value),
    },
  );
}
