/** A reference as absolute address, as far as its base allows, and decoded fragment. */
export function splitAddress(
  reference: string,
  base: string,
): { readonly address: string; readonly fragment: string } {
  const hash = reference.indexOf("#");
  const path = hash < 0 ? reference : reference.slice(0, hash);
  const fragment = hash < 0 ? "" : decode(reference.slice(hash + 1));
  if (path === "") return { address: base, fragment };
  return { address: URL.canParse(path, base) ? new URL(path, base).href : path, fragment };
}

function decode(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment; // A bare "%" is not an escape.
  }
}
