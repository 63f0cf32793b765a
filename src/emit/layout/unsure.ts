/** Thrown to leave a module to Prettier: it holds something whose layout is not known here. */
export class Unsure extends Error {}
