import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { RequestBody, RequestDetailBody } from '../../../src/overview/requests/requests.dto.js';
import type { Json } from '../../api/client.js';
import { useList, useRead } from '../../api/queries.js';
import { Answer, List } from '../../parts/answer.js';
import { Id } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { SearchField } from '../../parts/filters.js';
import { State } from '../../parts/state.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';

type Request = Json<RequestBody>;

const words = text.directories.requests;

/** The log of the requests of the IdP. */
export function RequestsTab({ directory: { id } }: TabProps) {
  const { user, status, request_id } = useSearch({ from: '/directories/$id/{-$tab}' });
  const requests = useList<Request>(`/directories/${id}/requests`, { user, status, request_id }, 5_000);
  const [shown, setShown] = useState<string | null>(null);
  const isFiltered = (user ?? status ?? request_id) !== undefined;
  return (
    <div className="stack">
      <div className="row">
        <SearchField name="user" label={words.userFilter} value={user} />
        <SearchField name="status" label={words.statusFilter} value={status} />
        <SearchField name="request_id" label={words.id} value={request_id} />
      </div>
      <List query={requests} empty={isFiltered ? words.noMatch : words.empty}>
        {(rows) => (
          <Table
            caption={text.directories.tabs.requests}
            columns={columnsFor(setShown)}
            rows={rows}
            keyOf={(request) => request.id}
          />
        )}
      </List>
      {shown !== null && (
        <Dialog title={words.request} onClose={() => setShown(null)}>
          <Detail requestId={shown} />
          <button type="button" onClick={() => setShown(null)}>
            {text.act.close}
          </button>
        </Dialog>
      )}
    </div>
  );
}

function columnsFor(show: (id: string) => void): Column<Request>[] {
  return [
    {
      label: words.request,
      cell: ({ id, method, path }) => (
        <button type="button" className="plain" onClick={() => show(id)}>
          {method} {path}
        </button>
      ),
    },
    {
      label: words.status,
      cell: ({ status }) => <State tone={status < 400 ? 'good' : 'problem'}>{String(status)}</State>,
    },
    {
      label: words.outcome,
      cell: ({ outcome, held, code, detail }) => [outcome, held, code, detail].filter(Boolean).join(' · '),
    },
    {
      label: words.user,
      cell: ({ user_id }) =>
        user_id === null ? (
          '–'
        ) : (
          <Link to="/users/$id" params={{ id: user_id }}>
            {user_id}
          </Link>
        ),
    },
    { label: words.at, cell: ({ at }) => <Time at={at} /> },
    { label: words.took, cell: ({ duration_ms }) => duration_ms.toFixed(1), isNumber: true },
  ];
}

function Detail({ requestId }: { requestId: string }) {
  const request = useRead<Json<RequestDetailBody>>(`/requests/${requestId}`);
  return (
    <Answer query={request}>
      {({ id, method, path, status, detail, body }) => (
        <div className="tight">
          <p>
            {method} <code>{path}</code> {status} {detail}
          </p>
          <p>
            <Id value={id} />
          </p>
          {body === null ? (
            <p className="secondary">{words.noBody}</p>
          ) : (
            <pre tabIndex={0} aria-label={words.body}>
              {JSON.stringify(body, null, 2)}
            </pre>
          )}
        </div>
      )}
    </Answer>
  );
}
