import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";

/** Headless builds come first, because a page in them takes two thirds of the processor time. */
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

/** The paths of Chrome outside PATH. */
const usualPlaces = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * The browser of CHROME_PATH, else an installed Chromium or Chrome; undefined if there is none, and Playwright looks for its
 * own.
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
 * The features that are switched off: two pages of the address bar, which a browser with a window opens with each page, and
 * those of Playwright's list, because a browser applies only the last list.
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

/** The arguments for tests: without network requests of the browser, and without its sandbox, which does not start as root. */
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

/** Whether a program is a build without a window. @param {string} browser */
export function isHeadlessBuild(browser) {
  return basename(browser).includes("headless");
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing, or in a folder that this user may not read.
    return false;
  }
}
