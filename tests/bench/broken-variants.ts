import ts from "typescript";

/** A source with one mutation and its description. */
export interface Variant {
  what: string;
  source: string;
}

const OPERATORS: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.PlusToken]: "-",
  [ts.SyntaxKind.MinusToken]: "+",
  [ts.SyntaxKind.AsteriskToken]: "+",
  [ts.SyntaxKind.LessThanToken]: ">=",
  [ts.SyntaxKind.GreaterThanToken]: "<=",
  [ts.SyntaxKind.LessThanEqualsToken]: ">",
  [ts.SyntaxKind.GreaterThanEqualsToken]: "<",
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: "===",
};

/**
 * Breaks a function in ways that its checks must notice: it returns nothing, throws, never ends, or stops before its end
 * as if all were well; and with one comparison or sum turned round, which only some checks notice (`mutants`).
 */
export function brokenVariants(entry: string, source: string): { certain: Variant[]; mutants: Variant[] } {
  const file = ts.createSourceFile("task.ts", source, ts.ScriptTarget.ESNext, true);
  const body = bodyOf(file);
  const at = body.getStart(file) + 1;
  const begun = (statement: string): string => `${source.slice(0, at)}\n${statement}\n${source.slice(at)}`;
  const certain = [
    { what: "returns nothing", source: begun("return undefined as never;") },
    { what: "returns an object nobody expects", source: begun("return { unexpected: true } as never;") },
    { what: "throws", source: begun('throw new Error("broken");') },
    { what: "never ends", source: begun("for (;;);") },
    { what: "recurses without end", source: begun(`return (${entry} as () => never)();`) },
    { what: "has a syntax error at its end", source: `${source}\n/* not finished` },
    { what: "waits for ever behind its definition", source: `${source}\nawait new Promise(() => {});` },
    { what: "is another function", source: source.replace(`const ${entry} `, "const unrelated ") },
  ];
  const mutants: Variant[] = [];
  const visit = (node: ts.Node): void => {
    const turned = ts.isBinaryExpression(node) ? OPERATORS[node.operatorToken.kind] : undefined;
    if (turned !== undefined && ts.isBinaryExpression(node)) {
      const { operatorToken } = node;
      mutants.push({
        what: `${operatorToken.getText(file)} turned into ${turned}`,
        source: source.slice(0, operatorToken.getStart(file)) + turned + source.slice(operatorToken.getEnd()),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return { certain, mutants };
}

function bodyOf(file: ts.SourceFile): ts.Block {
  let found: ts.Block | undefined;
  const visit = (node: ts.Node): void => {
    if (!found && ts.isFunctionExpression(node)) found = node.body;
    if (!found) ts.forEachChild(node, visit);
  };
  visit(file);
  if (!found) throw new Error("a task is one function expression");
  return found;
}
