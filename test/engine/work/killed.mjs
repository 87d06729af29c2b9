// A process with work of each policy: each turn puts down a mark, and never ends. It is killed.
import { Logger } from '../../../dist/base/log/logger.js';
import { Activity } from '../../../dist/base/activity.js';
import { SystemClock } from '../../../dist/base/clock.js';
import { Database } from '../../../dist/base/database/database.js';
import { createDataSource } from '../../../dist/start/data-source.js';
import { IntervalWork, WorkKind } from '../../../dist/base/work/work.js';
import { WorkEngine } from '../../../dist/engine/work/work.engine.js';
import { WorkEntries } from '../../../dist/engine/work/work-entries.repository.js';
import { WorkKinds } from '../../../dist/engine/work/work-kinds.js';

const [url, name, ending] = process.argv.slice(2);
const dataSource = createDataSource(url, 5, 'talent_bridge_service');
await dataSource.initialize();
const db = new Database(dataSource);

const turn = async (kind, { id }) => {
  await db.query(`insert into marks (process, kind, id) values ($1, $2, $3)`, [name, kind, id]);
  if (ending === 'never') await new Promise(() => undefined);
  await db.query(`delete from pieces where kind = $1 and id = $2`, [kind, id]);
};
class Sweep extends IntervalWork {
  kind = 'sweep';
  everyMs = 3_600_000;
  run = () => turn('sweep', { id: '' });
}
class Pieces extends WorkKind {
  everyMs = 0;
  constructor(kind, policy) {
    super();
    Object.assign(this, { kind }, policy);
  }
  due = () => `select tenant_id, id, since, null::text as server from pieces where kind = '${this.kind}'`;
  run = (piece) => turn(this.kind, piece);
}
const instances = [
  new Sweep(),
  new Pieces('local', {}),
  new Pieces('alone', { isAlone: true }),
  new Pieces('calls', { callsOut: true }),
];
const kinds = new WorkKinds({ getProviders: () => instances.map((instance) => ({ instance })) });
const entries = new WorkEntries(db, kinds, new SystemClock());
new WorkEngine(db, kinds, entries, new Logger('silent'), new Activity()).start();
setInterval(() => undefined, 1_000);
