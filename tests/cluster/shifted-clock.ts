/** Shifts the clock of this process by `SHIFT_CLOCK_MS`: `node --import shifted-clock.ts …`. */
const shiftMs = Number(process.env["SHIFT_CLOCK_MS"]);
const actualNow = Date.now.bind(Date);
Date.now = () => actualNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct(target, values, newTarget) {
    const made: unknown = Reflect.construct(target, values.length === 0 ? [target.now()] : values, newTarget);
    if (made instanceof target) return made;
    throw new TypeError("no date was made");
  },
  apply: (target) => new target(target.now()).toString(),
});
