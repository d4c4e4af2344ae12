import { describe, expect, it } from "vitest";
import {
  applySettingsEdit,
  effectiveFunctionSettings,
  type FunctionDefaults,
  FunctionSettings,
  overridableSettings,
} from "./function-settings.ts";

const DEFAULTS: FunctionDefaults = {
  autoRegister: false,
  requireApproval: true,
  maxPerProfile: 500,
  searchThreshold: "auto",
  prefer: true,
};
const OWN: Required<FunctionSettings> = {
  autoRegister: true,
  requireApproval: false,
  maxPerProfile: 20,
  searchThreshold: 0.4,
  prefer: false,
};

describe("the function settings of a profile", () => {
  it("override every default", () => {
    expect(Object.keys(OWN).toSorted()).toEqual(Object.keys(FunctionSettings.shape).toSorted());
    expect(effectiveFunctionSettings(DEFAULTS, OWN)).toEqual(OWN);
  });

  it("leave other configuration as it is, and a default where nothing is set", () => {
    const config = { ...DEFAULTS, maxDepth: 3 };
    expect(effectiveFunctionSettings(config, { prefer: undefined })).toEqual(config);
    expect(overridableSettings(config)).toEqual(DEFAULTS);
  });

  it("never exceed the maximum number of functions of the installation", () => {
    expect(effectiveFunctionSettings(DEFAULTS, { maxPerProfile: 9_000 }).maxPerProfile).toBe(500);
  });
});

it("restores a default by null and keeps what an edit does not name", () => {
  expect(applySettingsEdit(OWN, { prefer: null, maxPerProfile: 30 })).toEqual({
    autoRegister: true,
    requireApproval: false,
    maxPerProfile: 30,
    searchThreshold: 0.4,
  });
});
