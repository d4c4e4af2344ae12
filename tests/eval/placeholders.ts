/** The seven days by the number that `Date.getDay` gives them. */
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/**
 * Fills `{{name}}` in every string and key of a JSON value. Besides the given values there are days, written as ISO dates:
 * `{{today}}`, `{{today+3}}`, `{{coming friday}}` (the first one after today), `{{coming friday+7}}`, `{{on 12-24}}` (the
 * next one, today included) and `{{month end}}`.
 * @throws an Error that names a placeholder without a value
 */
export function fillPlaceholders(
  value: unknown,
  values: Readonly<Record<string, string>>,
  today: Date,
): unknown {
  if (typeof value === "string") {
    return value.replaceAll(/\{\{(.+?)\}\}/gu, (_, name: string) => {
      const filled = Object.hasOwn(values, name) ? values[name] : dayNamed(name, today);
      if (filled === undefined) throw new Error(`The placeholder {{${name}}} has no value.`);
      return filled;
    });
  }
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, values, today));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      String(fillPlaceholders(key, values, today)),
      fillPlaceholders(item, values, today),
    ]),
  );
}

/** The local day of a moment as an ISO date. */
export function isoDay(moment: Date): string {
  const part = (number: number): string => String(number).padStart(2, "0");
  return `${String(moment.getFullYear())}-${part(moment.getMonth() + 1)}-${part(moment.getDate())}`;
}

function dayNamed(name: string, today: Date): string | undefined {
  const after = (days: number): string =>
    isoDay(new Date(today.getFullYear(), today.getMonth(), today.getDate() + days));
  const [, base = "", plus = "0"] = /^(.+?)(?:\+(\d+))?$/u.exec(name) ?? [];
  if (base === "today") return after(Number(plus));
  if (base === "month end") return isoDay(new Date(today.getFullYear(), today.getMonth() + 1, 0));
  const weekday = WEEKDAYS.indexOf(base.replace(/^coming /u, ""));
  if (base.startsWith("coming ") && weekday !== -1)
    return after(((weekday - today.getDay() + 6) % 7) + 1 + Number(plus));
  const [, month, day] = /^on (\d\d)-(\d\d)$/u.exec(base) ?? [];
  if (month === undefined || day === undefined) return undefined;
  const thisYear = `${String(today.getFullYear())}-${month}-${day}`;
  return thisYear >= isoDay(today) ? thisYear : `${String(today.getFullYear() + 1)}-${month}-${day}`;
}
