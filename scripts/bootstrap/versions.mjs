/** @typedef {[major: number, minor: number, patch: number]} Version */

/**
 * @param {string} text such as "v24.21.0" or "22.18.0-nightly"
 * @returns {Version}
 */
export function parseVersion(text) {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text.trim());
  if (!match) throw new TypeError(`Not a version: ${text}`);
  return [Number(match[1]), Number(match[2]), Number(match[3])];
}

/**
 * Negative when `left` is the older one, 0 when they are equal. Pre-release suffixes are ignored.
 * @param {string} left
 * @param {string} right
 */
export function compareVersions(left, right) {
  const [a, b] = [parseVersion(left), parseVersion(right)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** The advice in every message that asks a person to install Node. */
export const neededNode = "Node 24 or newer, or a 22 from 22.18 on";

/**
 * Whether this Node runs TypeScript sources without a flag. Node 23 is left out, because it reached its end of life before our tools supported it.
 * @param {string} version
 */
export function runsTypeScript(version) {
  const [major] = parseVersion(version);
  return major === 22 ? compareVersions(version, "22.18.0") >= 0 : major >= 24;
}

/**
 * Whether this Node runs the pnpm of `tools/toolchain`.
 * @param {string} version
 */
export function runsPnpm(version) {
  return compareVersions(version, "18.12.0") >= 0;
}

/**
 * Whether `tools/toolchain` has a Node for this machine.
 * @param {string} platform as in `process.platform`
 * @param {string} arch as in `process.arch`
 */
export function hasPackagedNode(platform, arch) {
  return platform === "linux" && (arch === "x64" || arch === "arm64");
}
