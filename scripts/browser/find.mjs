import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Those without a window of their own come first: a page in them costs two thirds. */
const names = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "chrome.exe",
];

/** Where Chrome is when it is not on the PATH. */
const usualPlaces = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * The browser named by CHROME_PATH, else an installed Chromium or Chrome. Nothing when there is none: Playwright then
 * looks for its own.
 *
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {string | undefined}
 */
export function findBrowser(environment = process.env) {
  if (environment.CHROME_PATH) return environment.CHROME_PATH;
  const folders = (environment.PATH ?? environment.Path ?? "").split(delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...onPath, ...usualPlaces].find(isProgram);
}

/**
 * What a browser with a window does for each page it opens and no test sees: two pages of its address bar. With them what
 * Playwright switches off, whose list this one replaces: of two the last counts.
 */
const unseen = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

/** How the browser is started for tests: quiet on the network, and usable by root, whom its sandbox refuses. */
export function browserFlags() {
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return [
    "--disable-background-networking",
    "--disable-component-update",
    `--disable-features=${unseen.join(",")}`,
    "--disable-sync",
    "--no-first-run",
    ...asRoot,
  ];
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Absent, or in a folder we may not look into: not a program for us either way.
    return false;
  }
}
