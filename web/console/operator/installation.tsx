import type { InstallationBody } from '../../../src/operations/installation/installation.js';
import type { Json } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { Section } from '../../parts/page.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { WorkSection } from './work.js';

type Installation = Json<InstallationBody>;

const words = text.operator;
const REFRESH_MS = 10_000;

/** The tenants whose changes wait longest, the background work, the processes and the schema of the installation. */
export function InstallationSection({ nameOf }: { nameOf: (tenantId: string) => string | null }) {
  const installation = useRead<Installation>('/installation', {}, REFRESH_MS);
  return (
    <Answer query={installation} height={240}>
      {({ processes, migrations, lag, work }) => (
        <>
          <Section title={words.lag}>
            {lag.length === 0 ? (
              <p>{words.noLag}</p>
            ) : (
              <Table
                caption={words.lag}
                rows={lag}
                keyOf={({ tenant_id }) => tenant_id}
                columns={[
                  { label: words.tenant, cell: ({ name, tenant_id }) => name ?? <code>{tenant_id}</code> },
                  { label: words.waiting, cell: ({ waiting }) => waiting, isNumber: true },
                  { label: words.oldest, cell: ({ oldest_waiting_since }) => <Time at={oldest_waiting_since} /> },
                ]}
              />
            )}
          </Section>
          <WorkSection work={work} nameOf={nameOf} />
          <Section title={words.processes}>
            <Table
              caption={words.processes}
              rows={processes}
              keyOf={({ name, started_at }) => `${name} ${started_at}`}
              columns={[
                { label: words.process, cell: ({ name }) => <code>{name}</code> },
                { label: words.role, cell: ({ role }) => role },
                { label: words.version, cell: ({ version }) => version },
                { label: words.started, cell: ({ started_at }) => <Time at={started_at} /> },
                { label: words.seen, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
              ]}
            />
            <p className="secondary">
              {words.migration} <code>{migrations[0]}</code>
            </p>
          </Section>
        </>
      )}
    </Answer>
  );
}
