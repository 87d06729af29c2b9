import { useState } from 'react';
import type { NewClientSecretBody, ShownClientBody } from '../../../src/directory-sync/clients/clients.dto.js';
import type { NewScimTokenBody, ScimTokenBody } from '../../../src/directory-sync/directories/directories.dto.js';
import type { Json, Page } from '../../api/client.js';
import { useList, useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Act } from '../../parts/act.js';
import { Answer, List } from '../../parts/answer.js';
import { Id } from '../../parts/copy-button.js';
import { Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { CreateClient } from './create-client.js';
import { credentialRows, type CredentialRow } from './credential-rows.rules.js';
import { EndCredential } from './end-credential.js';

const words = text.directories.connect;
const REFRESH_MS = 10_000;

/** The SCIM tokens of a directory, its OAuth clients and their secrets. All that are valid count at the same time. */
export function Credentials({ directoryId }: { directoryId: string }) {
  const me = useMe();
  const canWrite = may(me.data, 'admin');
  const path = `/directories/${directoryId}`;
  const clients = useRead<Page<Json<ShownClientBody>>>(`${path}/clients`, { limit: 200 }, REFRESH_MS);
  const tokens = useList<Json<ScimTokenBody>>(`${path}/tokens`, {}, REFRESH_MS);
  // The secret is kept by this page alone, and never in the cache of answers.
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section
      title={words.credentials}
      actions={
        canWrite && (
          <>
            <CreateClient directoryId={directoryId} />
            <Act
              label={words.newToken}
              path={`${path}/tokens`}
              body={{}}
              onDone={(made) => setSecret((made as NewScimTokenBody).scim_token)}
            />
          </>
        )
      }
    >
      <p className="secondary">{words.lead}</p>
      {secret !== null && (
        <p role="status">
          <Id value={secret} /> {words.shownOnce}
        </p>
      )}
      <Answer query={clients}>
        {({ data: those }) => (
          <List query={tokens} others={credentialRows(those, [], 0).length} empty={words.empty}>
            {(all) => (
              <Table
                caption={words.credentials}
                columns={columnsFor(path, canWrite ? setSecret : null)}
                rows={credentialRows(those, all, Date.now())}
                keyOf={({ id }) => id}
              />
            )}
          </List>
        )}
      </Answer>
    </Section>
  );
}

function columnsFor(path: string, setSecret: ((secret: string) => void) | null): Column<CredentialRow>[] {
  const columns: Column<CredentialRow>[] = [
    {
      label: words.credential,
      cell: ({ name, shown }) => (
        <span>
          {name} <code>{shown}</code>
        </span>
      ),
    },
    { label: words.kind, cell: ({ kind }) => words.kinds[kind] },
    { label: words.lastUsed, cell: ({ lastUsed }) => <Time at={lastUsed} /> },
    { label: words.requests, cell: ({ requests }) => requests ?? '–', isNumber: true },
    { label: words.dialect, cell: ({ dialect }) => dialect ?? '–' },
    { label: words.ends, cell: End },
  ];
  if (setSecret === null) return columns;
  return [
    ...columns,
    {
      label: text.act.actions,
      cell: (row) =>
        row.isOver ? null : (
          <span className="row">
            {row.kind === 'secret' && (
              <Act
                label={words.newSecret}
                path={`${path}${row.path}/secrets`}
                body={{}}
                onDone={(made) => setSecret((made as NewClientSecretBody).client_secret)}
              />
            )}
            <EndCredential
              label={words.ending[row.kind === 'token' || row.kind === 'client_secret' ? row.kind : 'client']}
              name={`${row.name} ${row.shown}`}
              path={`${path}${row.path}`}
            />
          </span>
        ),
    },
  ];
}

function End({ ends, isOver, kind }: CredentialRow) {
  if (isOver) {
    return (
      <span>
        <State tone="neutral">{words.over}</State> <Time at={ends} />
      </span>
    );
  }
  if (ends !== null) return <Time at={ends} />;
  return kind === 'secret' ? words.withSecrets : words.never;
}
