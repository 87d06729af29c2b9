// The arrows between the rooms (docs/why/architecture.md): calls go down, and nothing below knows what stands above it.
export const FLOORS = [
  ['base'],
  ['identity', 'ledger', 'scim', 'oidc', 'saml', 'platform-client'],
  ['tenants', 'tasks', 'events', 'delivery', 'sessions'],
  ['directories', 'seats', 'forwarding', 'webhooks'],
  ['users', 'connections', 'candidates', 'jobs', 'interviews'],
  ['directory-sync', 'sign-in', 'ats'],
  ['lookup', 'history', 'surfaces', 'operations', 'cli'],
];

const below = FLOORS.slice(0, -1).map((rooms, floor) => ({
  name: `floor-${floor}-knows-nothing-above`,
  severity: 'error',
  from: { path: `^src/(${rooms.join('|')})/` },
  to: {
    path: `^src/(${FLOORS.slice(floor + 1)
      .flat()
      .join('|')})/`,
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...below,
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'scim-is-pure',
      comment: 'The protocol could be a package of its own.',
      severity: 'error',
      from: { path: '^src/protocols/scim/' },
      to: { pathNot: '^src/(scim/|base/errors/|base/characters)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'identity-is-pure',
      severity: 'error',
      from: { path: '^src/tenancy/identity/' },
      to: { pathNot: '^src/(identity/|base/characters)' },
    },
    ...['saml', 'oidc'].map((room) => ({
      name: `${room}-stands-on-base`,
      comment: 'The protocol has settings and refusal reasons of its own: it could be a package.',
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: '^src/', pathNot: `^src/(${room}|base)/` },
    })),
    {
      name: 'rules-and-mappings-are-pure',
      comment: 'What decides has no Nest, no TypeORM, no database and no network.',
      severity: 'error',
      from: { path: '\\.(rules|mapping)\\.ts$' },
      to: {
        path: '(^node_modules/(@nestjs|typeorm|pg|undici))|(\\.(service|repository|controller)\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nobody-imports-the-sandbox',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(sandbox/|sandbox-main|sandbox-process)' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'the-sandbox-stands-alone',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/', pathNot: '^src/(sandbox|base)/' },
    },
    {
      name: 'nobody-imports-the-top',
      severity: 'error',
      from: { path: '^src/[a-z-]+/', pathNot: '^src/cli/' },
      to: { path: '^src/(main|program|service|application|app\\.module|first-run|data-source|database-access)\\.ts$' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '(\\.d\\.ts$)|(^src/(main|cli|sandbox-main)\\.ts$)|(/tables\\.ts$)' },
      to: {},
    },
    { name: 'no-undeclared', severity: 'error', from: {}, to: { dependencyTypes: ['npm-no-pkg', 'unknown'] } },
    {
      name: 'no-dev-in-src',
      severity: 'error',
      from: { path: '^src' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
