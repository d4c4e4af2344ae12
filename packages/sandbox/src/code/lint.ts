import type { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";
import ts from "typescript";
import type { CalledSkill, FunctionSources } from "./code-tools.ts";
import { parse } from "./joined-sources.ts";
import { placeIn } from "./places.ts";

/** The findings, and the skills that the source calls. */
export interface LintResult {
  problems: CodeProblem[];
  skills: CalledSkill[];
}

type Report = (node: ts.Node, message: string) => void;

/** Comments that disable checks. */
const DISABLING_COMMENT = /@ts-(?:ignore|nocheck|expect-error)/gu;
const CODE_GENERATORS = new Set(["eval", "Function"]);
/** `==` and `!=`. */
const LOOSE_EQUALITY: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

/**
 * Finds what the type checker accepts but a function must not do: access anything outside of its module, hide skill
 * calls from the host, generate code from text, disable checks, ignore errors, or leave a skill call without `await`.
 */
export function lint({ source, tests }: FunctionSources): LintResult {
  const problems: CodeProblem[] = [];
  const file = parse("function.ts", source);
  walk(file, reporter(file, "source", problems));
  mainProblem(file, problems);
  if (tests !== undefined) {
    const testFile = parse("tests.ts", tests);
    walk(testFile, reporter(testFile, "tests", problems));
  }
  const skills = [...skillUses(file).called].map(([skill, node]) => ({
    skill,
    at: placeIn(file, "source", node.getStart(file), node.getEnd()),
  }));
  return { problems, skills: skills.sort((one, other) => (one.skill < other.skill ? -1 : 1)) };
}

function reporter(file: ts.SourceFile, part: CodePlace["part"], problems: CodeProblem[]): Report {
  for (const { index, 0: comment } of file.text.matchAll(DISABLING_COMMENT)) {
    const at = placeIn(file, part, index, index + comment.length);
    problems.push({ at, message: `${comment} disables type checks.` });
  }
  return (node, message) => {
    problems.push({ at: placeIn(file, part, node.getStart(file), node.getEnd()), message });
  };
}

function walk(node: ts.Node, report: Report): void {
  rules(node, report);
  ts.forEachChild(node, (child) => walk(child, report));
}

function rules(node: ts.Node, report: Report): void {
  if (ts.isImportDeclaration(node) || ts.isImportEqualsDeclaration(node))
    report(node, "A function cannot import modules. It reaches files, tasks and the web through skills.");
  else if (ts.isExportDeclaration(node) && node.moduleSpecifier) report(node, "A function cannot re-export.");
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    report(node, "A function cannot load code at run time.");
  else if (ts.isIdentifier(node) && CODE_GENERATORS.has(node.text) && isValue(node))
    report(node, `${node.text} creates code from text, which cannot be checked.`);
  else if (ts.isIdentifier(node) && node.text === "skills" && isValue(node)) skillUse(node, report);
  else if (ts.isCatchClause(node) && node.block.statements.length === 0)
    report(node, "This ignores an error. Handle it or rethrow it.");
  else if (node.kind === ts.SyntaxKind.AnyKeyword)
    report(node, "any disables type checks. Name the type, or use unknown.");
  else if (ts.isBinaryExpression(node) && LOOSE_EQUALITY.has(node.operatorToken.kind))
    report(
      node.operatorToken,
      `${node.operatorToken.getText()} converts what it compares. Use ${node.operatorToken.getText()}=.`,
    );
  else if (ts.isVariableDeclarationList(node) && (node.flags & ts.NodeFlags.BlockScoped) === 0)
    report(node, "var is visible outside its block. Use const or let.");
  else if (isNamed(node, "stack"))
    report(node, "A function cannot read the call stack, which differs between tests and real runs.");
  else if (ts.isDebuggerStatement(node)) report(node, "debugger does nothing here.");
  else if (ts.isExpressionStatement(node) && isSkillCall(node.expression))
    report(node, "Nothing waits for this call. Write await in front of it.");
  else if (isAssignmentTo(node, "prototype") || isAssignmentTo(node, "__proto__"))
    report(node, "This changes a shared prototype.");
}

/** Whether the identifier is a value, not the name of a property or type. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return !ts.isTypeNode(parent) && !ts.isPropertySignature(parent) && !ts.isMethodDeclaration(parent);
}

/** How a source uses skills. */
export interface SkillUses {
  /** The skills that it calls, in source order, each with its first use. */
  called: ReadonlyMap<string, ts.Node>;
  /** The uses from which no name can be read: `skills[name]`, `const all = skills`. */
  hidden: readonly ts.Node[];
}

/** Reads the skills that a source calls: `skills.fs_read`, `skills["fs_read"]` and `const { fs_read } = skills`. */
export function skillUses(file: ts.SourceFile): SkillUses {
  const called = new Map<string, ts.Node>();
  const hidden: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === "skills" && isValue(node)) {
      const names = namesUsed(node);
      if (names === undefined) hidden.push(node);
      for (const name of names ?? []) if (!called.has(name)) called.set(name, node.parent);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { called, hidden };
}

/** The names of the skills at one use of `skills`; undefined if they are not written there. */
function namesUsed(node: ts.Identifier): string[] | undefined {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return [parent.name.text];
  if (ts.isElementAccessExpression(parent) && ts.isStringLiteralLike(parent.argumentExpression))
    return [parent.argumentExpression.text];
  if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) {
    const names = parent.name.elements.map(({ propertyName, name, dotDotDotToken }) => {
      const key = propertyName ?? name;
      return dotDotDotToken === undefined && (ts.isIdentifier(key) || ts.isStringLiteralLike(key))
        ? key.text
        : undefined;
    });
    return names.every((name) => name !== undefined) ? names : undefined;
  }
  return undefined;
}

