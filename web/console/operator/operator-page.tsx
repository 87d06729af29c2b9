import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import type { TenantBody } from '../../../src/tenancy/tenants/tenants.dto.js';
import { call, type Json } from '../../api/client.js';
import { useList } from '../../api/queries.js';
import { List } from '../../parts/answer.js';
import { Dialog } from '../../parts/dialog.js';
import { Page } from '../../parts/page.js';
import { ProblemBox } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { InstallationSection } from './installation.js';

type Tenant = Json<TenantBody>;

const words = text.operator;

/** The tenants of the installation, of which the operator enters one to read it. */
export function OperatorPage() {
  const tenants = useList<Tenant>('/tenants');
  const [entering, setEntering] = useState<Tenant | null>(null);
  const names = new Map(tenants.data?.pages.flatMap(({ data }) => data).map(({ id, name }) => [id, name]));
  return (
    <Page title={words.title} lead={words.lead}>
      <List query={tenants} empty={words.empty}>
        {(rows) => (
          <Table
            caption={words.title}
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { label: words.tenant, cell: ({ name }) => name },
              { label: words.created, cell: ({ created_at }) => <Time at={created_at} /> },
              {
                label: text.act.actions,
                cell: (tenant) => (
                  <button type="button" onClick={() => setEntering(tenant)}>
                    {words.enter}
                  </button>
                ),
              },
            ]}
          />
        )}
      </List>
      <InstallationSection nameOf={(id) => names.get(id) ?? null} />
      {entering !== null && <Enter tenant={entering} close={() => setEntering(null)} />}
    </Page>
  );
}

function Enter({ tenant, close }: { tenant: Tenant; close: () => void }) {
  const cache = useQueryClient();
  const [reason, setReason] = useState('');
  const enter = useMutation({
    mutationFn: () => call('POST', `/tenants/${tenant.id}/enter`, { reason }),
    onSuccess: () => cache.resetQueries(),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    enter.mutate();
  };
  return (
    <Dialog title={`${words.enter}: ${tenant.name}`} onClose={close}>
      <form className="stack" onSubmit={submit}>
        {enter.error !== null && <ProblemBox error={enter.error} />}
        <label>
          {words.reason}
          <input required maxLength={200} value={reason} onChange={({ target }) => setReason(target.value)} autoFocus />
          <span className="help">{words.reasonHelp}</span>
        </label>
        <div className="row">
          <button type="submit" className="main" disabled={enter.isPending}>
            {words.enter}
          </button>
          <button type="button" onClick={close}>
            {text.act.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
