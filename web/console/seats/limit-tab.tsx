import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { call } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Answer } from '../../parts/answer.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import type { SeatSummary } from './summary.js';

const words = text.seats.form;
const CHANNELS = ['directory', 'api', 'sign_in'] as const;
type Policies = NonNullable<SeatSummary['policy']>;

/** The limit, and what happens to a user who finds no free seat. */
export function LimitTab() {
  const seats = useRead<SeatSummary>('/seats');
  return <Answer query={seats}>{(now) => <Form now={now} key={`${now.limit}`} />}</Answer>;
}

function Form({ now }: { now: SeatSummary }) {
  const me = useMe();
  const cache = useQueryClient();
  const [limit, setLimit] = useState(now.limit === null ? '' : String(now.limit));
  const [policy, setPolicy] = useState<Policies>(now.policy ?? { directory: 'wait', api: 'block', sign_in: 'wait' });
  const wanted = limit === '' ? null : Number(limit);
  const save = useMutation({
    mutationFn: () => call('PUT', '/seats/limit', { limit: wanted, policy }),
    onSuccess: () => cache.invalidateQueries(),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
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
            value={limit}
            onChange={({ target }) => setLimit(target.value)}
          />
        </label>
        <p aria-live="polite">{words.effect(now.used ?? 0, wanted)}</p>
        {CHANNELS.map((channel) => (
          <label key={channel}>
            {words.channels[channel]}
            <select
              value={policy[channel]}
              onChange={({ target }) => setPolicy({ ...policy, [channel]: target.value as Policies['api'] })}
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
      {save.error !== null && <ProblemBox error={save.error} />}
      {save.isSuccess && <p role="status">{words.saved}</p>}
      {canWrite && (
        <button type="submit" className="main" disabled={save.isPending}>
          {words.save}
        </button>
      )}
    </form>
  );
}