/** Requires skills to be called as properties, so that the source shows which skills it calls. */
function skillUse(node: ts.Identifier, report: Report): void {
  const { parent } = node;
  if (!ts.isPropertyAccessExpression(parent))
    report(node, "Call skills by name, as in skills.fs_read({ … }).");
  else if (parent.name.text === "function" && !ts.isPropertyAccessExpression(parent.parent))
    report(node, "Call functions by name, as in skills.function.name({ … }).");
}

function isSkillCall(expression: ts.Expression): boolean {
  return (
    ts.isCallExpression(expression) &&
    ts.isPropertyAccessExpression(expression.expression) &&
    expression.expression.expression.getText() === "skills"
  );
}

/** Whether the node accesses the property of that name. */
function isNamed(node: ts.Node, property: string): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === property;
  if (ts.isElementAccessExpression(node))
    return ts.isStringLiteralLike(node.argumentExpression) && node.argumentExpression.text === property;
  return ts.isBindingElement(node) && (node.propertyName ?? node.name).getText() === property;
}

function isAssignmentTo(node: ts.Node, property: string): boolean {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return false;
  for (
    let target: ts.Expression = node.left;
    ts.isPropertyAccessExpression(target) || ts.isElementAccessExpression(target);
    target = target.expression
  )
    if (ts.isPropertyAccessExpression(target) && target.name.text === property) return true;
  return false;
}

/** Requires exactly one export, `main`, a function with at most one parameter. */
function mainProblem(file: ts.SourceFile, problems: CodeProblem[]): void {
  const exported = file.statements.filter(
    (statement) =>
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true &&
      !ts.isInterfaceDeclaration(statement) &&
      !ts.isTypeAliasDeclaration(statement),
  );
  const names = exported.flatMap(namesOf);
  if (!names.some(({ name }) => name === "main"))
    problems.push({ message: "It does not export a function called main." });
  for (const { name, parameters } of names) {
    if (name !== "main") problems.push({ message: `It exports ${name}. Export only main.` });
    else if (parameters === undefined) problems.push({ message: "main is not a function declaration." });
    else if (parameters > 1) problems.push({ message: "main must take one object of parameters." });
  }
}

function namesOf(statement: ts.Statement): { name: string; parameters: number | undefined }[] {
  if (ts.isFunctionDeclaration(statement))
    return [{ name: statement.name?.text ?? "default", parameters: statement.parameters.length }];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name, initializer }) => ({
      name: name.getText(),
      parameters:
        initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
          ? initializer.parameters.length
          : undefined,
    }));
  return [{ name: "something else", parameters: undefined }];
}
