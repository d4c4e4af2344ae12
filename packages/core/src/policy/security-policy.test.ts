import { describe, expect, it } from "vitest";
import { TokenScope } from "../contract/account.ts";
import { CognitiveMode, Role, TrustLevel } from "../contract/trust.ts";
import { securityPolicy, type Identity, type Permission, type SecurityPolicy } from "./security-policy.ts";

const columns = [
  "owner dual",
  "owner agent",
  "owner emulation",
  "member dual",
  "member agent",
  "member emulation",
  "guest dual",
  "guest agent",
  "guest emulation",
  "anonymous dual",
  "anonymous agent",
  "anonymous emulation",
] as const;

// One mark per column, in that order: y may, - may not.
const table: Record<Permission, string> = {
  canReadMemory: "yyy yyy --- ---",
  canWriteMemory: "yy- yy- --- ---",
  canRecordConversation: "y-- y-- --- ---",
  canLearn: "yy- yy- --- ---",
  canUseOperator: "yyy yyy --y ---",
  canUseSkills: "yy- yy- --- ---",
  canReadRuns: "yyy yyy --- ---",
  canDecideApprovals: "yy- yy- --- ---",
  canManageFunctions: "yy- yy- --- ---",
  canChangeMode: "yyy yyy --- ---",
  canChangeTrust: "yy- yy- --- ---",
  canChangePersona: "yy- yy- --- ---",
  canReadAudit: "yyy yyy --- ---",
  canExport: "yyy yyy --- ---",
  canAdminister: "yyy --- --- ---",
};

function identity(role: Role, mode: CognitiveMode, trustLevel: TrustLevel = "supervised_auto"): Identity {
  return role === "anonymous" ? { role, mode, trustLevel } : { role, mode, trustLevel, username: "greg" };
}

function granted(policy: SecurityPolicy): string[] {
  return Object.entries(policy)
    .filter(([, value]) => value === true)
    .map(([permission]) => permission);
}

const cells = Role.options.flatMap((role) => CognitiveMode.options.map((mode) => ({ role, mode })));

describe("what each role may do in each mode", () => {
  it("is defined for every role and mode", () => {
    expect(cells.map(({ role, mode }) => `${role} ${mode}`)).toEqual(columns);
  });

  it.each(cells.map((cell, column) => ({ ...cell, column })))("$role in $mode", ({ role, mode, column }) => {
    const expected = Object.entries(table)
      .filter(([, marks]) => marks.replaceAll(" ", "")[column] === "y")
      .map(([permission]) => permission);
    expect(granted(securityPolicy(identity(role, mode))).toSorted()).toEqual(expected.toSorted());
  });
});

it.each(TrustLevel.options)(
  "allows learning at %s only if the profile acts on its own, and changes nothing else",
  (trustLevel) => {
    for (const { role, mode } of cells) {
      const usual = granted(securityPolicy(identity(role, mode)));
      const learns = trustLevel === "supervised_auto" || trustLevel === "bounded_auto";
      expect(granted(securityPolicy(identity(role, mode, trustLevel)))).toEqual(
        usual.filter((permission) => learns || permission !== "canLearn"),
      );
    }
  },
);

it("grants nothing to a role without a name", () => {
  for (const { role, mode } of cells) {
    expect(granted(securityPolicy({ role, mode, trustLevel: "bounded_auto" }))).toEqual([]);
  }
});

describe("a token", () => {
  // One mark per scope: read, operate, manage.
  const scopes: Record<Permission, string> = {
    canReadMemory: "yyy",
    canReadRuns: "yyy",
    canReadAudit: "yyy",
    canExport: "yyy",
    canWriteMemory: "-yy",
    canRecordConversation: "-yy",
    canLearn: "-yy",
    canUseOperator: "-yy",
    canUseSkills: "-yy",
    canDecideApprovals: "--y",
    canManageFunctions: "--y",
    canChangeMode: "--y",
    canChangeTrust: "--y",
    canChangePersona: "--y",
    canAdminister: "--y",
  };

  it.each(TokenScope.options.map((scope, column) => ({ scope, column })))(
    "of scope $scope grants nothing beyond it",
    ({ scope, column }) => {
      const expected = Object.entries(scopes)
        .filter(([, marks]) => marks[column] === "y")
        .map(([permission]) => permission);
      expect(granted(securityPolicy(identity("owner", "dual"), scope)).toSorted()).toEqual(
        expected.toSorted(),
      );
    },
  );

  it("grants nothing that its owner may not do", () => {
    for (const { role, mode } of cells)
      for (const scope of TokenScope.options) {
        const usual = granted(securityPolicy(identity(role, mode)));
        expect(usual).toEqual(expect.arrayContaining(granted(securityPolicy(identity(role, mode), scope))));
      }
  });
});

it("is immutable", () => {
  expect(Object.isFrozen(securityPolicy(identity("guest", "dual")))).toBe(true);
});
