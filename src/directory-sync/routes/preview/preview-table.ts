import { PREVIEW_REVISION } from './preview-writes.repository.js';
import type { ListTable } from '../list-table.js';

// The users as a directory in preview sees them: `$1` is the tenant, `$2` its owners, of which the first is the
// directory. An overlay replaces the resource of a user of another owner. A user that the directory removed is not
// shown.
const SHOWN = `(
  select b.tenant_id, b.id, b.directory_id, b.created_at,
    case when o.user_id is null then b.doc else o.doc end as doc,
    case when o.user_id is null then b.doc_bytes else o.doc_bytes end as doc_bytes,
    coalesce(o.user_name_key, b.user_name_key) as user_name_key,
    case when o.user_id is null then b.external_id else o.external_id end as external_id,
    coalesce(o.active, b.active) as active,
    case when o.user_id is null then b.version::bigint - b.quiet_writes else ${PREVIEW_REVISION} end as version,
    0 as quiet_writes, b.manager_id,
    case when o.user_id is null then b.resource_at else date_trunc('milliseconds', o.updated_at) end as resource_at,
    b.updated_at,
    case when o.user_id is not null and o.doc is null then o.updated_at else b.gone_at end as gone_at
  from users b left join preview_writes o
    on o.tenant_id = $1 and o.directory_id = ($2::text[])[1] and o.user_id = b.id
  where b.tenant_id = $1) u`;

const REMOVED = `(select count(*)::int from preview_writes r
  where r.tenant_id = $1 and r.directory_id = ($2::text[])[1] and r.doc is null)`;

/** Returns the table of users for directories in preview. Only these directories pay for the join. */
export function previewTable(table: ListTable): ListTable {
  return { ...table, from: SHOWN, total: `(${table.total!} - ${REMOVED})`, exactTotal: false };
}
