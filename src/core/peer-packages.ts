/** The commands that install the optional peer dependencies. A test compares their versions with those of package.json. */
export const INSTALL_PEER = {
  "ts-morph": "npm install -D ts-morph@28",
  "@php-wasm/node": "npm install -D @php-wasm/node@3",
  typescript: "npm install -D typescript@6",
  "quickjs-emscripten-core": "npm install -D quickjs-emscripten-core@0",
  "@jitl/quickjs-wasmfile-release-sync": "npm install -D @jitl/quickjs-wasmfile-release-sync@0",
} as const;
