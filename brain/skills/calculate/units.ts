import { InvalidArgsError } from "@metahuman/core/errors/request-errors";

/**
 * A unit of measurement and its relation to the base unit of its kind: m, kg, l, m², m/s, s, B, °C, J, W, Pa, l/100km.
 */
export interface Unit {
  kind:
    | "length"
    | "mass"
    | "volume"
    | "area"
    | "speed"
    | "time"
    | "data"
    | "temperature"
    | "energy"
    | "power"
    | "pressure"
    | "consumption";
  symbol: string;
  /** Converts an amount into the base unit and back; a factor for all but temperatures and miles per gallon. */
  toBase: (amount: number) => number;
  fromBase: (amount: number) => number;
}

const byFactor = (kind: Unit["kind"], symbol: string, factor: number): Unit => ({
  kind,
  symbol,
  toBase: (amount) => amount * factor,
  fromBase: (amount) => amount / factor,
});

/** The mean year of the Gregorian calendar, in seconds. */
const YEAR = 365.2425 * 86_400;

/**
 * Names of each unit, the symbol first, with its factor; `_` stands for a space. Sources: SI brochure, NIST Handbook 44 (US
 * customary).
 */
const FACTORS: readonly (readonly [kind: Unit["kind"], factor: number, names: string])[] = [
  ["length", 1, "m metre meter metres meters"],
  ["length", 1_000, "km kilometre kilometer kilometres kilometers kms"],
  ["length", 0.01, "cm centimetre centimeter centimetres centimeters"],
  ["length", 0.001, "mm millimetre millimeter millimetres millimeters"],
  ["length", 0.0254, "in inch inches"],
  ["length", 0.3048, "ft foot feet"],
  ["length", 0.9144, "yd yard yards"],
  ["length", 1_609.344, "mi mile miles"],
  ["length", 1_852, "nmi nautical_mile nautical_miles"],
  ["mass", 1, "kg kilo kilos kilogram kilograms kilogramme kilogrammes"],
  ["mass", 0.001, "g gram grams gramme grammes"],
  ["mass", 0.000_001, "mg milligram milligrams"],
  ["mass", 0.000_000_001, "µg mcg ug microgram micrograms"],
  ["mass", 1_000, "t tonne tonnes"],
  ["mass", 0.453_592_37, "lb pound pounds lbs"],
  ["mass", 0.028_349_523_125, "oz ounce ounces"],
  ["mass", 6.350_293_18, "st stone stones"],
  ["volume", 1, "l litre liter litres liters"],
  ["volume", 0.001, "ml millilitre milliliter millilitres milliliters"],
  ["volume", 0.01, "cl centilitre centiliter centilitres centiliters"],
  ["volume", 0.1, "dl decilitre deciliter decilitres deciliters"],
  ["volume", 3.785_411_784, "gal gallon gallons"],
  ["volume", 0.946_352_946, "qt quart quarts"],
  ["volume", 0.473_176_473, "pt pint pints"],
  ["volume", 0.236_588_236_5, "cup cups"],
  ["volume", 0.014_786_764_781_25, "tbsp tablespoon tablespoons"],
  ["volume", 0.004_928_921_593_75, "tsp teaspoon teaspoons"],
  ["area", 10_000, "ha hectare hectares"],
  ["area", 4_046.856_422_4, "ac acre acres"],
  ["speed", 1 / 3.6, "km/h kmh kph"],
  ["speed", 0.447_04, "mph"],
  ["speed", 1, "m/s"],
  ["speed", 1_852 / 3_600, "kn knot knots kt kts"],
  ["time", 1, "s sec secs second seconds"],
  ["time", 60, "min mins minute minutes"],
  ["time", 3_600, "h hr hrs hour hours"],
  ["time", 86_400, "d day days"],
  ["time", 604_800, "wk week weeks"],
  ["time", YEAR / 12, "mo month months"],
  ["time", YEAR, "yr year years yrs"],
  ["data", 1, "B byte bytes"],
  ["data", 1_000, "kB kilobyte kilobytes"],
  ["data", 1_000_000, "MB megabyte megabytes"],
  ["data", 1_000_000_000, "GB gigabyte gigabytes"],
  ["data", 1_000_000_000_000, "TB terabyte terabytes"],
  ["data", 1 / 8, "bit bits"],
  ["data", 1_000 / 8, "kbit kilobit kilobits"],
  ["data", 1_000_000 / 8, "Mbit megabit megabits"],
  ["data", 1_000_000_000 / 8, "Gbit gigabit gigabits"],
  ["data", 1_000_000_000_000 / 8, "Tbit terabit terabits"],
  ["data", 1_024, "KiB kibibyte kibibytes"],
  ["data", 1_048_576, "MiB mebibyte mebibytes"],
  ["data", 1_073_741_824, "GiB gibibyte gibibytes"],
  ["energy", 1, "J joule joules"],
  ["energy", 1_000, "kJ kilojoule kilojoules"],
  ["energy", 4_184, "kcal kilocalorie kilocalories"],
  ["energy", 3_600_000, "kWh kilowatt_hour kilowatt_hours"],
  ["power", 1, "W watt watts"],
  ["power", 1_000, "kW kilowatt kilowatts"],
  ["power", 745.699_871_582_27, "hp horsepower"],
  ["pressure", 1, "Pa pascal pascals"],
  ["pressure", 100, "hPa hectopascal hectopascals mbar millibar millibars"],
  ["pressure", 1_000, "kPa kilopascal kilopascals"],
  ["pressure", 100_000, "bar bars"],
  ["pressure", 6_894.757_293_168, "psi"],
  ["pressure", 101_325, "atm atmosphere atmospheres"],
];

