import ts from "typescript";

export interface FloatingPromise {
  node: ts.Node;
  message: string;
}

/**
 * Finds promises that are not awaited, returned or handled: statements that are a promise or a list of promises, and
 * async functions passed where a void result is expected. Implements `no-floating-promises` (with `ignoreVoid:
 * false`) and the callbacks of `no-misused-promises` of typescript-eslint on the program that the type checker has
 * already created.
 */
export function floatingPromises(file: ts.SourceFile, checker: ts.TypeChecker): FloatingPromise[] {
  const found: FloatingPromise[] = [];
  visit(file);
  return found;

  function visit(node: ts.Node): void {
    if (ts.isExpressionStatement(node)) statement(node.expression);
    else if (ts.isCallExpression(node) || ts.isNewExpression(node))
      for (const argument of node.arguments ?? []) callback(argument);
    ts.forEachChild(node, visit);
  }

  function statement(expression: ts.Expression): void {
    const floating = discardedPromise(expression);
    if (floating) found.push(floating);
  }

  /** Returns the promise that an expression creates and discards. */
  function discardedPromise(expression: ts.Expression): FloatingPromise | undefined {
    if (ts.isParenthesizedExpression(expression) || ts.isVoidExpression(expression))
      return discardedPromise(expression.expression);
    if (ts.isConditionalExpression(expression))
      return discardedPromise(expression.whenTrue) ?? discardedPromise(expression.whenFalse);
    if (ts.isBinaryExpression(expression)) {
      const { kind } = expression.operatorToken;
      if (kind === ts.SyntaxKind.CommaToken)
        return discardedPromise(expression.left) ?? discardedPromise(expression.right);
      if (SHORT_CIRCUITS.has(kind)) return discardedPromise(expression.right);
      return undefined;
    }
    const type = checker.getTypeAtLocation(expression);
    if (isPromise(type))
      return isHandled(expression)
        ? undefined
        : { node: expression, message: "This promise is not awaited. Write await in front of it." };
    const element = checker.isArrayLikeType(type) ? type.getNumberIndexType() : undefined;
    return element && isPromise(element)
      ? { node: expression, message: "These promises are not awaited. Await Promise.all of them." }
      : undefined;
  }

  /** An async function passed where a void result is expected. */
  function callback(argument: ts.Expression): void {
    if (!ts.isArrowFunction(argument) && !ts.isFunctionExpression(argument) && !ts.isIdentifier(argument))
      return;
    const signatures = checker.getTypeAtLocation(argument).getCallSignatures();
    const expected = checker.getContextualType(argument)?.getCallSignatures() ?? [];
    const isDropped =
      signatures.some((signature) => isPromise(signature.getReturnType())) &&
      expected.length > 0 &&
      expected.every((signature) => (signature.getReturnType().flags & ts.TypeFlags.Void) !== 0);
    if (isDropped)
      found.push({
        node: argument,
        message: "The results of this async function are not awaited. Use for…of with await.",
      });
  }

  function isPromise(type: ts.Type): boolean {
    if (type.isUnion()) return type.types.some(isPromise);
    const then = checker.getApparentType(type).getProperty("then");
    return then !== undefined && checker.getTypeOfSymbol(then).getCallSignatures().length > 0;
  }

  /** Whether rejections are handled: `.catch(f)` or `.then(f, g)`, possibly followed by `.finally`. */
  function isHandled(expression: ts.Expression): boolean {
    if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression))
      return false;
    const { name, expression: promise } = expression.expression;
    if (name.text === "catch") return expression.arguments.length > 0;
    if (name.text === "then") return expression.arguments.length > 1;
    return name.text === "finally" && isHandled(promise);
  }
}

const SHORT_CIRCUITS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);
