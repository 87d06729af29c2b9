// The service of a bench, with the log of requests (`on`) or without it (`off`), and the writer of the log alone.
import { newId } from '../../dist/base/ids.js';

const [mode] = process.argv.slice(2);
if (mode === 'on' || mode === 'off') {
  const { RequestRows } = await import('../../dist/overview/requests/request-rows.js');
  if (mode === 'off') RequestRows.prototype.note = () => undefined;
  const { run } = await import('../../dist/start/service.js');
  await run();
}

/** Returns the function that writes a batch of rows, and one that makes a row. */
export async function writerOf(url) {
  const { Database } = await import('../../dist/base/database/database.js');
  const { createDataSource } = await import('../../dist/start/data-source.js');
  const { RequestSources } = await import('../../dist/overview/requests/requests.repository.js');
  const { RequestsRepository } = await import('../../dist/overview/requests/requests.repository.js');
  const dataSource = await createDataSource(url, 2).initialize();
  const db = new Database(dataSource);
  const repository = new RequestsRepository(db, new RequestSources(db));
  const rowOf = (tenantId, userId) => ({
    tenantId,
    id: newId('req'),
    directoryId: 'dir_bench',
    credentialId: 'tok_bench',
    method: 'GET',
    path: '/scim/v2/Users/{id}',
    status: 200,
    durationMs: 1.5,
    dialect: null,
    userId,
    groupId: null,
    outcome: null,
    held: null,
    linkedBy: null,
    code: null,
    scimType: null,
    detail: null,
    bodyBytes: null,
    body: null,
  });
  return { add: (rows) => repository.add(rows), rowOf, close: () => dataSource.destroy() };
}
