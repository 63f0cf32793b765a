/** A vector as a signed byte for each number, in base64. What gets lost is less than what two models differ by. */
export function printVector(vector: Float32Array): string {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest === 0 ? 0 : 127 / largest;
  const bytes = Int8Array.from(vector, (value) => Math.round(value * scale));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte & 0xff);
  return btoa(text);
}

/** The vector with length 1, so that a dot product is a cosine; undefined for a text that is no vector of so many numbers. */
export function parseVector(text: string, dimensions: number): Float32Array | undefined {
  let bytes: string;
  try {
    bytes = atob(text);
  } catch {
    return undefined;
  }
  if (bytes.length !== dimensions) return undefined;
  return toUnit(Float32Array.from(bytes, (byte) => (byte.charCodeAt(0) << 24) >> 24));
}

/** The same direction with length 1; a vector of zeros stays as it is. */
export function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
