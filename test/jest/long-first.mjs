// The order of the spec files. Jest begins with those that took longest the last time. Where it knows only some times, or
// none, as on a fresh clone, it puts those last and goes by the size of the file, and a long one that begins last keeps one
// worker busy alone.
import fs from 'node:fs';
import path from 'node:path';
import Sequencer from '@jest/test-sequencer';

const TESTS = path.resolve(import.meta.dirname, '..');

/** Spec files that take longer than twelve seconds: processes, browsers, large tables, random histories. */
const LONG = [
  'console/states/states.long',
  'operations/start.long',
  'auth/sign-in/browser.long',
  'operations/ends-and-outages.long',
  'operations/key-recipe.long',
  'operations/restore-drill.long',
  'availability/shares.long',
  'operations/rolling-restart.long',
  'base/idle.long',
  'base/database/prepared-statements.long',
  'console/pages.long',
  'forwarding/journeys.long',
  'console/keyboard.long',
  'engine/delivery/channels/channels.long',
  'base/two-processes.long',
  'integrations/ats/calls/storm-of-429.long',
  'console/gone.long',
  'docs/browser.long',
  'directory-sync/routes/large-documents.long',
  'integrations/webhooks/hostile-receivers.long',
  'forwarding/rehires.long',
  'console/access/two-processes.long',
  'directory-sync/routes/races.long',
  'linear-time.long',
  'integrations/ats/connections/renewals.long',
  'engine/delivery/pump/late-database.long',
  'seats/limit-concurrency.long',
  'integrations/ats/inbound/two-processes.long',
  'integrations/ats/inbound/two-processes-merges.long',
  'cli/doctor/faults.long',
  'docs/recipes.long',
  'forwarding/outage.long',
  'cli/doctor/foreign.long',
  'directory-sync/routes/users-of-many-groups.long',
  'journeys/switch.long',
  'cli/command/wait.long',
  'auth/sign-in/limits/limits.long',
  'operations/openapi-truth.api',
  'tenancy/tenants/routes.api',
  'tenancy/ledger/tampering.api',
];

const PLACES = new Map(
  LONG.map((name, place) => {
    const file = path.join(TESTS, `${name}.spec.ts`);
    if (!fs.existsSync(file)) throw new Error(`test/jest/long-first.mjs: there is no spec ${name}`);
    return [file, place];
  }),
);

export default class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const rank = (test) => PLACES.get(path.normalize(test.path)) ?? LONG.length;
    return [...sorted].sort((a, b) => rank(a) - rank(b));
  }
}
