import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import type { NewClientBody } from '../../../src/directory-sync/clients/clients.dto.js';
import { call, Problem, type Json } from '../../api/client.js';
import { Id } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';

type NewClient = Json<NewClientBody>;

const words = text.directories.clients;
/** The fields that each kind of client needs beside its name. */
const FIELDS = {
  secret: [],
  private_key_jwt: ['jwks_url'],
  federated: ['issuer', 'subject', 'audience', 'jwks_url'],
} as const;
type Kind = keyof typeof FIELDS;
type Field = (typeof FIELDS)['federated'][number];

/** A button that makes an OAuth client of a directory, and shows its secret once. */
export function CreateClient({ directoryId }: { directoryId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {words.create}
      </button>
      {isOpen && (
        <Dialog title={words.create} onClose={() => setOpen(false)}>
          <Form directoryId={directoryId} close={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function Form({ directoryId, close }: { directoryId: string; close: () => void }) {
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('secret');
  const [values, setValues] = useState<Record<Field, string>>({ issuer: '', subject: '', audience: '', jwks_url: '' });
  const create = useMutation({
    mutationFn: () => {
      const own = Object.fromEntries(FIELDS[kind].map((field) => [field, values[field]]));
      return call<NewClient>('POST', `/directories/${directoryId}/clients`, { name, kind, ...own });
    },
    // The secret leaves the memory of the page with the dialog.
    gcTime: 0,
    onSuccess: () => cache.invalidateQueries(),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  if (create.data !== undefined) return <Made client={create.data} close={close} />;
  const faults = create.error instanceof Problem ? create.error.errors : [];
  return (
    <form className="stack" onSubmit={submit}>
      {create.error !== null && <ProblemBox error={create.error} />}
      <label>
        {words.name}
        <input required maxLength={200} value={name} onChange={({ target }) => setName(target.value)} autoFocus />
      </label>
      <label>
        {words.kind}
        <select value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
          {Object.entries(words.kinds).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <p className="help">{words.kindHelp[kind]}</p>
      {FIELDS[kind].map((field) => (
        <label key={field}>
          {words.fields[field]}
          <input
            required
            value={values[field]}
            aria-invalid={faults.some((fault) => fault.field === field)}
            onChange={({ target }) => setValues({ ...values, [field]: target.value })}
          />
        </label>
      ))}
      <div className="row">
        <button type="submit" className="main" disabled={create.isPending}>
          {words.create}
        </button>
        <button type="button" onClick={close}>
          {text.act.cancel}
        </button>
      </div>
    </form>
  );
}

/** What the IdP needs of a new client. */
function Made({
  client: { id, token_url, scim_base_url, client_secret },
  close,
}: {
  client: NewClient;
  close: () => void;
}) {
  return (
    <div className="stack">
      <p role="status">
        {words.created} {client_secret !== undefined && text.directories.connect.shownOnce}
      </p>
      <dl className="facts">
        <dt>{words.id}</dt>
        <dd>
          <Id value={id} />
        </dd>
        {client_secret !== undefined && (
          <>
            <dt>{words.secret}</dt>
            <dd>
              <Id value={client_secret} />
            </dd>
          </>
        )}
        <dt>{words.tokenUrl}</dt>
        <dd>
          <Id value={token_url} />
        </dd>
        <dt>{text.directories.connect.address}</dt>
        <dd>
          <Id value={scim_base_url} />
        </dd>
      </dl>
      <button type="button" onClick={close}>
        {text.act.close}
      </button>
    </div>
  );
}
