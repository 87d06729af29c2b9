import type { SyntheticEvent } from 'react';
import { call, read } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Answer } from '../../parts/answer.js';
import { BothSides, valueWords } from '../../parts/both-sides.js';
import { useEdit } from '../../parts/edit.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import type { SeatSummary } from './summary.js';

const words = text.seats.form;
const CHANNELS = ['directory', 'api', 'sign_in'] as const;
type Policies = NonNullable<SeatSummary['policy']>;

/** The limit and the policies as fields of the form; an empty limit is none. */
interface Fields extends Policies {
  limit: string;
}

function fieldsOf({ limit, policy }: SeatSummary): Fields {
  return {
    limit: limit === null ? '' : String(limit),
    ...(policy ?? { directory: 'wait', api: 'block', sign_in: 'wait' }),
  };
}

const limitIn = ({ limit }: Fields): number | null => (limit === '' ? null : Number(limit));

function labelOf(field: string): string {
  return field === 'limit' ? words.limit : words.channels[field as (typeof CHANNELS)[number]];
}

function valueIn(field: string, value: unknown): string {
  if (field === 'limit') return value === '' ? words.none : valueWords(value);
  return words.policies[value as Policies['api']];
}

/** The limit, and what happens to a user who finds no free seat. */
export function LimitTab() {
  const seats = useRead<SeatSummary>('/seats');
  return <Answer query={seats}>{(now) => <Form now={now} />}</Answer>;
}

function Form({ now }: { now: SeatSummary }) {
  const me = useMe();
  const edit = useEdit<Fields>({
    stored: fieldsOf(now),
    readNow: async () => fieldsOf(await read<SeatSummary>('/seats')),
    write: (fields) => {
      const { limit: _, ...policy } = fields;
      return call('PUT', '/seats/limit', { limit: limitIn(fields), policy });
    },
  });
  const { draft, change } = edit;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    edit.save();
  };
  const canWrite = may(me.data, 'seats:write');
  return (
    <form className="stack" onSubmit={submit}>
      <fieldset className="stack plain-set" disabled={!canWrite}>
        <label>
          {words.limit}
          <input
            type="number"
            min={0}
            placeholder={words.none}
            value={draft.limit}
            onChange={({ target }) => change({ limit: target.value })}
          />
        </label>
        <p aria-live="polite">{words.effect(now.used ?? 0, limitIn(draft))}</p>
        {CHANNELS.map((channel) => (
          <label key={channel}>
            {words.channels[channel]}
            <select
              value={draft[channel]}
              onChange={({ target }) => change({ [channel]: target.value as Policies['api'] })}
            >
              {Object.entries(words.policies).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        ))}
      </fieldset>
      {edit.error !== null && <ProblemBox error={edit.error} />}
      {edit.both !== null && <BothSides both={edit.both} labelOf={labelOf} show={valueIn} />}
      {edit.isSaved && <p role="status">{words.saved}</p>}
      {canWrite && (
        <button type="submit" className="main" disabled={edit.isSaving}>
          {words.save}
        </button>
      )}
    </form>
  );
}
