import { dirname, delimiter, join } from "node:path";
import { caches } from "./paths.mjs";

/** Variables that configure access to the registry, as opposed to npm's behavior. */
const reaching =
  /^(registry|.*:registry|\/\/.*|userconfig|globalconfig|cache|cache_dir|store_dir|ca|cafile|cert|key|strict_ssl|proxy|https?_proxy|no_?proxy|offline|prefer_offline|fetch_.*|network_concurrency)$/;

/**
 * Removes the `npm_config_*` variables with which npm passes on the person's configuration, because pnpm and a nested npm
 * would apply them or warn about them. Keeps those that are needed to reach the registry.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutInheritedConfig(environment) {
  const inherited = Object.entries(environment).filter(([name]) => {
    const setting = /^npm_config_(.+)$/i.exec(name)?.[1];
    return setting === undefined || reaching.test(setting.toLowerCase().replaceAll("-", "_"));
  });
  return Object.fromEntries(inherited);
}

/**
 * The environment in which installers run: everything is installed, whatever NODE_ENV says, and no install script runs
 * but those that pnpm-workspace.yaml allows.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @param {{ node: string, nodeHeaders?: string }} tools
 * @returns {NodeJS.ProcessEnv}
 */
export function installEnvironment(environment, tools) {
  return {
    ...runEnvironment(withoutInheritedConfig(environment), tools),
    NODE_ENV: undefined,
    npm_config_confirm_modules_purge: "false",
    npm_config_dangerously_allow_all_builds: "false",
    npm_config_manage_package_manager_versions: "false",
    npm_config_update_notifier: "false",
    ...(tools.nodeHeaders === undefined ? {} : { npm_config_nodedir: tools.nodeHeaders }),
  };
}

/**
 * The environment for everything else: `node` is the chosen one, and compiled sources are cached between starts.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @param {{ node: string }} tools
 * @returns {NodeJS.ProcessEnv}
 */
export function runEnvironment(environment, { node }) {
  const pathName = Object.keys(environment).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  const path = [dirname(node), environment[pathName]].filter(Boolean).join(delimiter);
  return {
    ...environment,
    [pathName]: path,
    ASTRO_TELEMETRY_DISABLED: "1",
    NODE_COMPILE_CACHE: environment.NODE_COMPILE_CACHE ?? join(caches, "compile"),
  };
}
