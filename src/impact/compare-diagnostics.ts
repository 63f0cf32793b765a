import { ts } from "ts-morph";

/** An error that a file has only with the new generated code. */
export interface NewError {
  readonly start: number;
  readonly length: number;
  /** In one line. */
  readonly message: string;
  /** Files that the compiler points to as well: where an expected type is declared. */
  readonly related: readonly string[];
}

/**
 * The errors of a file in one program and not in the other. Its text is the same in both, so an error is known by its
 * place: what was wrong before is not the change's fault, whatever the compiler says of it now.
 */
export function compareDiagnostics(path: string, before: ts.Program, after: ts.Program): readonly NewError[] {
  const known = new Set(findErrors(path, before).map(({ start }) => start));
  return findErrors(path, after).flatMap((error) => {
    if (error.start === undefined || known.has(error.start)) return [];
    return [
      {
        start: error.start,
        length: error.length ?? 0,
        message: ts.flattenDiagnosticMessageText(error.messageText, " "),
        related: (error.relatedInformation ?? []).flatMap(({ file }) => file?.fileName ?? []),
      },
    ];
  });
}

/** The errors of a file. A program finds them once. */
export function findErrors(path: string, program: ts.Program): readonly ts.Diagnostic[] {
  const file = program.getSourceFile(path);
  return file === undefined
    ? []
    : program.getSemanticDiagnostics(file).filter(({ category }) => category === ts.DiagnosticCategory.Error);
}
