/** A posix path below a folder; the folder may be `.` or empty. */
export function joinPath(folder: string, path: string): string {
  return folder === "" || folder === "." ? path : `${folder}/${path}`;
}
