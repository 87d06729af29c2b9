import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SyntheticEvent } from 'react';
import { call, Problem } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { Act } from '../../parts/act.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import { PROFILES } from './create-directory.js';
import type { DirectoryDetail, TabProps } from './tab.js';

const words = text.directories.settings;
const FIGURES = ['percent', 'people', 'at_least', 'within_minutes', 'day_percent'] as const;
/** What the fields show while the guard is off. */
const DEFAULTS = { percent: 20, people: 200, at_least: 10, within_minutes: 60, day_percent: 30 };

type Figures = Record<(typeof FIGURES)[number], number>;

/** The settings of a directory. */
export function SettingsTab({ directory }: TabProps) {
  const me = useMe();
  const navigate = useNavigate();
  const canWrite = may(me.data, 'admin');
  return (
    <>
      <Form directory={directory} canWrite={canWrite} />
      {canWrite && (
        <div className="tight">
          <p className="help">{words.removeLead}</p>
          <Act
            label={words.remove}
            method="DELETE"
            path={`/directories/${directory.id}`}
            danger={words.removeLead}
            onDone={() => void navigate({ to: '/directories' })}
          />
        </div>
      )}
    </>
  );
}

function Form({ directory, canWrite }: { directory: DirectoryDetail; canWrite: boolean }) {
  const cache = useQueryClient();
  const [draft, setDraft] = useState({
    name: directory.name,
    profile: directory.profile,
    on_match: directory.on_match,
    may_grant_console: directory.may_grant_console,
  });
  const [isGuarded, setGuarded] = useState(directory.guard !== 'off');
  const [figures, setFigures] = useState<Figures>(directory.guard === 'off' ? DEFAULTS : directory.guard);
  const save = useMutation({
    mutationFn: () => call('PATCH', `/directories/${directory.id}`, { ...draft, guard: isGuarded ? figures : 'off' }),
    onSuccess: () => cache.invalidateQueries(),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const faults = save.error instanceof Problem ? save.error.errors : [];
  return (
    <form className="stack" onSubmit={submit}>
      <fieldset className="stack plain-set" disabled={!canWrite}>
        <label>
          {words.name}
          <input
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          />
        </label>
        <label>
          {words.profile}
          <select
            value={draft.profile}
            onChange={({ target }) => setDraft({ ...draft, profile: target.value as typeof draft.profile })}
          >
            {PROFILES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          {words.onMatch}
          <select
            value={draft.on_match}
            onChange={({ target }) => setDraft({ ...draft, on_match: target.value as typeof draft.on_match })}
          >
            {Object.entries(words.onMatchValues).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={draft.may_grant_console}
            onChange={({ target }) => setDraft({ ...draft, may_grant_console: target.checked })}
          />
          {words.mayGrant}
        </label>
        <label className="check">
          <input type="checkbox" checked={isGuarded} onChange={({ target }) => setGuarded(target.checked)} />
          {words.guard}
        </label>
        {isGuarded && (
          <div className="row">
            {FIGURES.map((name) => (
              <label key={name}>
                {words[name]}
                <input
                  type="number"
                  min={1}
                  value={figures[name]}
                  aria-invalid={faults.some(({ field }) => field.includes(name))}
                  onChange={({ target }) => setFigures({ ...figures, [name]: target.valueAsNumber })}
                />
              </label>
            ))}
          </div>
        )}
      </fieldset>
      {save.error !== null && <ProblemBox error={save.error} />}
      {save.isSuccess && <p role="status">{words.saved}</p>}
      {canWrite && (
        <button type="submit" className="main" disabled={save.isPending}>
          {text.act.save}
        </button>
      )}
    </form>
  );
}
