/** The commands that install the optional peer dependencies. A test compares their versions with those of package.json. */
export const INSTALL_PEER = {
  "ts-morph": "npm install -D ts-morph@28",
  "@php-wasm/node": "npm install -D @php-wasm/node@3",
} as const;
