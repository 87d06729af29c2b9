import all from './jest.config.mjs';

// `npm run test:quick`: the pure specs, and of those with a database the ones that notice most for their time.
const TELLING = [
  'sign-in/sign-in',
  'cli/cli',
  'directory-sync/scim-users',
  'forwarding/forwarding',
  'operations/openapi-coverage',
  'seats/seats',
  'tenants/routes',
  'users/held/discard',
  'users/linking',
];

export default {
  ...all,
  testRegex: ['(?<!\\.(api|db))\\.spec\\.ts$', ...TELLING.map((name) => `/test/${name}\\.(api|db)\\.spec\\.ts$`)],
  // These start processes, read for a long time, or drive a browser.
  testPathIgnorePatterns: [
    '/node_modules/',
    '/test/sign-in/browser\\.',
    '/test/(sign-in|base)/two-processes\\.',
    '/test/saml/saml-flood\\.',
    '/test/cli/executable\\.',
    '/test/deploy/',
    '/test/docs/browser\\.',
    '/test/linear-time\\.',
    '/test/operations/(start|rolling-restart|database-access|child-environment)\\.',
    '/test/start-failure\\.',
  ],
};
