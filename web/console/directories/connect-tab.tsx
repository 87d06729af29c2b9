import { useState } from 'react';
import type { NewScimTokenBody, ScimTokenBody } from '../../../src/directory-sync/directories/scim-tokens.dto.js';
import type { Json } from '../../api/client.js';
import { useList } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Act } from '../../parts/act.js';
import { List } from '../../parts/answer.js';
import { Id } from '../../parts/copy-button.js';
import { Section } from '../../parts/page.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';

type Token = Json<ScimTokenBody>;

const words = text.directories.connect;

/** What the IdP needs: the address and a token. */
export function ConnectTab({ directory: { id, scim_base_url } }: TabProps) {
  const me = useMe();
  const canWrite = may(me.data, 'admin');
  const tokens = useList<Token>(`/directories/${id}/tokens`);
  // The secret is kept by this page alone, and never in the cache of answers.
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <dl className="facts">
        <dt>{words.address}</dt>
        <dd>
          <Id value={scim_base_url} />
          <p className="help">{words.addressHelp}</p>
        </dd>
      </dl>
      <p>
        <a href="/docs/connect">{words.guides}</a>
      </p>
      <Section
        title={words.tokens}
        actions={
          canWrite && (
            <Act
              label={words.newToken}
              path={`/directories/${id}/tokens`}
              body={{}}
              onDone={(made) => setSecret((made as NewScimTokenBody).scim_token)}
            />
          )
        }
      >
        {secret !== null && (
          <p role="status">
            <Id value={secret} /> {words.shownOnce}
          </p>
        )}
        <List query={tokens} empty={words.empty}>
          {(rows) => (
            <Table caption={words.tokens} columns={columnsFor(id, canWrite)} rows={rows} keyOf={(token) => token.id} />
          )}
        </List>
      </Section>
    </>
  );
}

function columnsFor(directoryId: string, canWrite: boolean): Column<Token>[] {
  const columns: Column<Token>[] = [
    {
      label: words.token,
      cell: ({ name, prefix }) => (
        <span>
          {name} <code>{prefix}…</code>
        </span>
      ),
    },
    { label: words.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { label: words.ends, cell: ({ expires_at }) => (expires_at === null ? words.never : <Time at={expires_at} />) },
  ];
  if (!canWrite) return columns;
  return [
    ...columns,
    {
      label: text.act.actions,
      cell: ({ id }) => (
        <Act
          label={words.revoke}
          method="DELETE"
          path={`/directories/${directoryId}/tokens/${id}`}
          danger={words.revokes}
        />
      ),
    },
  ];
}
