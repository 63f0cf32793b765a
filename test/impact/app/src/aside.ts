// Imports no tool.
export const limit = 8;
