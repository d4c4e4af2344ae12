/** The dimension of a unit, and its size in the smallest unit of that dimension. */
const UNITS: readonly (readonly [measure: string, size: number, names: string])[] = [
  ["data", 1, "byte bytes octets"],
  ["data", 1000, "kb kib kilobyte kilobytes ko"],
  ["data", 1e6, "mb mib megabyte megabytes mo"],
  ["data", 1e9, "gb gib gigabyte gigabytes go"],
  ["time", 1 / 60_000, "ms milliseconds millisekunden"],
  ["time", 1 / 60, "s sec second seconds sekunde sekunden seconde secondes segundo segundos"],
  ["time", 1, "min mins minute minutes minuten minuto minutos"],
  ["time", 60, "h hour hours stunde stunden heure heures hora horas"],
  [
    "time",
    1440,
    "day days night nights tag tage tagen nacht nächte nächten jour jours nuit nuits día días noche noches",
  ],
  ["time", 10_080, "week weeks woche wochen semaine semaines semana semanas"],
  ["time", 43_800, "month months monat monate monaten mois mes meses"],
  ["time", 525_600, "year years jahr jahre jahren an ans année années año años"],
  ["length", 0.001, "mm millimetre millimetres millimeter"],
  ["length", 0.01, "cm centimetre centimetres centimeter"],
  ["length", 1, "m metre metres meter meters mètre mètres metro metros"],
  ["length", 1000, "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro kilómetros"],
  ["length", 0.3048, "ft foot feet"],
  ["length", 0.0254, "inch inches zoll pouces pulgadas"],
  ["length", 1609.344, "mile miles meilen milles millas"],
  ["mass", 1, "g gram grams gramm gramme grammes gramo gramos"],
  ["mass", 1000, "kg kilo kilos kilogram kilograms kilogramm"],
  ["mass", 453.592, "lb lbs pound pounds"],
  ["mass", 28.3495, "oz ounce ounces"],
  ["volume", 0.001, "ml millilitre millilitres milliliter"],
  ["volume", 1, "l litre litres liter liters litro litros"],
  ["money", 1, "€ eur euro euros $ usd dollar dollars £ gbp chf nok sek dkk franken francs"],
  ["share", 0.01, "% percent prozent"],
];

const units = new Map(
  UNITS.flatMap(([measure, size, names]) =>
    names.split(" ").map((name) => [name, { measure, size }] as const),
  ),
);

/** The dimension of a unit; `""` for a word that is not a unit. */
export const measureOf = (unit: string): string => units.get(unit)?.measure ?? "";

/** The factors that convert a number with this unit to the other units of its measure. */
export function conversionsOf(unit: string): number[] {
  const own = units.get(unit);
  if (!own || own.measure === "money") return [];
  const sizes = new Set(UNITS.filter(([measure]) => measure === own.measure).map(([, size]) => size));
  const factors = [...sizes].filter((size) => size !== own.size).map((size) => own.size / size);
  return own.measure === "data"
    ? [...factors, 1024, 1024 ** 2, 1024 ** 3]
    : own.measure === "share"
      ? [0.01]
      : factors;
}

const FACTORS: ReadonlyMap<string, number> = new Map([
  ...["million", "millions", "millionen", "mio", "millones", "millón"].map((word) => [word, 1e6] as const),
  ...["k", "thousand", "tausend", "mille", "mil", "tsd"].map((word) => [word, 1e3] as const),
]);

/** The factor of a word after a number: a million in "3 million". */
export const multiplierOf = (unit: string): number | undefined => FACTORS.get(unit.toLowerCase());
