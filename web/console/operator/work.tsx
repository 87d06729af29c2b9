import type { InstallationBody } from '../../../src/operations/installation/installation.js';
import type { Json } from '../../api/client.js';
import { Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';

type Work = Json<InstallationBody>['work'][number];

const words = text.operator;

/** The background work of the installation. The API names the work with most failures first. */
export function WorkSection({ work, nameOf }: { work: readonly Work[]; nameOf: (tenantId: string) => string | null }) {
  const failing = work.filter(({ failures }) => failures > 0).length;
  return (
    <Section title={words.work}>
      {work.length === 0 ? (
        <p>{words.noWork}</p>
      ) : (
        <>
          <p>
            <State tone={failing > 0 ? 'problem' : 'good'}>{words.failing(failing)}</State>{' '}
            {failing > 0 && <a href="/docs/runbook/work-failing">{words.runbook}</a>}
          </p>
          <Table
            caption={words.work}
            rows={work}
            keyOf={({ kind, tenant_id, id }) => `${kind} ${tenant_id} ${id}`}
            columns={columnsFor(nameOf)}
          />
        </>
      )}
    </Section>
  );
}

function columnsFor(nameOf: (tenantId: string) => string | null): Column<Work>[] {
  return [
    {
      label: words.kind,
      cell: ({ kind, id }) => (
        <span>
          {kind} {id !== null && <code>{id}</code>}
        </span>
      ),
    },
    {
      label: words.tenant,
      cell: ({ tenant_id }) =>
        tenant_id === null ? words.ofInstallation : (nameOf(tenant_id) ?? <code>{tenant_id}</code>),
    },
    {
      label: words.state,
      cell: ({ state, failures }) => (
        <State tone={failures > 0 ? 'problem' : state === 'running' ? 'good' : 'neutral'}>
          {failures > 0 ? `${words.fails}, ${state}` : state}
        </State>
      ),
    },
    { label: words.failures, cell: ({ failures }) => failures, isNumber: true },
    { label: words.cause, cell: ({ reason }) => reason ?? '–' },
    { label: words.next, cell: ({ next_at }) => <Time at={next_at} /> },
  ];
}
