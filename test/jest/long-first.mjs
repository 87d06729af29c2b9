// The order of the spec files. Jest begins with those that took longest the last time; where it knows no times, as on a
// fresh clone, it goes by the size of the file, and a long one that begins last keeps one worker busy alone.
import Sequencer from '@jest/test-sequencer';

/** Spec files that take longer than fifteen seconds: processes, browsers, large tables, random histories. */
const LONG = [
  'directory-sync/races.api',
  'base/database/plans.long',
  'base/two-processes',
  'sign-in/browser.long',
  'sign-in/accounts/account-model.api',
  'operations/start.long',
  'delivery/channels/channels.db',
  'base/idle.long',
  'events/consumer.api',
  'docs/browser',
  'operations/ends-and-outages.long',
  'operations/key-recipe.long',
  'docs/recipes.api',
  'forwarding/journeys.db',
  'operations/restore-drill.long',
  'availability/shares.long',
  'sign-in/limits/limits.api',
  'operations/rolling-restart.long',
  'webhooks/hostile-receivers.api',
  'directory-sync/large-documents.api',
  'directory-sync/sorted-walks.api',
  'linear-time',
  'forwarding/rehires.db',
  'ats/publish/writes.api',
  'ats/publish/two-processes.api',
  'seats/limit-concurrency.api',
].map((name) => `/test/${name}.spec.ts`);

export default class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ path }) => {
      const place = LONG.findIndex((end) => path.replaceAll('\\', '/').endsWith(end));
      return place < 0 ? LONG.length : place;
    };
    return [...sorted].sort((a, b) => rank(a) - rank(b));
  }
}
