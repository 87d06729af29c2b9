import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

// The gate in front of the pool knows a statement's tenant by its first parameter. What names no tenant uses the share of
// the installation, which all tenants have in common: so only these files may send such statements.
const OF_THE_INSTALLATION = [
  'auth/connections/connection.store.ts', // by slug and by issuer, before the tenant is known
  'auth/connections/connections.repository.ts', // the next metadata that is due, of any tenant
  'auth/connections/domains/domains.repository.ts', // the next domain that is due, of any tenant
  'auth/connections/domains/domains.store.ts', // by domain, before the tenant is known
  'auth/connections/keys/service-keys.repository.ts',
  'auth/sign-in/limits/shared-buckets.store.ts',
  'auth/sign-in/tokens/session-tokens.repository.ts', // codes in batches
  'base/sealing/reseal.ts',
  'directory-sync/directories/directory-marks.ts', // last requests of directories, of many tenants at once
  'directory-sync/directories/quiet-directories.ts', // silent directories of all tenants
  'directory-sync/routes/roles/deleted-directories.ts',
  'directory-sync/users/held/former-protected.ts',
  'directory-sync/users/held/held.metrics.ts', // figures
  'directory-sync/users/people/people-upkeep.ts',
  'engine/delivery/destinations/destination-states.repository.ts', // figures
  'engine/delivery/lanes/backlog.ts', // figures
  'engine/delivery/lanes/due.ts', // destinations that are due, of any tenant
  'engine/events/horizon.ts', // what is committed, of all tenants
  'engine/work/task-claims.repository.ts', // the next task that is due, of any tenant
  'integrations/ats/connections/ats-connections.store.ts', // tokens of webhooks, in batches, before the tenant is known
  'integrations/ats/inbound/inboxes.repository.ts', // connections whose events wait, of any tenant
  'integrations/ats/sync/syncs.repository.ts', // the next sync that is due, of any tenant
  'operations/expiry-notice.ts',
  'operations/metrics.ts',
  'operations/restore/installation.repository.ts', // the installation’s own row
  'operations/retention.ts', // months, through functions of the owner
  'operations/statistics.ts',
  'seats/seats.repository.ts', // tenants whose seats are counted under the lock
  'tenancy/ledger/chain-keys.ts', // keys of the installation
  'tenancy/ledger/chain.ts', // tenants with lines to seal
  'tenancy/ledger/heads.repository.ts', // tenants whose heads or days are due
  'tenancy/sessions/sessions.repository.ts', // cookies in batches
  'tenancy/tenants/audit/installation-audit.ts', // the installation’s own log
  'tenancy/tenants/credential-queries.ts', // tokens in batches
  'tenancy/tenants/credential-uses.ts',
  'tenancy/tenants/idempotency.ts', // the sweep
  'tenancy/tenants/storage/storage.metrics.ts', // figures
  'tenancy/tenants/storage/storage.repository.ts', // counters of many tenants at once; the next tenant that is due
  'tenancy/tenants/tenant-addresses.ts', // by address, before the tenant is known
  'tenancy/tenants/tenants.repository.ts',
];

const SRC = path.resolve('src');
const METHODS = new Set(['query', 'shaped', 'search']);

/** The first parameters of all statements of a file that go to the pool or to what may be the pool. */
function firstParameters(file: string): (string | null)[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(SRC, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: (string | null)[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isStatement(node.expression)) {
      const values = node.arguments[1];
      // What stands in a variable is checked by the journeys: those statements are made by builders that begin with the tenant.
      if (values === undefined) found.push(null);
      else if (ts.isArrayLiteralExpression(values)) found.push(values.elements[0]?.getText() ?? null);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isStatement(callee: ts.Expression): boolean {
  if (!ts.isPropertyAccessExpression(callee) || !METHODS.has(callee.name.text)) return false;
  return /(^|\.)db$/.test(callee.expression.getText());
}

const namesTenant = (first: string | null): boolean => first !== null && /tenant(_?id)?$|^\.\.\.id$/i.test(first);

it('every statement begins with its tenant, but for those of the installation', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('migrations') && !file.startsWith('sandbox'))
    .filter((file) => !file.startsWith(path.join('base', 'database')));
  const others = files.filter((file) => !firstParameters(file).every(namesTenant));
  expect(others.map((file) => file.split(path.sep).join('/')).sort()).toEqual(OF_THE_INSTALLATION);
});
