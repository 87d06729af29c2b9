// The order of the houses and of the rooms in them (docs/why/architecture.md): a room knows those above it in this list, and
// nothing below.
export const ROOMS = [
  'base',
  'protocols/scim',
  'protocols/oidc',
  'protocols/saml',
  'tenancy/identity',
  'tenancy/ledger',
  'tenancy/idempotency',
  'tenancy/tenants',
  'tenancy/sessions',
  'engine/delivery',
  'engine/events',
  'engine/work',
  'forwarding/platform-client',
  'forwarding',
  'seats',
  'hiring/jobs',
  'hiring/candidates',
  'hiring/interviews',
  'directory-sync/directories',
  'directory-sync/clients',
  'directory-sync/users',
  'directory-sync/routes',
  'auth/connections',
  'auth/sign-in',
  'integrations/webhooks',
  'integrations/ats',
  'overview/requests',
  'overview/explain',
  'overview/status',
  'overview/now',
  'overview/lookup',
  'overview/history',
  'console/access',
  'console/files',
  'console',
  'operations/surfaces',
  'operations',
  'start',
  'cli',
];

/** The files of a room: those of a room inside of it are another room's. */
const within = (room) => {
  const inner = ROOMS.filter((other) => other.startsWith(`${room}/`)).map((other) => other.slice(room.length + 1));
  return `^src/${room}/${inner.length === 0 ? '' : `(?!(?:${inner.join('|')})/)`}`;
};

const order = ROOMS.slice(0, -1).map((room, place) => ({
  name: `${room.replace('/', '-')}-knows-no-room-that-comes-later`,
  severity: 'error',
  from: { path: within(room) },
  to: { path: ROOMS.slice(place + 1).map(within) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...order,
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
      to: { pathNot: '^src/(protocols/scim/|base/errors/|base/characters)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'identity-is-pure',
      severity: 'error',
      from: { path: '^src/tenancy/identity/' },
      to: { pathNot: '^src/(tenancy/identity/|base/characters)' },
    },
    ...['saml', 'oidc'].map((room) => ({
      name: `${room}-needs-base-alone`,
      comment: 'The protocol has settings and refusal reasons of its own: it could be a package.',
      severity: 'error',
      from: { path: `^src/protocols/${room}/` },
      to: { path: '^src/', pathNot: `^src/(protocols/${room}|base)/` },
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
      name: 'no-import-of-the-sandbox',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(sandbox|start)/' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'the-sandbox-needs-base-alone',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/', pathNot: '^src/(sandbox|base)/' },
    },
    {
      name: 'no-house-imports-the-program',
      severity: 'error',
      from: { path: '^src/[a-z-]+/', pathNot: '^src/start/' },
      to: { path: '^src/(main|start/app\\.module)\\.ts$' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: '(\\.d\\.ts$)|(^src/(cli/|sandbox/)?main\\.ts$)|(^web/console/main\\.tsx$)|(/tables\\.ts$)',
      },
      to: {},
    },
    {
      name: 'page-groups-stand-alone',
      comment: 'A group of pages is loaded by itself; what two groups share is in web/parts.',
      severity: 'error',
      from: { path: '^web/console/(overview|users|held|directories|seats|operator)/' },
      to: { path: '^web/console/(overview|users|held|directories|seats|operator)/', pathNot: '^web/console/$1/' },
    },
    {
      name: 'parts-know-no-page',
      severity: 'error',
      from: { path: '^web/(parts|api|text)/' },
      to: { path: '^web/console/' },
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
