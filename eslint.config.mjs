import jsdoc from 'eslint-plugin-jsdoc';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** A file is one idea: up to 400 lines of code. `check-sizes.mjs` names those that are too small for an idea. */
const MAX_LINES = ['error', { max: 400, skipBlankLines: true, skipComments: true }];

// Type-aware rules: what they find (a promise nobody awaits, an `any` that leaks) is what loses data here.
export default tseslint.config(
  { ignores: ['dist/**', 'web/dist/**', 'node_modules/**', '.data/**', 'coverage/**'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'web/**/*.ts', 'web/**/*.tsx'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Nest reads constructor types at run time: a type-only import would erase them.
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
      eqeqeq: ['error', 'smart'],
    },
  },
  {
    // One expression of more than linear time lets one request stop the process. Tests read text of their own.
    files: ['src/**/*.ts', 'src/**/*.mjs'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines': MAX_LINES,
      // ESLint counts `??`, `?.` and default values as branches: 35 by its count are about 15 decisions.
      complexity: ['error', { max: 35, variant: 'modified' }],
      // Without a comparison numbers are sorted as text.
      '@typescript-eslint/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
    },
  },
  // The browser knows the shapes of the API, and nothing of the service.
  {
    files: ['web/**/*.ts', 'web/**/*.tsx'],
    plugins: { jsdoc },
    rules: {
      'max-lines': MAX_LINES,
      'jsdoc/require-jsdoc': [
        'error',
        { publicOnly: true, enableFixer: false, require: { FunctionDeclaration: true } },
      ],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/src/**'], allowTypeImports: true, message: 'Only types come from the service.' }] },
      ],
      // Menus, lists of options and comboboxes come from the library behind web/parts.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'JSXAttribute[name.name="role"] > Literal[value=/^(menu|listbox|combobox)$/]',
          message: 'Use the part of web/parts: a menu, a list of options or a combobox is not written by hand.',
        },
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Text stays text.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
