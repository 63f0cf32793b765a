import { ts } from "ts-morph";

/** An error in a file that occurs only with the new generated code. */
export interface NewError {
  readonly start: number;
  readonly length: number;
  /** In one line. */
  readonly message: string;
  /** Other files that the compiler refers to: the declarations of expected types. */
  readonly related: readonly string[];
}

/**
 * Returns the errors of a file that are in one program but not in the other. Both have the same text, so errors are
 * compared by position: an old error stays old even if its message changed.
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

/** The errors of a file. The compiler caches them per program. */
export function findErrors(path: string, program: ts.Program): readonly ts.Diagnostic[] {
  const file = program.getSourceFile(path);
  return file === undefined
    ? []
    : program.getSemanticDiagnostics(file).filter(({ category }) => category === ts.DiagnosticCategory.Error);
}
