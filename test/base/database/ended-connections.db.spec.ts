import net, { type AddressInfo } from 'node:net';
import { Database } from '../../../src/base/database/database.js';
import { createDataSource } from '../../../src/start/data-source.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

const READY = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')]);

/** What a server says to each connection when an administrator stops it: PostgreSQL protocol, `ErrorResponse`. */
function farewell(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

let test: TestDatabase;
let server: net.Server;
let db: Database;
/** The next connection that is ready ends in the same packet. */
let endsNext = false;

beforeAll(async () => {
  test = await testDatabase();
  const target = new URL(test.url);
  server = net.createServer((socket) => {
    const database = net.connect(Number(target.port), target.hostname);
    for (const side of [socket, database]) side.on('error', () => side.destroy());
    socket.pipe(database);
    database.on('data', (chunk) => {
      if (!endsNext || !chunk.subarray(-READY.length).equals(READY)) return void socket.write(chunk);
      endsNext = false;
      socket.end(Buffer.concat([chunk, farewell()]));
    });
    socket.on('close', () => database.destroy());
    database.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(test.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  db = new Database(await createDataSource(url.href, 10).initialize());
});
afterAll(async () => {
  await db.close();
  await db.dataSource.destroy();
  server.close();
  await test.close();
});

it.each(['a transaction', 'a statement'])(
  'a connection that ends as it begins fails %s, not the process',
  async (what) => {
    const ask = (): Promise<unknown> =>
      what === 'a statement' ? db.query('select 1') : db.transaction(null, (tx) => tx.query('select 1'));
    // The first connection is taken, so that the work under test makes one.
    await db.transaction(null, async () => {
      endsNext = true;
      await expect(ask()).rejects.toThrow(/connection/);
    });
    expect(endsNext).toBe(false);
    await expect(ask()).resolves.toMatchObject({ rowCount: 1 });
  },
);
