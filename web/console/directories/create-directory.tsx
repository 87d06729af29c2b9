import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import type { NewDirectoryBody } from '../../../src/directory-sync/directories/directories.dto.js';
import { call, type Json } from '../../api/client.js';
import { Id } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';

const words = text.directories;
/** What a directory can be set to. */
export const PROFILES = ['tolerant', 'entra', 'okta', 'strict', 'ipsie'] as const;
/** One of {@link PROFILES}. */
type Profile = (typeof PROFILES)[number];

/** A button that makes a directory, and shows its first token once. */
export function CreateDirectory() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="main" onClick={() => setOpen(true)}>
        {words.create}
      </button>
      {isOpen && (
        <Dialog title={words.create} onClose={() => setOpen(false)}>
          <Form close={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function Form({ close }: { close: () => void }) {
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [profile, setProfile] = useState<Profile>('tolerant');
  const create = useMutation({
    mutationFn: () => call<Json<NewDirectoryBody>>('POST', '/directories', { name, profile }),
    // The token leaves the memory of the page with the dialog.
    gcTime: 0,
    onSuccess: () => cache.invalidateQueries(),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  if (create.data !== undefined) {
    return (
      <div className="stack">
        <p role="status">{words.created}</p>
        <p>
          <Id value={create.data.scim_token} />
        </p>
        <p>
          {words.connect.address}: <Id value={create.data.scim_base_url} />
        </p>
        <button type="button" onClick={close}>
          {text.act.close}
        </button>
      </div>
    );
  }
  return (
    <form className="stack" onSubmit={submit}>
      {create.error !== null && <ProblemBox error={create.error} />}
      <label>
        {words.name}
        <input required maxLength={200} value={name} onChange={({ target }) => setName(target.value)} autoFocus />
      </label>
      <label>
        {words.profile}
        <select value={profile} onChange={({ target }) => setProfile(target.value as Profile)}>
          {PROFILES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <span className="help">{words.profileHelp[profile]}</span>
      </label>
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
