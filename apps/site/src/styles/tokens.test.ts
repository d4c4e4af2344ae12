import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Oklch {
  lightness: number;
  chroma: number;
  hue: number;
}

type Theme = "light" | "dark";

const source = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

/** Relative luminance (WCAG 2.2) of an OKLCH colour; the matrices are those of Ottosson's Oklab (2020). */
function luminance({ lightness, chroma, hue }: Oklch): number {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short;
  const green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short;
  const blue = -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short;
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return 0.2126 * clamp(red) + 0.7152 * clamp(green) + 0.0722 * clamp(blue);
}

function colour(token: string, theme: Theme): Oklch {
  const number = "([\\d.]+)";
  const oklch = `oklch\\(${number} ${number} ${number}\\)`;
  const found = new RegExp(`--${token}: light-dark\\(${oklch}, ${oklch}\\)`).exec(source);
  if (!found) throw new Error(`tokens.css has no plain colour --${token}`);
  const [lightness, chroma, hue] = found.slice(theme === "light" ? 1 : 4).map(Number);
  return { lightness: lightness ?? 0, chroma: chroma ?? 0, hue: hue ?? 0 };
}

function contrast(foreground: string, background: string, theme: Theme): number {
  const [one, two] = [luminance(colour(foreground, theme)), luminance(colour(background, theme))];
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}

describe.each<Theme>(["light", "dark"])("the %s tokens", (theme) => {
  it.each(["paper", "raised", "sunken"])("let body text be read with ease on %s (AAA)", (background) => {
    expect(contrast("ink", background, theme)).toBeGreaterThanOrEqual(7);
    expect(contrast("ink-2", background, theme)).toBeGreaterThanOrEqual(7);
  });

  it.each(["paper", "raised", "sunken"])(
    "keep hints and coloured words readable on %s (AA)",
    (background) => {
      for (const token of ["ink-3", "accent", "verified", "draft", "risk"]) {
        expect(contrast(token, background, theme), token).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  it.each(["accent", "verified", "draft", "risk"])("keep %s and ink readable on its own wash", (token) => {
    expect(contrast(token, `${token}-wash`, theme)).toBeGreaterThanOrEqual(4.5);
    expect(contrast("ink", `${token}-wash`, theme)).toBeGreaterThanOrEqual(7);
  });

  it.each(["accent", "risk"])("keep the label of a filled %s control readable", (token) => {
    expect(contrast(`on-${token}`, token, theme)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["paper", "raised", "sunken"])("draw the outline of a control visibly on %s", (background) => {
    expect(contrast("line-strong", background, theme)).toBeGreaterThanOrEqual(3);
  });
});
