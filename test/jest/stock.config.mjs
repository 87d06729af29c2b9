// `npm run test:stock`: SCIM conversations, plans, seats and groups.
import all from './all.config.mjs';

export default {
  ...all,
  testRegex: [
    'test/journeys/scim-scenarios',
    'test/base/database/plans',
    'test/seats/seats.api',
    'test/directory-sync/routes/scim-groups',
  ].map((place) => `/${place}\\S*\\.spec\\.ts$`),
};