/**
 * Symbols that differ from another one only in their case. In lower case they mean the other one, as people write it: "20 mb" are
 * megabytes, and "20 Mb" megabits.
 */
const CASE_SENSITIVE: Readonly<Record<string, string>> = {
  Kb: "kbit",
  Mb: "Mbit",
  Gb: "Gbit",
  Tb: "Tbit",
  Mg: "t",
};

/** The unit of area for a unit of length, by its names: "m²", "sq ft", "square miles". */
function squareOf(factor: number, names: string): readonly [Unit["kind"], number, string] {
  const unitNames = names.split(" ");
  const [symbol = ""] = unitNames;
  const spelled = unitNames.flatMap((name) => [`square_${name}`, `sq_${name}`]);
  return ["area", factor ** 2, [`${symbol}²`, `${symbol}2`, `sq${symbol}`, ...spelled].join(" ")];
}

const SQUARES = FACTORS.flatMap(([kind, factor, names]) =>
  kind === "length" ? [squareOf(factor, names)] : [],
);

/** Liters per 100 km times miles per US gallon. */
const CONSUMPTION = 235.214_583_333;
const perDistance = (amount: number): number => CONSUMPTION / amount;
const identity = (amount: number): number => amount;

/** Units that are converted by more than a factor. */
const OTHERS: readonly (readonly [names: string, unit: Omit<Unit, "symbol">])[] = [
  ["°C c celsius centigrade", { kind: "temperature", toBase: identity, fromBase: identity }],
  [
    "°F f fahrenheit",
    {
      kind: "temperature",
      toBase: (amount) => ((amount - 32) * 5) / 9,
      fromBase: (amount) => (amount * 9) / 5 + 32,
    },
  ],
  [
    "K kelvin",
    {
      kind: "temperature",
      toBase: (amount) => amount - 273.15,
      fromBase: (amount) => amount + 273.15,
    },
  ],
  ["l/100km", { kind: "consumption", toBase: identity, fromBase: identity }],
  ["mpg", { kind: "consumption", toBase: perDistance, fromBase: perDistance }],
];

const normalizeName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^degrees?\s+/u, "")
    .replace(/^sq\./u, "sq")
    .replace(/[.\s]+$/u, "")
    .replace("l/100 km", "l/100km")
    .replaceAll(/\s+/gu, "_");

const UNITS: ReadonlyMap<string, Unit> = new Map(
  [
    ...[...FACTORS, ...SQUARES].map(([kind, factor, names]) => ({
      names,
      unit: byFactor(kind, names.split(" ")[0] ?? "", factor),
    })),
    ...OTHERS.map(([names, unit]) => ({ names, unit: { symbol: names.split(" ")[0] ?? "", ...unit } })),
  ].flatMap(({ names, unit }) => names.split(" ").map((name): [string, Unit] => [normalizeName(name), unit])),
);

/** A name or symbol of a unit: one word, or two such as "square feet". For a pattern that ignores the case. */
export const UNIT_NAME = String.raw`(?:l/100 ?km|(?:degrees?|square|sq\.?|nautical|kilowatt) \p{L}{1,14}|°?[\p{L}²/]{1,14}\d?)`;

/** The unit with this name or symbol. */
export const unitNamed = (name: string): Unit | undefined =>
  UNITS.get(normalizeName(Object.hasOwn(CASE_SENSITIVE, name) ? (CASE_SENSITIVE[name] ?? name) : name));

/** In °C, with room for what rounding does to −459.67 °F. */
const ABSOLUTE_ZERO = -273.15 - 1e-9;

/**
 * Converts an amount; undefined for units of different kinds. Throws `InvalidArgsError` for a temperature below absolute zero,
 * and for a consumption that is not positive, which has no counterpart in miles per gallon.
 */
export function convert(amount: number, from: Unit, to: Unit): number | undefined {
  if (from.kind !== to.kind) return undefined;
  if (from === to) return amount;
  const base = from.toBase(amount);
  if (from.kind === "temperature" && base < ABSOLUTE_ZERO)
    throw new InvalidArgsError(`${String(amount)} ${from.symbol} is below absolute zero.`);
  if (from.kind === "consumption" && amount <= 0)
    throw new InvalidArgsError("A consumption must be greater than zero.");
  return to.fromBase(base);
}
