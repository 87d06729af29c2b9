import { Activity } from '../../src/base/activity.js';
import { SystemClock } from '../../src/base/clock.js';
import type { Database } from '../../src/base/database/database.js';
import { Logger } from '../../src/base/log/logger.js';
import type { WorkKind } from '../../src/base/work/work.js';
import { WorkEngine } from '../../src/engine/work/work.engine.js';
import { WorkEntries } from '../../src/engine/work/work-entries.repository.js';
import { WorkKinds } from '../../src/engine/work/work-kinds.js';

/** An engine for some kinds of work, as one more process would have it. */
export function workEngine(
  db: Database,
  kinds: readonly WorkKind[],
  logger = new Logger('silent'),
): { engine: WorkEngine; entries: WorkEntries } {
  // A provider of Nest has many fields, of which the kinds read the instance alone.
  const known = new WorkKinds({ getProviders: () => kinds.map((instance) => ({ instance })) as never });
  const entries = new WorkEntries(db, known, new SystemClock());
  return { engine: new WorkEngine(db, known, entries, logger, new Activity()), entries };
}
