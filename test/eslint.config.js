import { fileURLToPath } from "node:url";
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";
import { defineConfig } from "eslint/config";

export default defineConfig(
  {
    ignores: ["**/dist/**", "**/node_modules/**", "**/generated/**", "**/golden/**", "test/*/*app/**"],
  },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ["./tsconfig.json", "./src/page/browser/tsconfig.json", "./action/tsconfig.json"],
        tsconfigRootDir: fileURLToPath(new URL("..", import.meta.url)),
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "TSAsExpression > TSAsExpression",
          message: "A double assertion hides a doubt: narrow the value instead.",
        },
      ],
    },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    // Its types are in comments.
    ignores: ["action/**"],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { AbortController: "readonly", URL: "readonly", process: "readonly" } },
  },
  {
    // The compiler checks these names.
    files: ["action/*.js"],
    rules: { "no-undef": "off" },
  },
  {
    files: ["src/**/*.ts"],
    rules: { "no-console": "error" },
  },
);
