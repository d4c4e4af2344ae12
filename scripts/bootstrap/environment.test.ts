import { delimiter } from "node:path";
import { describe, expect, it } from "vitest";
import { installEnvironment, runEnvironment, withoutInheritedConfig } from "./environment.mjs";

describe("the environment from npm", () => {
  it("keeps the settings for registry access", () => {
    const reaching = {
      npm_config_registry: "https://packages.example",
      NPM_CONFIG_CAFILE: "/etc/ca.pem",
      npm_config_cache: "/tmp/cache",
      npm_config_https_proxy: "http://proxy.example",
      "npm_config_@team:registry": "https://team.example",
      "npm_config_//packages.example/:_authToken": "token",
    };
    expect(withoutInheritedConfig({ ...reaching, HOME: "/home/ada" })).toEqual({
      ...reaching,
      HOME: "/home/ada",
    });
  });

  it("drops settings that would change the installation or cause warnings", () => {
    const rest = {
      npm_config_omit: "dev",
      npm_config_nodedir: "/usr",
      NPM_CONFIG_FUND: "false",
      npm_config_prefix: "/x",
    };
    expect(withoutInheritedConfig(rest)).toEqual({});
  });
});

describe("the environment of installers", () => {
  it("installs everything whatever NODE_ENV says, and runs no script that is not allowed", () => {
    const environment = installEnvironment(
      { NODE_ENV: "production", npm_config_omit: "dev" },
      { node: "/n/bin/node" },
    );
    expect(environment.NODE_ENV).toBeUndefined();
    expect(environment.npm_config_omit).toBeUndefined();
    expect(environment.npm_config_dangerously_allow_all_builds).toBe("false");
  });

  it("names the headers of the packaged Node, and only of that", () => {
    const packaged = { node: "/n/bin/node", nodeHeaders: "/n" };
    expect(installEnvironment({ npm_config_nodedir: "/usr" }, packaged).npm_config_nodedir).toBe("/n");
    expect(installEnvironment({}, { node: "/n/bin/node" })).not.toHaveProperty("npm_config_nodedir");
  });
});

describe("the environment of programs", () => {
  it("finds the chosen Node first, by whatever name the path goes", () => {
    expect(runEnvironment({ PATH: "/usr/bin" }, { node: "/n/bin/node" }).PATH).toBe(
      `/n/bin${delimiter}/usr/bin`,
    );
    const windows = runEnvironment({ Path: "/usr/bin" }, { node: "/n/bin/node" });
    expect(windows.Path).toBe(`/n/bin${delimiter}/usr/bin`);
    expect(windows).not.toHaveProperty("PATH");
    expect(runEnvironment({}, { node: "/n/bin/node" }).PATH).toBe("/n/bin");
  });

  it("leaves a person's own compile cache alone", () => {
    expect(runEnvironment({ NODE_COMPILE_CACHE: "/c" }, { node: "/n/bin/node" }).NODE_COMPILE_CACHE).toBe(
      "/c",
    );
  });
});
