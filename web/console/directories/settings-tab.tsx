import { useNavigate } from '@tanstack/react-router';
import type { SyntheticEvent } from 'react';
import { call, Problem, read } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { BothSides, valueWords } from '../../parts/both-sides.js';
import { useEdit } from '../../parts/edit.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import { EndCredential } from './end-credential.js';
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
          <EndCredential
            label={words.remove}
            name={directory.name}
            path={`/directories/${directory.id}`}
            lead={words.removeLead}
            onEnded={() => void navigate({ to: '/directories' })}
          />
        </div>
      )}
    </>
  );
}

/** The settings as fields of the form. */
interface Settings extends Figures {
  name: string;
  profile: DirectoryDetail['profile'];
  on_match: DirectoryDetail['on_match'];
  may_grant_console: boolean;
  isGuarded: boolean;
}

function settingsOf({ name, profile, on_match, may_grant_console, guard }: DirectoryDetail): Settings {
  const figures = guard === 'off' ? DEFAULTS : guard;
  return { name, profile, on_match, may_grant_console, isGuarded: guard !== 'off', ...figures };
}

/** Returns the fields of a PATCH: those that were changed. The guard is one field. */
function bodyOf(settings: Settings, changed: readonly string[]): object {
  const { isGuarded, percent, people, at_least, within_minutes, day_percent, ...others } = settings;
  const guard = isGuarded ? { percent, people, at_least, within_minutes, day_percent } : 'off';
  return Object.fromEntries(
    Object.entries({ ...others, guard }).filter(([name]) =>
      name === 'guard' ? changed.some((one) => !(one in others)) : changed.includes(name),
    ),
  );
}

function labelOf(field: string): string {
  const labels: Readonly<Record<string, string>> = { ...words.labels, isGuarded: words.guard };
  return labels[field] ?? field;
}

function valueIn(field: string, value: unknown): string {
  const matches: Readonly<Record<string, string>> = words.onMatchValues;
  return field === 'on_match' ? (matches[value as string] ?? '–') : valueWords(value);
}

function Form({ directory, canWrite }: { directory: DirectoryDetail; canWrite: boolean }) {
  const path = `/directories/${directory.id}`;
  const edit = useEdit<Settings>({
    stored: settingsOf(directory),
    readNow: async () => settingsOf(await read<DirectoryDetail>(path)),
    write: (settings, changed) => call('PATCH', path, bodyOf(settings, changed)),
  });
  const { draft, change, error, both } = edit;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    edit.save();
  };
  const faults = error instanceof Problem ? error.errors : [];
  return (
    <form className="stack" onSubmit={submit}>
      <fieldset className="stack plain-set" disabled={!canWrite}>
        <label>
          {words.labels.name}
          <input maxLength={200} value={draft.name} onChange={({ target }) => change({ name: target.value })} />
        </label>
        <label>
          {words.labels.profile}
          <select
            value={draft.profile}
            onChange={({ target }) => change({ profile: target.value as Settings['profile'] })}
          >
            {PROFILES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <span className="help">{text.directories.profileHelp[draft.profile]}</span>
        </label>
        <label>
          {words.labels.on_match}
          <select
            value={draft.on_match}
            onChange={({ target }) => change({ on_match: target.value as Settings['on_match'] })}
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
            onChange={({ target }) => change({ may_grant_console: target.checked })}
          />
          {words.labels.may_grant_console}
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={draft.isGuarded}
            onChange={({ target }) => change({ isGuarded: target.checked })}
          />
          {words.guard}
        </label>
        {draft.isGuarded && (
          <div className="row">
            {FIGURES.map((name) => (
              <label key={name}>
                {words.labels[name]}
                <input
                  type="number"
                  min={1}
                  value={draft[name]}
                  aria-invalid={faults.some(({ field }) => field.includes(name))}
                  onChange={({ target }) => change({ [name]: target.valueAsNumber })}
                />
              </label>
            ))}
          </div>
        )}
      </fieldset>
      {error !== null && <ProblemBox error={error} />}
      {both !== null && <BothSides both={both} labelOf={labelOf} show={valueIn} />}
      {edit.isSaved && <p role="status">{words.saved}</p>}
      {canWrite && (
        <button type="submit" className="main" disabled={edit.isSaving}>
          {text.act.save}
        </button>
      )}
    </form>
  );
}
